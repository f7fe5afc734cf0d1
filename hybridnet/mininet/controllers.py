# SPDX-License-Identifier: MIT
"""Mininet's controllers: the default one, Ryu's, a program that a script names, and one that runs elsewhere.

Each is a front of a controller of `hybridnet.controllers`, which the network starts when it is made.
"""

from __future__ import annotations

import contextlib
import shlex
import socket
import subprocess
import time
from typing import Any

from hybridnet.cluster.here import ADDRESS
from hybridnet.controllers import kinds
from hybridnet.controllers.relay import Relay
from hybridnet.errors import ControllerError
from hybridnet.mininet.log import warn
from hybridnet.mininet.util import quietRun

__all__ = [
    "NOX", "Controller", "DefaultController", "DefaultControllers", "NullController", "OVSController",
    "RemoteController", "Ryu", "findController",
]  # fmt: skip

START_SECONDS = 20.0
USUAL_PORT = 6653
LOOPBACK = ("127.0.0.1", "localhost", "0.0.0.0")
_POLL_S = 0.05


class Controller:
    """The default controller, or the program that `command` names.

    Args:
        name: unique in the network.
        inNamespace: accepted; a controller runs on this computer.
        command: a program that takes ``cargs`` with the port for %d; "controller", Mininet's default, means hybridnet's
            own learning switch under Ryu.
        cargs: the program's arguments.
        cdir: the folder it starts in.
        ip, port: where it listens. protocol: "tcp".
    """

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
        self.name = name
        self.inNamespace = inNamespace
        self.command, self.cargs, self.cdir = command, cargs, cdir
        self.ip, self.port, self.protocol = ip, port, protocol
        self.params = params
        self.waiting = False
        self._behind: kinds.RemoteController | None = None

    def behind(self) -> kinds.RemoteController:
        """The controller of hybridnet that this one is a front of."""
        if self._behind is None:
            self._behind = self._made()
        return self._behind

    def _made(self) -> kinds.RemoteController:
        if self.command == "controller":
            return kinds.Controller(self.name, port=self.port)
        return _Program(self.name, self.command, self.cargs, self.cdir, self.port or USUAL_PORT)

    def start(self) -> None:
        """Nothing: it starts when the network is made."""

    def stop(self, deleteIntfs: bool = False) -> None:
        """Nothing: it stops when the network does."""

    def terminate(self) -> None:
        """Nothing: it stops when the network does."""

    def IP(self, intf: Any = None) -> str:
        """Return where it listens."""
        return self.ip

    def intfList(self) -> list[Any]:
        """It has no interfaces in the network."""
        return []

    def cmd(self, *args: Any, **_: Any) -> str:
        """Run a command on this computer."""
        return quietRun(" ".join(map(str, args)), shell=True)

    def config(self, **_: Any) -> dict[str, Any]:
        """Nothing is to be set."""
        return {}

    @classmethod
    def isAvailable(cls) -> bool:
        """Whether it can be used; it can."""
        return True

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.IP()}:{self.port or USUAL_PORT}> "


class OVSController(Controller):
    """Open vSwitch's test controller in Mininet; here hybridnet's own learning switch."""

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

    def _made(self) -> kinds.RemoteController:
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
    """The first of several classes that can be used."""
    return next((kind for kind in controllers if kind.isAvailable()), None)


def DefaultController(name: str, controllers: Any = DefaultControllers, **kwargs: Any) -> Any:
    """A controller of the first class that can be used."""
    kind = findController(controllers)
    if kind is None:
        raise ControllerError("none of the controllers is available")
    return kind(name, **kwargs)


class _Remote(kinds.RemoteController):
    """Reached where it listens: directly, or through a relay where machines have no way to it."""

    _relay: Relay | None = None

    def begin(self, head_address: str) -> None:
        """Find the way to it; warn if nothing listens, as Mininet does."""
        ports = kinds.OPENFLOW_PORTS if self.port is None else (self.port,)
        if head_address == ADDRESS:  # the switches are on this computer: they reach what it reaches
            self.port = next((port for port in ports if _answers(self.ip, port)), None)
            if self.port is None:
                self.port = ports[0]
                warn(f"Unable to contact the remote controller at {self.ip}:{self.port}\n")
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
        warn(f"Unable to contact the remote controller at {self.ip}:{self.port}\n")
        # For one that comes later, also one of this network's own, which listens at this computer's address only.
        own = [(head_address, self.port)] if here else []
        self._relay = Relay(head_address, *own, (self.ip, self.port))

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
    """A controller that is a program of the script's choice: started with the network, and ended with it."""

    def __init__(self, name: str, command: str, arguments: str, folder: str | None, port: int) -> None:
        super().__init__(name, "127.0.0.1", port)
        filled = arguments % port if "%" in arguments else arguments
        self._argv = [*shlex.split(command), *shlex.split(filled)]
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, head_address: str) -> None:
        """Start it, and wait until it listens. Raises ControllerError if it cannot be started or ends."""
        try:
            self._process = subprocess.Popen(
                self._argv, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as problem:
            raise ControllerError(
                f"controller {self.name}: `{self._argv[0]}` cannot be started: {problem}"
            ) from None
        deadline = time.monotonic() + START_SECONDS
        assert self.port is not None
        while not _answers(self.ip, self.port):
            if self._process.poll() is not None:
                raise ControllerError(
                    f"controller {self.name}: `{shlex.join(self._argv)}` ended with status {self._process.returncode}"
                )
            if time.monotonic() > deadline:
                raise ControllerError(
                    f"controller {self.name}: `{shlex.join(self._argv)}` does not listen on port {self.port} "
                    f"after {START_SECONDS:g} s"
                )
            time.sleep(_POLL_S)
        super().begin(head_address)

    def check(self) -> None:
        """Raise ControllerError if it has died."""
        if self._process is not None and self._process.poll() is not None:
            raise ControllerError(f"controller {self.name} has ended with status {self._process.returncode}")

    def end(self) -> None:
        """Stop it."""
        super().end()
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self._process.kill()
            self._process.wait()
            self._process = None


def _answers(ip: str, port: int) -> bool:
    try:
        socket.create_connection((ip, port), timeout=2).close()
    except OSError:
        return False
    return True
