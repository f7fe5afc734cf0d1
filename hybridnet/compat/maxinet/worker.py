# SPDX-License-Identifier: MIT
"""A worker: one machine of hybridnet, with the methods of MaxiNet's."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any, Protocol

from hybridnet.errors import HybridnetError, UsageError
from hybridnet.machines import cluster as machines

__all__ = ["Worker"]


class Running(Protocol):
    """An experiment that runs, as its workers know it."""

    switch: Any

    @property
    def net(self) -> Any: ...
    def configLinkStatus(self, src: Any, dst: Any, status: str) -> None: ...
    def addHost(
        self, name: str, cls: Any = None, wid: int | None = None, pos: Any = None, **params: Any
    ) -> Any: ...
    def addSwitch(
        self, name: str, cls: Any = None, wid: int | None = None, pos: Any = None, **params: Any
    ) -> Any: ...
    def addLink(
        self,
        node1: Any,
        node2: Any,
        port1: int | None = None,
        port2: int | None = None,
        cls: Any = None,
        **params: Any,
    ) -> Any: ...


class Worker:
    """A machine that emulates a part of the network.

    Args:
        cluster: whose machine it is.
        machine: its name there.
        wid: its number among the workers, from 0.
    """

    def __init__(self, cluster: machines.Cluster, machine: str, wid: int) -> None:
        self._cluster = cluster
        self.machine = machine
        self.wid = wid
        self.experiment: Running | None = None
        self._hostname: str | None = None
        self._daemons: list[int] = []

    def hn(self) -> str:
        """Its host name."""
        if self._hostname is None:
            self._hostname = str(self._cluster.facts(self.machine)["hostname"])
        return self._hostname

    def ip(self, classifier: str | None = None) -> str:
        """Its address toward the other workers, whatever `classifier` says."""
        return self._cluster.address(self.machine)

    # Programs

    def run_cmd(self, cmd: str) -> str:
        """Run a command in a shell on the machine. Returns what it printed, its errors too, without space around it.

        Raises:
            subprocess.CalledProcessError: it failed; `output` is what it printed.
        """
        done = self._cluster.call(self.machine, "exec", argv=f"exec 2>&1\n{cmd}", timeout=None)
        printed = str(done["stdout"].decode(errors="replace"))
        if done["status"]:
            raise subprocess.CalledProcessError(done["status"], cmd, printed)
        return printed.strip()

    def daemonize(self, cmd: str) -> None:
        """Start a command in a shell on the machine; it ends with the cluster at the latest."""
        started = self._cluster.call(
            self.machine, "start_process", node="", command=cmd, discard=["stdout", "stderr"]
        )
        self._daemons.append(started["number"])

    def end_daemons(self) -> None:
        """End what `daemonize` started."""
        for number in self._daemons:
            try:
                self._cluster.call(
                    self.machine, "signal_process", number=number, signal=int(signal.SIGTERM), group=True
                )
            except HybridnetError:
                continue  # it has ended
        self._daemons = []

    def run_script(self, cmd: str) -> str:
        """Refuse: MaxiNet's scripts are about its tunnels, which there are not."""
        raise UsageError(
            f"worker {self.hn()}: MaxiNet's script {cmd.partition(' ')[0]} is not there; run commands with run_cmd"
        )

    def daemonize_script(self, script: str, args: str) -> None:
        """Refuse, as `run_script`."""
        self.run_script(script)

    def run_cmd_on_host(self, host: str, cmd: str) -> str:
        """Run a command in a node. Returns what it printed."""
        return str(self.rpc(host, "cmd", cmd))

    # Files

    def get_file(self, src: str, dst: str) -> None:
        """Copy a file of the machine to a file or folder of this computer. Raises MachineError, OSError."""
        target = Path(dst, os.path.basename(src)) if os.path.isdir(dst) else Path(dst)
        target.write_bytes(self._cluster.call(self.machine, "download", path=src))

    def put_file(self, src: str, dst: str) -> None:
        """Copy a file of this computer to a file or folder of the machine. Raises MachineError, OSError."""
        is_folder = self._cluster.call(self.machine, "exec", argv=["test", "-d", dst])["status"] == 0
        target = os.path.join(dst, os.path.basename(src)) if is_folder else dst
        mode = os.stat(src).st_mode & 0o777
        self._cluster.call(self.machine, "upload", path=target, data=Path(src).read_bytes(), mode=mode)

    def sync_get_file(self, src: str, dst: str) -> None:
        """`get_file`."""
        self.get_file(src, dst)

    def sync_put_file(self, src: str, dst: str) -> None:
        """`put_file`."""
        self.put_file(src, dst)

    # The network

    def node(self, name: str) -> Any:
        """The node of that name, as Mininet's scripts have it."""
        return self._running().net.get(name)

    def rpc(self, host: str, cmd: str, *params1: Any, **params2: Any) -> Any:
        """Call a method of a node."""
        return getattr(self.node(host), cmd)(*params1, **params2)

    def rattr(self, host: str, name: str) -> Any:
        """An attribute of a node."""
        return getattr(self.node(host), name)

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Set the links between two nodes "up" or "down"."""
        self._running().configLinkStatus(src, dst, status)

    def addHost(self, name: str, cls: Any = None, **params: Any) -> str:
        """Add a host to this worker. Returns its name."""
        return str(self._running().addHost(name, cls, wid=self.wid, **params).name)

    def addSwitch(self, name: str, cls: Any = None, **params: Any) -> str:
        """Add a switch to this worker. Returns its name."""
        return str(self._running().addSwitch(name, cls, wid=self.wid, **params).name)

    def addLink(
        self, node1: str, node2: str, port1: Any = None, port2: Any = None, cls: Any = None, **params: Any
    ) -> Any:
        """Add a link. Returns ((node, interface), (node, interface))."""
        link = self._running().addLink(node1, node2, port1, port2, cls, **params)
        return tuple((intf.node.name, intf.name) for intf in (link.intf1, link.intf2))

    def set_switch(self, switch: Any) -> None:
        """Set the class of switches of the experiment that runs."""
        self._running().switch = switch

    def tunnelX11(self, node: str) -> bool:
        """Programs in nodes reach a display as they do in Mininet, or do not; nothing is to be tunnelled."""
        return False

    def _running(self) -> Running:
        if self.experiment is None:
            raise UsageError(f"worker {self.hn()}: no experiment runs on it; call setup() of one first")
        return self.experiment

    def __repr__(self) -> str:
        return f"<Worker {self.machine}>"
