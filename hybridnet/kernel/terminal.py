# SPDX-License-Identifier: MIT
"""Shows at a terminal how far simulated time is, between the lines that the command prints.

    command ─▶ pipe ─▶ Terminal ─▶ the terminal: its lines, and below them "12.4 s of simulated time after 31 s"

Where the standard error is no terminal the command has our streams themselves, and nothing is shown.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence

__all__ = ["Terminal", "terminal_of"]

SILENT_S = 1.0
"""So long nothing was printed before the line is shown; it is renewed as often."""
_ERASE = b"\r\x1b[2K"
_STDERR = 2
_HELD = {1: 4, 2: 5}
"""Which descriptor the kernel has for each of ours."""


def terminal_of(streams: Sequence[int]) -> tuple[int | None, Mapping[int, int]]:
    """What the kernel gets for standard output and error: these, or, where they are one terminal, a pipe.

    Returns:
        Where the pipe is read; None: there is none. And the kernel's descriptors, each with what it is.
    """
    own = {_HELD[stream]: stream for stream in streams}
    if not os.isatty(_STDERR):
        return None, own
    read, write = os.pipe()
    device = os.fstat(_STDERR).st_rdev
    at_it = [stream for stream in streams if os.isatty(stream) and os.fstat(stream).st_rdev == device]
    return read, own | {_HELD[stream]: write for stream in at_it}


class Terminal:
    """Forwards what the command prints, and shows a line while it prints nothing.

    Args:
        pipe: where what it prints is read; owned.
        time_s: the simulated time.
    """

    def __init__(self, pipe: int, time_s: Callable[[], float]) -> None:
        self._pipe = pipe
        self._time_s = time_s
        self._began = self._at = time.monotonic()
        self._shown_s = -1.0  # of the line that is there
        self._is_shown, self._is_at_begin_of_line = False, True

    def fileno(self) -> int:
        """For selectors."""
        return self._pipe

    def forward(self) -> bool:
        """Print what there is. Returns whether more may come."""
        data = os.read(self._pipe, 65536)
        if data:
            self._erase()
            self._write(data)
            self._is_at_begin_of_line = data.endswith(b"\n")
            self._at = time.monotonic()
        return bool(data)

    def show(self) -> None:
        """Show the time, or renew it, if it is due: not beside a prompt, at which time stands still."""
        now = time.monotonic()
        if not self._is_at_begin_of_line or now - self._at < SILENT_S:
            return
        self._at, passed_s = now, self._time_s()
        if passed_s != self._shown_s:
            self._shown_s = passed_s
            self._write(
                _ERASE + f"{passed_s:.1f} s of simulated time after {now - self._began:.0f} s".encode()
            )
            self._is_shown = True

    def make_way(self) -> None:
        """Let somebody else print lines."""
        self._erase()
        if not self._is_at_begin_of_line:
            self._write(b"\n")

    def close(self) -> None:
        """Print what is left, once the kernel has ended: all of it is there, whoever has its streams and lives on."""
        os.set_blocking(self._pipe, False)
        with contextlib.suppress(BlockingIOError):
            while self.forward():
                pass
        self._erase()
        os.close(self._pipe)

    def _erase(self) -> None:
        if self._is_shown:
            self._write(_ERASE)
            self._is_shown = False

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(_STDERR, data) :]
