# SPDX-License-Identifier: MIT
"""Tells what a run does to its machine itself from what others do to it.

The kernel and Open vSwitch say what changed, and not who changed it. So a change counts as the run's own while one of
its calls, or a program that it started on the machine, goes on, and for a moment after.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["Acts", "note_programs"]

MOMENT_SECONDS = 0.5
_STARTS = frozenset(("subprocess.Popen", "os.system", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec"))
_noting: weakref.WeakSet[Acts] = weakref.WeakSet()
_hooked = False


class Acts:
    """What the run does at the moment. Any thread may call it.

    Args:
        going_on: each says whether a program of the run goes on.
    """

    def __init__(self, *going_on: Callable[[], bool]) -> None:
        self._lock = threading.Lock()
        self._going_on = list(going_on)
        self._now = 0
        self._last_s = -MOMENT_SECONDS

    def add(self, going_on: Callable[[], bool]) -> None:
        """One more that says so."""
        self._going_on.append(going_on)

    @contextlib.contextmanager
    def act(self) -> Iterator[None]:
        """The run does something meanwhile."""
        with self._lock:
            self._now += 1
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1
                self._last_s = time.monotonic()

    def note(self) -> None:
        """The run does something at this moment."""
        self._last_s = time.monotonic()

    def own(self) -> bool:
        """Whether what happens now may be the run's own doing."""
        if self._now or time.monotonic() - self._last_s < MOMENT_SECONDS:
            return True
        return any(each() for each in self._going_on)


def note_programs(acts: Acts) -> None:
    """Note from now on each program that this process starts: where a script and the agent are one process, what the
    script has other programs do is the run's own doing, for as long as one of them lives.
    """
    global _hooked
    _noting.add(acts)
    acts.add(_script_waits)
    if not _hooked:
        sys.addaudithook(_heard)
        _hooked = True


def _script_waits() -> bool:
    """Whether a child of this process is in its own session, where what hybridnet starts is not."""
    own = os.getsid(0)
    for file in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread, or a child, has just ended
            if any(os.getsid(int(pid)) == own for pid in file.read_text().split()):
                return True
    return False


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if event in _STARTS:
        for acts in list(_noting):
            acts.note()
