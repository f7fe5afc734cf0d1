# SPDX-License-Identifier: MIT
"""Watches processes that a run needs: whether one ends, and whether one is stopped.

A process that ends makes its pidfd readable. That one is stopped, by SIGSTOP, a debugger or a terminal, or frozen by a
control group, says only its state in /proc, which is looked at ten times a second: a stop of more than a tenth of a
second is seen.

Who watches may be stopped, too, and then sees nothing. It notices that by its own clock, once it goes on.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hybridnet.system.incidents import Incidents
from hybridnet.system.priority import Priority, raise_thread
from hybridnet.system.process_state import how_stopped

__all__ = ["Part", "ProcessWatch", "how_ended"]

LOOK_SECONDS = 0.1
STOOD_STILL_SECONDS = 2.0
_RAN = 0.1  # of a time in which it stood still: who ran for more of it was not stopped, but computed


class Part(NamedTuple):
    """A process that a run needs.

    Args:
        wanted: whether it is wanted still when it ends; if not, or if somebody else notes that, its end is no incident.
    """

    pid: int
    wanted: Callable[[], bool] = lambda: True


@dataclass
class _Watched:
    """A process, and what was last seen of it."""

    pid: int
    descriptor: int
    wanted: Callable[[], bool]
    stopped: str = ""


class ProcessWatch:
    """Watches until it is closed.

    Args:
        incidents: where it writes what it sees.
        own: what this process is called, if it is to notice that it was stopped itself for `STOOD_STILL_SECONDS`; None:
            another watch in this process does. A script that computes something, so that no thread of it gets its turn,
            has not been stopped.
    """

    def __init__(self, incidents: Incidents, own: str | None = None) -> None:
        self._incidents, self._own = incidents, own
        self._expected: dict[str, int] = {}
        self._lock = threading.Lock()
        self._watched: dict[str, _Watched] = {}
        self._poll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll.register(self._wake, select.EPOLLIN)
        self._closed = False
        self._thread: threading.Thread | None = None

    def expect(self, parts: Mapping[str, Part]) -> None:
        """Watch these from now on, by name, and no others. One that is watched already, or has ended, stays so."""
        for name in self._expected.keys() - parts.keys():
            self.forget(name)
        for name, part in parts.items():
            if self._expected.get(name) != part.pid:
                self.watch(name, *part)
        self._expected = {name: part.pid for name, part in parts.items()}

    def watch(self, name: str, pid: int, wanted: Callable[[], bool] = lambda: True) -> None:
        """Watch a process from now on, under this name, instead of an earlier one of that name: see `Part`."""
        self.forget(name)
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            if wanted():
                self._incidents.begin(name, "has ended")
            return
        with self._lock:
            self._watched[name] = _Watched(pid, descriptor, wanted)
            self._poll.register(descriptor, select.EPOLLIN)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="processes", daemon=True)
                self._thread.start()

    def forget(self, name: str) -> None:
        """Watch it no longer: its end is wanted. Does nothing where it is not watched."""
        with self._lock:
            watched = self._watched.pop(name, None)
            if watched is not None:
                self._poll.unregister(watched.descriptor)
                os.close(watched.descriptor)
                if watched.stopped:
                    self._incidents.end(name)

    def look(self) -> None:
        """See now whether processes have ended or are stopped, for who is about to read the incidents."""
        with self._lock:
            known = dict(self._watched)
            readable = {descriptor for descriptor, _ in self._poll.poll(0)} if known else set()
        self._see(known, readable)

    def close(self) -> None:
        """Watch no longer. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        os.eventfd_write(self._wake, 1)
        if self._thread is not None:
            self._thread.join()
        for name in list(self._watched):
            self.forget(name)
        self._poll.close()
        os.close(self._wake)

    def _run(self) -> None:
        raise_thread(Priority.AGENT)
        looked_ns, ran_ns = time.monotonic_ns(), time.process_time_ns()
        while not self._closed:
            readable = {descriptor for descriptor, _ in self._poll.poll(LOOK_SECONDS)}
            now_ns, now_ran_ns = time.monotonic_ns(), time.process_time_ns()
            stood_ns = now_ns - looked_ns
            if (
                self._own is not None
                and stood_ns > STOOD_STILL_SECONDS * 1e9
                and now_ran_ns - ran_ns < _RAN * stood_ns
            ):
                # Since the last look it ran for as long as it waited for this one, perhaps.
                self._incidents.begin(self._own, "stood still", looked_ns + round(LOOK_SECONDS * 1e9))
                self._incidents.end(self._own)
            looked_ns, ran_ns = now_ns, now_ran_ns
            with self._lock:
                known = dict(self._watched)
            self._see(known, readable)

    def _see(self, known: Mapping[str, _Watched], readable: Container[int]) -> None:
        for name, watched in known.items():
            if watched.descriptor in readable:
                self._see_end(name, watched)
            else:
                self._look(name, watched)

    def _see_end(self, name: str, watched: _Watched) -> None:
        with self._lock:
            if self._watched.get(name) is not watched:
                return
            how = how_ended(watched.descriptor)
        self.forget(name)
        self._incidents.end(name)
        if watched.wanted():
            self._incidents.begin(name, how)

    def _look(self, name: str, watched: _Watched) -> None:
        with self._lock:
            if self._watched.get(name) is not watched:
                return
            how = how_stopped(watched.pid)
            if how == watched.stopped:
                return
            watched.stopped = how
            self._incidents.end(name)
            if how:
                self._incidents.begin(name, how)


def how_ended(pidfd: int) -> str:
    """How a process has ended, in words. Who is not its parent cannot know more than that it has."""
    with contextlib.suppress(ChildProcessError):
        # It stays for whoever waits for it.
        if (told := os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is not None:
            if told.si_code == os.CLD_EXITED:
                return f"ended with status {told.si_status}"
            return f"was killed by {signal.Signals(told.si_status).name}"
    return "has ended"
