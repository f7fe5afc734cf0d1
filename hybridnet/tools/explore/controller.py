# SPDX-License-Identifier: MIT
"""The application under its framework, in a process of its own whose clock and switches this program holds.

See `controllers/ryu_stepped.py` for the other side.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from hybridnet.errors import ControllerError, MachineError
from hybridnet.run.controllers.frameworks import RYU, Framework, python_of
from hybridnet.run.controllers.process import CONTROLLERS, cure_of, exception_in, find_app

__all__ = ["ControllerFactory", "SteppedController"]

LAUNCHER = CONTROLLERS / "ryu_stepped.py"
PATIENCE_S = 60.0
"""For one step of a controller: of processor time, because a busy computer is no mistake of an application; or of time
in which it sleeps and takes none.
"""
_CPUCLOCK_SCHED = 2  # of linux/posix-timers.h: of a process, its clock's number is ~pid << 3 | this
_MOST_BYTES = 4096
_PAGE = os.sysconf("SC_PAGE_SIZE")
_READ = 1 << 16
_MOST_AT_ONCE = 1 << 22  # bytes; who has more to say at one instant may have no end
_QUOTED_LINES = 15


class SteppedController:
    """One controller, which knows nothing yet. Made by `ControllerFactory.make`."""

    def __init__(self, control: socket.socket, log: IO[bytes], name: str, framework: Framework) -> None:
        self._control = control
        self._log = log
        self._name = name
        self._framework = framework
        self._connections: dict[int, socket.socket] = {}
        self._last = 0
        self.pid = 0
        """0: it has not begun, or has ended; then its number may be another process's."""
        self.wake_ns: int | None = None
        """When it does something of its own accord next; None: never."""
        self.closed: list[int] = []
        """Connections that it has ended in the last step; `close` them."""
        self._full = False  # a connection holds no more of what it has to say

    def connect(self, what: str = "switch") -> int:
        """Make a connection. Returns its number.

        Args:
            what: whose it is: ``switch``, or ``rest`` for somebody who asks the application's REST interface.
        """
        self._last += 1
        ours, theirs = socket.socketpair()
        # One that has ended meanwhile says so at the next step.
        with theirs, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            socket.send_fds(self._control, [b"%s %d" % (what.encode(), self._last)], [theirs.fileno()])
        ours.setblocking(False)
        self._connections[self._last] = ours
        return self._last

    def close(self, connection: int) -> None:
        """End a connection: the controller notices at the next step."""
        self._connections.pop(connection).close()

    def give(self, connection: int, data: bytes) -> None:
        """Let a switch say something; the controller hears it at the next step.

        Raises:
            ControllerError: that is more than the connection holds until then, some 200 kB.
        """
        ours = self._connections[connection]
        sent = 0
        try:
            sent = ours.send(data)
        except (BrokenPipeError, ConnectionResetError):  # the controller has closed it
            return
        except BlockingIOError:
            pass
        if sent < len(data):
            raise ControllerError(
                f"{self._name}: a switch says {len(data)} bytes at one instant, and the connection holds {sent}; "
                "try it with fewer flows and hosts"
            )

    def step(self, now_ns: int) -> dict[int, bytes]:
        """Let it do all that is to be done at an instant. Returns what it said to its switches, by connection.

        Raises:
            ControllerError: it ended, or does not come to rest.
        """
        said: dict[int, bytes] = {}
        more = True
        while (
            more
        ):  # a connection holds some 280 messages, and an application may have more to say at one instant
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._control.send(b"step %d" % now_ns)
            self.await_rest()
            more = self._read(said) and self._full and sum(map(len, said.values())) < _MOST_AT_ONCE
        return said

    def _read(self, said: dict[int, bytes]) -> bool:
        """Add what connections have, and see which it has ended. Returns whether they had anything."""
        some = False
        self.closed = []
        for number, ours in self._connections.items():
            data = b""
            try:
                while part := ours.recv(_READ):
                    data += part
                self.closed.append(number)
            except BlockingIOError:
                pass
            except ConnectionResetError:  # it has not read all that it was given
                self.closed.append(number)
            if data:
                some = True
                said[number] = said.get(number, b"") + data
        return some

    def await_rest(self) -> None:
        """Wait until it stands still.

        Raises:
            ControllerError: it ended, or does not come to rest.
        """
        self._control.settimeout(PATIENCE_S)
        begun = last = _processor_time(self.pid)
        while True:
            try:
                words = self._control.recv(_MOST_BYTES).split()
                break
            except ConnectionResetError:
                words = []
                break
            except TimeoutError:
                now = _processor_time(self.pid)
                waits = now == last and _sleeps(self.pid)  # else it has had no turn on a busy computer
                if waits or now - begun >= PATIENCE_S:
                    what = "waits" if waits else "is busy"
                    raise ControllerError(
                        f"{self._name} does not come to rest: it {what} for {PATIENCE_S:g} s at one instant of "
                        f"simulated time; its last lines:\n{self._last_lines()}"
                    ) from None
                last = now
        if len(words) != 2:
            self.pid = 0
            lines = self._last_lines()
            raised = exception_in(self.log())
            why = f": {raised}{cure_of(raised, self._framework)}" if raised else f"; its last lines:\n{lines}"
            raise ControllerError(f"{self._name} ended{why}")
        self._full = words[0] == b"full"
        wake_ns = int(words[1])
        self.wake_ns = None if wake_ns < 0 else wake_ns

    def log(self) -> str:
        """All that it has printed."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def memory(self) -> int:
        """The bytes of memory that are its own and no file's; of one that has ended: 0."""
        try:
            _, resident, of_files, *_ = Path(f"/proc/{self.pid}/statm").read_text().split()
        except OSError:
            return 0
        return (int(resident) - int(of_files)) * _PAGE

    def end(self) -> None:
        """End it."""
        for ours in self._connections.values():
            ours.close()
        self._connections.clear()
        self._control.close()
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self._log.close()

    def _last_lines(self) -> str:
        return "\n".join(self.log().splitlines()[-_QUOTED_LINES:])


class ControllerFactory:
    """Loads a framework once, and makes a fresh controller of it for each trial. A context manager.

    Args:
        apps: as for `hybridnet.Ryu`.
        framework: what they run under.
        arguments: the framework's own options.
        settings: environment variables that the apps read.
    """

    def __init__(
        self,
        apps: Sequence[str | Path],
        framework: Framework = RYU,
        arguments: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._apps = [find_app(app) for app in apps]
        self._arguments = list(arguments)
        self._framework = framework
        self.name = f"controller {', '.join(Path(app).name for app in self._apps)}"
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours = ours
        with theirs:
            clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            self._process = subprocess.Popen(
                [str(python_of(framework)), str(LAUNCHER), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={
                    **clean,
                    **(settings or {}),
                    "OSKEN_HUB_TYPE": "eventlet",
                    "PYTHONHASHSEED": "0",
                    "PYTHONUNBUFFERED": "1",
                },
            )
        if not self._receive():  # however long a busy computer takes
            said = self._last_words()
            self.close()
            raise ControllerError(f"{self.name}: {framework.title} cannot be loaded; its last lines:\n{said}")

    def __enter__(self) -> ControllerFactory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def make(
        self, seed: int | str, settings: Mapping[str, str] | None = None, now_ns: int = 0
    ) -> SteppedController:
        """Start a controller that knows nothing, whose random numbers have this seed.

        Args:
            settings: environment variables that this one reads, beside those of the factory.
            now_ns: the instant at which it starts.

        Raises:
            ControllerError: an app cannot be loaded; the message quotes its last lines.
            MachineError: the computer does not let another process run.
        """
        log = tempfile.TemporaryFile()  # noqa: SIM115 (the controller closes it)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        controller = SteppedController(ours, log, self.name, self._framework)
        try:
            with theirs:
                request = {
                    "seed": seed,
                    "apps": self._apps,
                    "arguments": self._arguments,
                    "settings": dict(settings or {}),
                    "now_ns": now_ns,
                }
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    fds = [theirs.fileno(), log.fileno()]
                    socket.send_fds(self._ours, [json.dumps(request).encode()], fds)
            controller.pid = int(self._receive() or 0)
            if not controller.pid:
                why = self._last_words().rpartition("\n")[2] or "it was killed"
                raise MachineError(
                    f"{self.name}: the process that has {self._framework.title} has ended, and makes no more "
                    f"controllers: {why}; see that there is memory, and that more processes may run (ulimit -u)"
                )
            controller.await_rest()
        except BaseException:
            controller.end()
            raise
        return controller

    def close(self) -> None:
        """End the process that has the framework. Idempotent."""
        self._ours.close()
        if self._process.poll() is None:
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _last_words(self) -> str:
        """What the process that has the framework printed before it ended."""
        assert self._process.stderr is not None
        return self._process.stderr.read().decode(errors="replace").strip()

    def _receive(self) -> bytes:
        with contextlib.suppress(ConnectionResetError):
            return self._ours.recv(_MOST_BYTES)
        return b""


def _sleeps(pid: int) -> bool:
    """Whether a process waits for something that is no disk (proc(5)); one that has ended does."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"
    except OSError:
        return True


def _processor_time(pid: int) -> float:
    """The seconds that a process has computed; of one that has ended: 0."""
    try:
        return time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)
    except OSError:
        return 0.0
