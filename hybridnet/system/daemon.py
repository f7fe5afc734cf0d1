# SPDX-License-Identifier: MIT
"""A daemon on which others rely: whether it lives, how it has ended, and whether it does its work.

    daemon = Daemon("ovsdb-server", pid, logs=[log], control=socket)
    vigil = Vigil([daemon])
    while not done(0.25):
        vigil.look()                # raises once it has ended, is stopped, or has been silent for too long

Whoever waits for what a daemon does, waits for its end as well. The end is seen at the next look. Silence takes longer
to tell from work, because ovs-vswitchd answers nobody while it opens ports: 75 MB each with AF_XDP, 50 in a turn of its
main loop. So a daemon is given up after

* `STOPPED_S` when it is stopped (SIGSTOP, a debugger, a control group): that is certain, and lets a short stop pass;
* `IDLE_S` when it does not answer and its main thread sleeps: it waits for something that does not come;
* `STUCK_S` when it does not answer, and is busy, but neither its files nor its memory change: it turns in circles.

Silence is counted in looks, not by the clock: who was stopped himself has not heard a minute of silence.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hybridnet.errors import MachineError
from hybridnet.system.journal import start_time
from hybridnet.system.process_state import how_stopped, state_of

__all__ = ["IDLE_S", "LOOK_S", "STOPPED_S", "STUCK_S", "Daemon", "Vigil", "how_ended"]

LOOK_S = 0.1
"""How often whoever waits looks at what he relies upon."""

STOPPED_S = 3.0
IDLE_S = 5.0
STUCK_S = 30.0
_LONGEST_TURN_S = 4 * LOOK_S
_WORDS_LIMIT = 800  # bytes of each log that an error quotes
_EVERYDAY = re.compile(r"\|(INFO|DBG)\|")  # lines of Open vSwitch that say nothing of an end
_ENDING_S = 1.0  # from closing its files to its end


class Daemon:
    """One process, which may be a child of this one or not.

    Args:
        name: as errors call it.
        pid: its process.
        logs: files whose ends an error quotes.
        control: the socket at which it takes commands of ovs-appctl(8), if it does.
        status: how it has ended, where it is a child: `subprocess.Popen.poll`.
    """

    def __init__(
        self,
        name: str,
        pid: int,
        logs: Sequence[Path] = (),
        control: Path | None = None,
        status: Callable[[], int | None] | None = None,
    ) -> None:
        self.name, self.pid, self.control = name, pid, control
        self._logs, self._status = list(logs), status
        self._born = start_time(pid)

    @property
    def alive(self) -> bool:
        """Whether it has not ended; one that is stopped has not."""
        if self._status is not None:
            return self._status() is None
        return self._born is not None and start_time(self.pid) == self._born and self.state != "Z"

    @property
    def state(self) -> str:
        """What the kernel says of its main thread, in a letter: proc_pid_stat(5). "" once it has ended."""
        return state_of(self.pid)

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped it: by SIGSTOP, as a debugger does, or by freezing its control group."""
        return bool(how_stopped(self.pid))

    def ended(self) -> str:
        """How it ended, with the end of its log; "" while it lives."""
        if self.alive:
            return ""
        status = None if self._status is None else self._status()
        how = "has ended" if status is None else how_ended(status)
        words = self.words()
        return f"{self.name} {how}" + (f"; the end of its log: {words}" if words else "")

    @property
    def ending(self) -> bool:
        """Whether it has closed its control socket, as it does last, but not ended yet."""
        if self.control is None or not self.alive:
            return False
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)
            try:
                probe.connect(str(self.control))
            except (ConnectionRefusedError, FileNotFoundError):
                return True
            except OSError:
                pass
        return False

    def words(self) -> str:
        """The end of what it has logged, without what is everyday."""
        lines: list[str] = []
        for log in self._logs:
            with contextlib.suppress(OSError), log.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _WORDS_LIMIT))
                lines += file.read().decode(errors="replace").splitlines()
        return " / ".join(line.strip() for line in lines if line.strip() and not _EVERYDAY.search(line))


class Vigil:
    """Looks at daemons for somebody who waits.

    Args:
        daemons: on which he relies.
        ask: whether those with a control socket are asked if they answer; if not, only ends and stops are seen.
        ends: whether an end is an error here; False: the waiting sees it itself, and knows more of it.
    """

    def __init__(self, daemons: Iterable[Daemon], *, ask: bool = True, ends: bool = True) -> None:
        self._ask, self._ends = ask, ends
        self._watches: list[_Watch] = []
        self._looked = time.monotonic()
        for daemon in daemons:
            self.add(daemon)

    def add(self, daemon: Daemon) -> None:
        """Look at this one as well."""
        self._watches.append(_Watch(daemon, ask=self._ask, ends=self._ends))

    def look(self) -> None:
        """Look at each.

        Raises:
            MachineError: one has ended, or is given up; the message names it.
        """
        now = time.monotonic()
        passed_s, self._looked = min(now - self._looked, _LONGEST_TURN_S), now
        for watch in self._watches:
            watch.look(passed_s)

    def blame(self) -> None:
        """What relied on them has failed: look if it is an end that has just begun.

        Raises:
            MachineError: one has ended; the message names it.
        """
        for watch in self._watches:
            deadline = time.monotonic() + _ENDING_S
            while watch.daemon.ending and time.monotonic() < deadline:
                time.sleep(0.01)
            if how := watch.daemon.ended():
                raise MachineError(how)

    def close(self) -> None:
        """Ask no more."""
        for watch in self._watches:
            watch.close()


class _Watch:
    def __init__(self, daemon: Daemon, *, ask: bool, ends: bool) -> None:
        self.daemon, self._ends = daemon, ends
        self._echo = _Echo(daemon.control) if ask and daemon.control is not None else None
        self._stopped_s = self._idle_s = self._stuck_s = 0.0
        self._seen: tuple[int, ...] = ()

    def look(self, passed_s: float) -> None:
        daemon = self.daemon
        if self._ends and (how := daemon.ended()):
            raise MachineError(how)
        state = daemon.state
        self._stopped_s = self._stopped_s + passed_s if daemon.stopped else 0.0
        if self._stopped_s >= STOPPED_S:
            raise MachineError(
                f"{daemon.name} (process {daemon.pid}) is stopped, by a signal, a debugger or its control group, and "
                "does nothing"
            )
        if self._echo is None or self._echo.answers():
            self._idle_s = self._stuck_s = 0.0
            return
        self._idle_s = self._idle_s + passed_s if state == "S" else 0.0
        work = (_files(daemon.pid), _memory(daemon.pid)) if state else ()
        self._stuck_s = self._stuck_s + passed_s if work == self._seen else 0.0
        self._seen = work
        for silent_s, limit_s, what in (
            (self._idle_s, IDLE_S, "and does nothing"),
            (self._stuck_s, STUCK_S, "and turns in circles"),
        ):
            if silent_s >= limit_s:
                raise MachineError(
                    f"{daemon.name} (process {daemon.pid}) has not answered for {silent_s:.0f} s {what}; "
                    f"the end of its log: {daemon.words() or 'nothing'}"
                )

    def close(self) -> None:
        if self._echo is not None:
            self._echo.close()


class _Echo:
    """Asks a daemon for its version, over and over, without waiting: one question is under way at a time."""

    _QUESTION = json.dumps({"id": 0, "method": "version", "params": []}).encode()

    def __init__(self, control: Path) -> None:
        self._control = control
        self._socket: socket.socket | None = None
        self._rests_until = 0.0

    def answers(self) -> bool:
        """Whether it has answered since the last look, or nothing is asked at the moment."""
        if self._socket is None:
            return time.monotonic() < self._rests_until or self._ask()
        try:
            self._socket.recv(1 << 12, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            pass
        self.close()
        self._rests_until = time.monotonic() + 1.0
        return True

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _ask(self) -> bool:
        """Ask. Returns whether there was nobody who could be asked: its end is seen elsewhere."""
        asking = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        asking.setblocking(False)
        try:
            asking.connect(str(self._control))
            asking.sendall(self._QUESTION)
        except BlockingIOError:  # its queue is full: it takes no connections
            asking.close()
            return False
        except OSError:  # it does not listen yet, or not any more
            asking.close()
            return True
        self._socket = asking
        return True


def how_ended(status: int) -> str:
    """How a process ended, by its exit status as `subprocess` has it.

    Example:
        >>> how_ended(-9), how_ended(1)
        ('was killed by signal 9', 'ended with status 1')
    """
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"


def _files(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def _memory(pid: int) -> int:
    """Resident pages."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
