# SPDX-License-Identifier: MIT
"""What Mininet's controllers have of its nodes: commands and programs, on this computer itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from hybridnet.agent.programs.shell import Shell
from hybridnet.compat.mininet.hosts import Node, joined
from hybridnet.compat.mininet.link import Intf
from hybridnet.compat.mininet.log import debug, info
from hybridnet.compat.mininet.network import Network, commands_wait
from hybridnet.compat.mininet.util import decode
from hybridnet.errors import UsageError
from hybridnet.run.node.node import command_text, waited_output
from hybridnet.system.ways import Way

__all__ = ["OutsideNode"]


class LinkedNode(Node):
    """What the links of a node outside the network end in: devices of this computer, which have that node's name."""

    def __init__(self, front: str) -> None:
        super().__init__(f"{front}-linked", inNamespace=False)
        self.front = front

    def interface_name(self, number: int) -> str:
        """The name of its interface of that number."""
        return f"{self.front}-eth{number}"


class OutsideNode:
    """A node outside the network: it has a shell on this computer, which keeps its folder and its jobs from one command
    to the next. It has interfaces only where a script links it to a node, and these are devices of this computer.

    Args:
        name: unique in the network.
        **params: kept in `params`.
    """

    def __init__(self, name: str, **params: Any) -> None:
        self.name = name
        self.params = params
        self.net: Network | None = None
        self._linked: LinkedNode | None = None
        self.lastCmd: str | None = None
        self.lastPid: int | None = None
        self.waiting = False
        self.shell = self  # scripts ask it for its pid
        self._shell: Shell | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    # Commands in its shell, one at a time

    def _started_shell(self) -> Shell:
        """Its shell, which starts with the first command."""
        if self._shell is None:
            self._folder = tempfile.TemporaryDirectory(prefix="hybridnet-")
            folder = Path(self._folder.name)
            self._shell = Shell(self.name, Way(), self._environment(), folder, as_mininet=True)
        return self._shell

    def _environment(self) -> dict[str, str]:
        live = None if self.net is None else self.net.live
        return dict(os.environ) if live is None else live.cluster.journal.environment()

    @property
    def pid(self) -> int:
        """The process of its shell."""
        return self._started_shell().process.pid

    def cmd(self, *args: Any, verbose: bool = False, timeout: float | None = None, **_: Any) -> str:
        """Run a command on this computer, and return what it printed."""
        self.lastCmd = command_text(joined(args))
        show = info if verbose else debug
        show(f"*** {self.name} : {args}\n")
        done = self._started_shell().run(self.lastCmd, timeout)
        self.lastPid = done.last_pid
        show(done.text)
        return done.text

    def cmdPrint(self, *args: Any) -> str:
        """`cmd`, printed."""
        return self.cmd(*args, verbose=True)

    def sendCmd(self, *args: Any, **_: Any) -> None:
        """Start a command; `waitOutput` or `monitor` fetch what it prints."""
        self.lastCmd = command_text(joined(args))
        self._started_shell().start(self.lastCmd)
        self.waiting = True

    def monitor(self, timeoutms: float | None = None, findPid: bool = True) -> str:
        """What the command has printed since; wait at most so long for some. `waiting` is False once it has ended."""
        deadline = None if timeoutms is None else time.monotonic() + timeoutms / 1000
        while True:
            left = 1.0 if deadline is None else max(0.0, deadline - time.monotonic())
            said = self._started_shell().read(left)
            if said.done:
                self.waiting, self.lastPid = False, said.last_pid
            if said.done or said.text or not left:
                return said.text

    def waitOutput(self, verbose: bool = False, findPid: bool = True) -> str:
        """Wait for the started command to end, and return what it printed."""
        return waited_output(self, verbose)

    def sendInt(self, intr: str = chr(3)) -> None:
        """Press ^C in its shell."""
        self._started_shell().interrupt()

    def popen(self, *args: Any, **options: Any) -> subprocess.Popen[Any]:
        """Start a program beside the shell: words, one list of them, or one text, for a shell with ``shell=True``."""
        options.pop("mncmd", None)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        options.setdefault("env", self._environment())
        if options.get("shell"):
            return subprocess.Popen(command_text(joined(args)), **options)
        words = args[0] if len(args) == 1 else list(args)
        return subprocess.Popen(words.split() if isinstance(words, str) else [*map(str, words)], **options)

    def pexec(self, *args: Any, **options: Any) -> tuple[str, str, int]:
        """Run a program to its end. Returns (standard output, standard error, exit status)."""
        program = self.popen(*args, **options)
        out, err = program.communicate()
        return decode(out or b""), decode(err or b""), program.wait()

    def close_shell(self) -> None:
        """End its shell, with what runs in the background there."""
        if self._shell is not None:
            self._shell.close()
            self._shell = None
            self.waiting = False
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    # Interfaces

    def end_of_link(self) -> Node:
        """The node that its links end in, made with the first.

        Raises:
            UsageError: the network is on several machines, of which none is this computer.
        """
        if self._linked is None:
            if self.net is not None and not self.net.is_here():
                raise UsageError(
                    f"controller {self.name} is linked to a node: it runs on this computer, and the network on others; "
                    "remove the link, switches reach the controller without it"
                )
            with commands_wait():
                self._linked = LinkedNode(self.name)
            if self.net is not None:
                self.net.adopt_loose(self._linked)
        return self._linked

    @property
    def intfs(self) -> dict[int, Any]:
        """Its interfaces by port number."""
        return {} if self._linked is None else self._linked.intfs

    @property
    def ports(self) -> dict[Any, int]:
        """The port numbers of its interfaces."""
        return {} if self._linked is None else self._linked.ports

    @property
    def nameToIntf(self) -> dict[str, Intf]:
        """Its interfaces by name."""
        return {} if self._linked is None else self._linked.nameToIntf

    def newPort(self) -> int:
        """The next number of a port."""
        return self.end_of_link().newPort()

    def addIntf(self, intf: Any, port: int | None = None, moveIntfFn: Any = None) -> None:
        """Add an interface, which a link makes."""
        self.end_of_link().addIntf(intf, port)

    def intfList(self) -> list[Any]:
        """Its interfaces."""
        return [] if self._linked is None else self._linked.intfList()

    def intfNames(self) -> list[str]:
        """Their names."""
        return [str(intf) for intf in self.intfList()]

    def intf(self, intf: Any = None) -> Any:
        """The interface of that name, or the first; None where it has none."""
        return None if self._linked is None else self._linked.intf(intf)

    def defaultIntf(self) -> Any:
        """The first interface; None where it has none."""
        return None if self._linked is None else self._linked.defaultIntf()

    def connectionsTo(self, node: Any) -> list[Any]:
        """Pairs of interfaces, of this node and of the other."""
        return [] if self._linked is None else self._linked.connectionsTo(node.end_of_link())

    def MAC(self, intf: Any = None) -> str | None:
        """The MAC address of an interface, or of the first; None where it has none."""
        return None if self._linked is None else self._linked.MAC(intf)

    def setIP(self, ip: str, prefixLen: int = 8, intf: Any = None) -> None:
        """Give an interface, or the first, an address. Nothing where it has none."""
        if self._linked is not None:
            self._linked.setIP(ip, prefixLen, intf)

    def setMAC(self, mac: str, intf: Any = None) -> None:
        """Give an interface, or the first, a MAC address. Nothing where it has none."""
        if self._linked is not None:
            self._linked.setMAC(mac, intf)

    def setHostRoute(self, ip: str, intf: Any) -> None:
        """Have this computer reach an address by an interface. Nothing where it has none."""
        if self._linked is not None:
            self._linked.setHostRoute(ip, intf)

    # Configuring and ending

    def config(self, **_: Any) -> dict[str, object]:
        """Nothing is to be set."""
        return {}

    def configDefault(self, **moreParams: Any) -> None:
        """`config` with its own parameters, and more."""
        self.config(**{**self.params, **moreParams})

    def terminate(self) -> None:
        """Nothing: it stops when the network does."""

    def deleteIntfs(self, checkName: bool = True) -> None:
        """It has none."""

    def cleanup(self) -> None:
        """Nothing: it ends with the network."""

    @classmethod
    def setup(cls) -> None:
        """Nothing is needed."""

    def __str__(self) -> str:
        return self.name
