# SPDX-License-Identifier: MIT
"""Watches processes that a run needs: whether one ends, and whether one is stopped.

A process that ends makes its pidfd readable. That one is stopped, by SIGSTOP, a debugger or a terminal, says only its
state in /proc, which is looked at ten times a second: a stop of more than a tenth of a second is seen.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hybridnet.system.incidents import Incidents
from hybridnet.system.priority import Priority, raise_thread

__all__ = ["ProcessWatch", "how_ended"]

LOOK_SECONDS = 0.1
STOOD_STILL_SECONDS = 2.0
_STOPPED = {"T": "was stopped (SIGSTOP, or by its terminal)", "t": "was stopped by a debugger"}


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
        own: what this process is called, if it is to notice that it was stopped itself; None: it may have reasons to
            stand still, as a script has that computes something.
    """

    def __init__(self, incidents: Incidents, own: str | None = None) -> None:
        self._incidents, self._own = incidents, own
        self._lock = threading.Lock()
        self._watched: dict[str, _Watched] = {}
        self._poll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll.register(self._wake, select.EPOLLIN)
        self._closed = False
        self._thread: threading.Thread | None = None

    def watch(self, name: str, pid: int, wanted: Callable[[], bool] = lambda: True) -> None:
        """Watch a process from now on, under this name, instead of an earlier one of that name.

        Args:
            wanted: whether it is wanted still when it ends; if not, or if somebody else notes that, its end is no
                incident.
        """
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

    def look(self) -> None:
        """See now whether processes are stopped, for who is about to read the incidents."""
        with self._lock:
            known = dict(self._watched)
        for name, watched in known.items():
            self._look(name, watched)

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
        looked_ns = time.monotonic_ns()
        while not self._closed:
            readable = {descriptor for descriptor, _ in self._poll.poll(LOOK_SECONDS)}
            now_ns = time.monotonic_ns()
            if self._own is not None and now_ns - looked_ns > STOOD_STILL_SECONDS * 1e9:
                self._incidents.begin(self._own, "stood still", looked_ns)
                self._incidents.end(self._own)
            looked_ns = now_ns
            with self._lock:
                known = dict(self._watched)
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
            how = _STOPPED.get(_state(watched.pid), "")
            if how == watched.stopped:
                return
            watched.stopped = how
            if how:
                self._incidents.begin(name, how)
            else:
                self._incidents.end(name)


def how_ended(pidfd: int) -> str:
    """How a process has ended, in words. Who is not its parent cannot know more than that it has."""
    with contextlib.suppress(ChildProcessError):
        # It stays for whoever waits for it.
        if (told := os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is not None:
            if told.si_code == os.CLD_EXITED:
                return f"ended with status {told.si_status}"
            return f"was killed by {signal.Signals(told.si_status).name}"
    return "has ended"


def _state(pid: int) -> str:
    """The letter of a process's state; empty where it has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""
