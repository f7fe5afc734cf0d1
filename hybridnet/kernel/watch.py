# SPDX-License-Identifier: MIT
"""Watches a kernel in simulated time from outside, without its knowing: so nothing that happens in it changes.

Its clock is a variable in its memory. A program in it that computes and makes no system call stops that clock: then
the kernel's own thread waits, as it does whenever a program runs, and never gets its turn, while the program's process
uses a processor. Somebody who stops the kernel's process stops that clock, too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import time
from pathlib import Path

__all__ = ["Watch", "symbols"]

CLOCK = "time_travel_time"
LEAST_S = 0.1
"""Between two looks, of which the later one says what happened in between."""
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_ELF_64 = b"\x7fELF\2"
_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2


class Watch:
    """Watches one.

    Args:
        pid: of its process.
        kernel: its file.
    """

    def __init__(self, pid: int, kernel: Path) -> None:
        self._pid = pid
        self._kernel = kernel
        self._clock: int | None = None
        self._seen: tuple[float, int] | None = None  # its clock, and how often its thread had waited
        self._spun_s, self._used_s = 0.0, 0.0
        self._at = time.monotonic()
        self._stopped, self._stopped_turns, self._stopped_at = False, -1, 0.0

    def time_s(self) -> float:
        """Seconds of simulated time since the kernel began; 0 once it has ended."""
        if self._clock is None:
            self._clock = symbols(self._kernel, {CLOCK})[CLOCK]
        try:
            with open(f"/proc/{self._pid}/mem", "rb", buffering=0) as memory:
                return float(int.from_bytes(os.pread(memory.fileno(), 8, self._clock), "little")) / 1e9
        except OSError:
            return 0.0

    def spins_s(self) -> float:
        """For how many seconds of processor time programs have computed without a system call, up to now."""
        now = time.monotonic()
        if now - self._at < LEAST_S:
            return self._spun_s
        self._at = now
        try:
            seen, used_s = (self.time_s(), self._waits()), sum(map(_used_s, self._programs()))
        except (OSError, IndexError, ValueError):  # it ends
            return 0.0
        self._spun_s = self._spun_s + max(0.0, used_s - self._used_s) if seen == self._seen else 0.0
        self._seen, self._used_s = seen, used_s
        return self._spun_s

    def is_stopped(self) -> bool:
        """Whether somebody keeps its process from going on: with SIGSTOP, or with a debugger.

        It is, if it was stopped at the look before, too, and had no turn in between: one that is traced stops at each
        system call. Its programs' processes, which it traces itself, do not count.
        """
        now = time.monotonic()
        if now - self._stopped_at < LEAST_S:
            return self._stopped
        self._stopped_at = now
        try:
            state = self._status("State").split()[0]
            turns = self._waits() + int(self._status("nonvoluntary_ctxt_switches"))
        except (OSError, IndexError):  # it has ended
            return self._stopped
        if state in ("Z", "X"):
            return self._stopped
        self._stopped = state in ("T", "t") and turns == self._stopped_turns
        self._stopped_turns = turns if state in ("T", "t") else -1
        return self._stopped

    def interrupt(self) -> None:
        """Give the kernel its turn, whatever its programs do.

        SIGALRM is the one signal that it takes from a process at any moment: in a program, and in its own code there
        (wait_stub_done in arch/um/os-Linux/skas/process.c).
        """
        for pid in self._programs():
            with contextlib.suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                try:
                    if pid in self._programs():  # else another process may have the number by now
                        signal.pidfd_send_signal(descriptor, signal.SIGALRM)
                finally:
                    os.close(descriptor)

    def _waits(self) -> int:
        return int(self._status("voluntary_ctxt_switches"))

    def _status(self, name: str) -> str:
        """A line of its status (proc_pid_status(5))."""
        return Path(f"/proc/{self._pid}/status").read_text().split(f"\n{name}:")[1].splitlines()[0]

    def _programs(self) -> list[int]:
        """The processes in which the kernel's programs run."""
        try:
            return [
                int(word) for word in Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
            ]
        except FileNotFoundError:
            return []


def _used_s(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS_PER_S


def symbols(file: Path, names: set[str]) -> dict[str, int]:
    """The addresses of symbols of a 64-bit ELF file (System V ABI, chapter 4).

    Raises:
        KeyError: one is not in it.
        ValueError: it is no such file.
    """
    found: dict[str, int] = {}
    with file.open("rb") as elf:
        begin = elf.read(_ELF_HEADER.size)
        if len(begin) < _ELF_HEADER.size or not begin.startswith(_ELF_64):
            raise ValueError(f"{file} is no 64-bit program")
        header = _ELF_HEADER.unpack(begin)
        elf.seek(header[6])
        sections = [_SECTION.unpack(elf.read(header[11])[: _SECTION.size]) for _ in range(header[12])]
        for section in sections:
            if section[1] != _SYMBOL_TABLE:
                continue
            elf.seek(section[4])
            table = elf.read(section[5])
            elf.seek(sections[section[6]][4])
            texts = elf.read(sections[section[6]][5])
            for name_at, *_, address, _ in _SYMBOL.iter_unpack(table):
                name = texts[name_at : texts.index(b"\0", name_at)].decode(errors="replace")
                if name in names:
                    found[name] = address
    return {name: found[name] for name in names}
