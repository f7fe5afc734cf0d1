# SPDX-License-Identifier: MIT
"""Mininet's controllers: the default one, Ryu's, a program that a script names, and one that runs elsewhere.

Each is a front of a controller of `hybridnet.run.controllers`, which the network starts when it is made.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from hybridnet.compat.mininet.controllers.outside_node import OutsideNode
from hybridnet.compat.mininet.lenient_options import tolerate
from hybridnet.compat.mininet.loading.importing import path_without_programs
from hybridnet.compat.mininet.log import warn
from hybridnet.errors import ControllerError
from hybridnet.machines.cluster.here import ADDRESS
from hybridnet.run.controllers import kinds
from hybridnet.run.controllers.relay import Relay
from hybridnet.system.python_command import python_module

__all__ = [
    "NOX", "Controller", "DefaultController", "DefaultControllers", "NullController", "OVSController",
    "RemoteController", "Ryu", "findController",
]  # fmt: skip

START_SECONDS = 20.0
END_SECONDS = 5.0
USUAL_PORT = 6653
LOOPBACK = ("127.0.0.1", "localhost", "0.0.0.0")
LOGS = "/tmp"
"""Where Mininet has the logs of its controllers."""
_POLL_S = 0.05
_NO_SUCH_PROGRAM = (126, 127)  # a shell's


class Controller(OutsideNode):
    """The default controller, or the program that `command` names.

    Args:
        name: unique in the network.
        inNamespace: accepted; a controller runs on this computer.
        command: a program that takes ``cargs`` with the port for %d. Where the default one is not installed,
            hybridnet's own takes its place.
        cargs: the program's arguments. A shell reads both, so that ``DEBUG=1 ./mine.py`` is a command, too.
        cdir: the folder it starts in.
        ip, port: where it listens; default: port 6653, or the next that is free. "10.0.0.1:6633" as `ip` says both.
        protocol: "tcp".

    What it prints is in ``/tmp/NAME.log``. One that ends of itself, or never listens, gets a warning.
    """

    programs: tuple[str, ...] = ("controller",)
    """What it is where `command` is not given: the first of these that is installed."""

    def __init__(
        self,
        name: str,
        inNamespace: bool = False,
        command: str = "controller",
        cargs: str = "-v ptcp:%d",
        cdir: str | None = None,
        ip: str = "127.0.0.1",
        port: int | None = None,
        protocol: str = "tcp",
        **params: Any,
    ) -> None:
        super().__init__(name, **params)
        address, colon, written = ip.partition(":")
        if colon and written.isdecimal():
            ip, port = address, int(written)
        self.inNamespace = inNamespace
        # Words of a command line may have become numbers.
        self.command, self.cargs, self.cdir = str(command), str(cargs), cdir
        self.ip, self.port, self.protocol = ip, port, protocol
        self._behind: kinds.RemoteController | None = None
        self._own: kinds.RemoteController | None = None

    def behind(self) -> kinds.RemoteController:
        """The controller of hybridnet that this one is a front of."""
        if self._behind is None:
            self._behind = self._made()
        return self._behind

    def _made(self) -> kinds.RemoteController:
        if (
            type(self).start is not Controller.start
        ):  # a class of the script's, which starts it in its own way
            return _Remote(self.name, self.ip, self.port or USUAL_PORT, expected=False)
        return self._started_here()

    def fails_at_15(self) -> bool:
        """Whether it is Open vSwitch's test controller, which crashes when a switch speaks OpenFlow 1.5 to it."""
        return Path(self._program() or "").name in OVSController.programs

    def _program(self) -> str | None:
        return self.command if self.command != "controller" else self.installed()

    def _started_here(self) -> kinds.RemoteController:
        program = self._program()
        if program is None:
            return _Own(self.name, self.port or USUAL_PORT)
        port = self.port or USUAL_PORT
        command = f"{program} {self.cargs % port if '%' in self.cargs else self.cargs}"
        if self.cdir is not None:
            command = f"cd {self.cdir}; {command}"  # as Mininet writes it: a shell reads it
        return _Program(self.name, command, port, Path(LOGS, f"{self.name}.log"))

    def choose_port(self, others: Iterable[Controller]) -> None:
        """Take the usual port, or the next that is free here and none of the others', if it has none yet."""
        if self.port is None:
            taken = {each.port for each in others if not isinstance(each, RemoteController)}
            free = (port for port in range(USUAL_PORT, 1 << 16) if port not in taken and _is_free(port))
            self.port = next(free)

    def start(self) -> None:
        """Start it; where no class of the script's overrides this, it has started with the network that has it."""
        overridden = type(self).start is not Controller.start
        if self._own is not None or (self.net is not None and not overridden):
            return
        if self.net is None:  # its script makes nodes without one
            self.choose_port([self])
            atexit.register(self.end)
        self._own = self._started_here() if overridden else self.behind()
        self._own.begin(ADDRESS)
        self._own.ready()

    def end(self) -> None:
        """End what `start` has started, and what its commands have."""
        if self._own is not None:
            self._own.end()
            self._own = None
        self.close_shell()

    def stop(self, deleteIntfs: bool = False) -> None:
        """End it, where it belongs to no network; else it stops when the network does."""
        if self.net is None:
            self.end()

    def checkListening(self) -> None:
        """Nothing is to be checked: it has a port of its own."""

    def IP(self, intf: Any = None) -> str:
        """Return where it listens."""
        return self.ip

    @classmethod
    def isAvailable(cls) -> bool:
        """Whether its program is installed."""
        return cls.installed() is not None

    @classmethod
    def installed(cls) -> str | None:
        """Its program, if that is installed."""
        path = path_without_programs()
        return next((program for program in cls.programs if shutil.which(program, path=path)), None)

    def __repr__(self) -> str:
        started = self._own is not None or (self.net is not None and self.net.live is not None)
        pid = self.pid if started else None
        return f"<{type(self).__name__} {self.name}: {self.IP()}:{self.port or USUAL_PORT} pid={pid}> "


class OVSController(Controller):
    """Open vSwitch's test controller; where that is not installed, hybridnet's own."""

    programs = ("ovs-testcontroller", "ovs-controller", "test-controller")

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **{**params, "command": "controller"})


class Ryu(Controller):
    """Ryu apps: modules or files."""

    def __init__(
        self, name: str, ryuArgs: Any = "ryu.app.simple_switch_13", *more: Any, **params: Any
    ) -> None:
        params.pop("command", None)
        super().__init__(name, **params)
        words = shlex.split(ryuArgs) if isinstance(ryuArgs, str) else [str(word) for word in ryuArgs]
        self.apps = [*words, *(str(app) for app in more)]

    @classmethod
    def isAvailable(cls) -> bool:
        """Whether it can be used; it can."""
        return True

    def _started_here(self) -> kinds.RemoteController:
        return kinds.Ryu(self.name, *self.apps, port=self.port)


class NOX(Controller):
    """NOX, which nobody has any more."""

    def __init__(self, name: str, *noxArgs: Any, **params: Any) -> None:
        raise ControllerError(
            f"controller {name}: NOX is not supported; use Ryu(name, APP) or RemoteController"
        )


class RemoteController(Controller):
    """A controller that somebody else runs; where none answers, the network starts all the same and says so.

    Args:
        name: unique in the network.
        ip: where it listens; also an address that only this computer has.
        port: default: 6653 or 6633, whichever answers.
    """

    def __init__(self, name: str, ip: str = "127.0.0.1", port: int | None = None, **params: Any) -> None:
        params.pop("command", None)
        super().__init__(name, ip=ip, port=port, **params)

    def _made(self) -> kinds.RemoteController:
        return _Remote(self.name, self.ip, self.port)

    @classmethod
    def isAvailable(cls) -> bool:
        """Whether it can be used; it can."""
        return True

    def choose_port(self, others: Iterable[Controller]) -> None:
        """Nothing: it is found where it listens."""

    def isListening(self, ip: str, port: int) -> bool:
        """Whether something listens there."""
        return _answers(ip, port)

    def checkListening(self) -> None:
        """Warn if nothing listens."""
        ports = kinds.OPENFLOW_PORTS if self.port is None else (self.port,)
        if not any(_answers(self.ip, port) for port in ports):
            warn(f"Unable to contact the remote controller at {self.ip}:{ports[0]}\n")


def NullController(*_args: Any, **_kwargs: Any) -> None:
    """No controller."""
    return None


DefaultControllers = (Controller, OVSController)


def findController(controllers: Any = DefaultControllers) -> Any:
    """The first of several classes whose program is installed; None if none is."""
    return next((kind for kind in controllers if kind.isAvailable()), None)


def DefaultController(name: str, controllers: Any = DefaultControllers, **kwargs: Any) -> Any:
    """A controller of the first class whose program is installed; else hybridnet's own."""
    return (findController(controllers) or Controller)(name, **kwargs)


class _Remote(kinds.RemoteController):
    """Reached where it listens: directly, or through a relay where machines have no way to it."""

    at_several_addresses = False
    _relay: Relay | None = None

    def __init__(self, name: str, ip: str, port: int | None, *, expected: bool = True) -> None:
        """`expected`: whether it should listen by now."""
        super().__init__(name, ip, port)
        self._expected = expected

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        """Find the way to it; warn if nothing listens, as Mininet does."""
        ports = kinds.OPENFLOW_PORTS if self.port is None else (self.port,)
        if head_address == ADDRESS:  # the switches are on this computer: they reach what it reaches
            self.port = next((port for port in ports if _answers(self.ip, port)), None)
            if self.port is None:
                self.port = ports[0]
                self._complain()
            return
        here = self.ip in LOOPBACK
        for port in ports:
            if here and _answers(head_address, port):
                self.port = port
                return
        for port in ports:
            if _answers(self.ip, port):
                self._relay = Relay(head_address, (self.ip, port))
                self.port = port
                return
        self.port = ports[0]
        self._complain()
        # For one that comes later, also one of this network's own, which listens at this computer's address only.
        own = [(head_address, self.port)] if here else []
        self._relay = Relay(head_address, *own, (self.ip, self.port))

    def _complain(self) -> None:
        if self._expected:
            warn(f"Unable to contact the remote controller at {self.ip}:{self.port}\n")

    def target(self, head_address: str) -> str:
        """Where switches find it."""
        if self._relay is not None:
            return f"tcp:{head_address}:{self._relay.port}"
        return super().target(head_address)

    def end(self) -> None:
        """It runs on; the relay ends."""
        if self._relay is not None:
            self._relay.close()
            self._relay = None


class _Program(_Remote):
    """A controller that is a program: started with the network, and ended with it.

    Args:
        command: what a shell runs.
        log: the file for what it prints; None: nobody reads that.
    """

    def __init__(self, name: str, command: str, port: int, log: Path | None) -> None:
        super().__init__(name, "127.0.0.1", port)
        self._command = command
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._given_up = False

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        """Start it; wait until it listens where the switches come by a relay. Raises ControllerError."""
        self._given_up = False
        with contextlib.ExitStack() as closing:
            printed: Any = subprocess.DEVNULL
            if self._log is not None:
                try:
                    printed = closing.enter_context(open(self._log, "wb", opener=_without_following))
                except OSError as problem:
                    tolerate(f"controller {self.name}: {self._log}: {problem.strerror}", "it prints nothing")
            self._process = subprocess.Popen(
                ["bash", "-c", self._command], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
                start_new_session=True, env=self.environment,
            )  # fmt: skip
        if head_address != ADDRESS:
            self.ready()
            super().begin(head_address)

    def ready(self) -> None:
        """Wait until it listens. One that has failed, or does not listen in time, is none of the network's affair.

        Raises:
            ControllerError: there is no such program.
        """
        assert self._process is not None
        assert self.port is not None
        deadline = time.monotonic() + START_SECONDS
        while not _answers(self.ip, self.port):
            status = self._process.poll()
            if status in _NO_SUCH_PROGRAM:
                raise ControllerError(
                    f"controller {self.name}: `{self._command}`: there is no such program"
                    + ("" if self._log is None else f"; {self._log} says which")
                )
            if status:  # one that ends well may have left a daemon, which listens soon
                self._complain_of(f"ended with status {status}")
                return
            if time.monotonic() > deadline:
                self._complain_of(f"does not listen on port {self.port} after {START_SECONDS:g} s")
                return
            time.sleep(_POLL_S)

    @property
    def pid(self) -> int | None:
        """Its process, while it is to run. One that has left a daemon behind, or has never listened, is none."""
        if self._process is None or self._given_up or self._process.poll() == 0:
            return None
        return self._process.pid

    def _complain_of(self, what: str) -> None:
        self._given_up = True
        where = "" if self._log is None else f"; {self._log} says why"
        tolerate(f"controller {self.name}: `{self._command}` {what}", f"switches go on without it{where}")

    def end(self) -> None:
        """Stop it, and what it has started."""
        super().end()
        if self._process is not None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(END_SECONDS)
            _await_end_of_group(self._process.pid)
            self._process = None


def _await_end_of_group(group: int) -> None:
    """What was killed holds its port a moment longer than the signal takes; the next network may want it."""
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(_POLL_S)


class _OwnProgram(_Program):
    """hybridnet's own: that it fails is an error."""

    def _complain_of(self, what: str) -> None:
        raise ControllerError(f"controller {self.name}: `{self._command}` {what}")

    @property
    def pid(self) -> int | None:
        """Its process, while it is to run."""
        return None if self._process is None else self._process.pid

    def check(self) -> None:
        """Raise ControllerError if it has died."""
        if self._process is not None and self._process.poll() is not None:
            self._complain_of(f"has ended with status {self._process.returncode}")


class _Own(kinds.RemoteController):
    """What takes the place of the default controller: the program `controller` of this package, which listens at once.
    Where switches have loops or are on other machines, it is hybridnet's default controller, which takes longer.
    """

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name, "127.0.0.1", port)
        words = [*python_module("hybridnet.compat.mininet.controllers.bridging"), f"ptcp:{port}"]
        self._small = _OwnProgram(name, shlex.join(words), port, None)
        self._larger = kinds.Controller(name, port=port)
        self._chosen: kinds.RemoteController = self._small

    def what(self) -> str:
        """What it is, for people."""
        return self._larger.what() if self._chosen is self._larger else "hybridnet's own"

    def suit(self, loop: Sequence[str]) -> str:
        """Be told a loop of the topology. Returns what to tell the user."""
        self._chosen = self._larger if loop else self._small
        return self._larger.suit(loop)

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        """Start it. Raises ControllerError."""
        if head_address != ADDRESS:
            self._chosen = self._larger
        self._chosen.environment = self.environment
        self._chosen.begin(head_address, others)

    def ready(self) -> None:
        """Wait until it listens. Raises ControllerError."""
        self._chosen.ready()

    def settle(self, switches: int, dpids: Collection[str], patience_s: float) -> None:
        """Wait until it is ready for the traffic of so many switches."""
        self._chosen.settle(switches, dpids, patience_s)

    def target(self, head_address: str) -> str:
        """Where switches find it."""
        return self._chosen.target(head_address)

    def check(self) -> None:
        """Raise ControllerError if it has died."""
        self._chosen.check()

    @property
    def pid(self) -> int | None:
        """Its process, while it is to run."""
        return self._chosen.pid

    def end(self) -> None:
        """Stop it."""
        self._chosen.end()


def _is_free(port: int) -> bool:
    """Whether a controller could listen at a port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            return False
    return True


def _without_following(path: str, flags: int) -> int:
    """Open a file at a place where everybody may write."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o644)


def _answers(ip: str, port: int) -> bool:
    try:
        socket.create_connection((ip, port), timeout=2).close()
    except OSError:
        return False
    return True
