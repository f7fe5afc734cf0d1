# SPDX-License-Identifier: MIT
"""Mininet's `mininet.examples.cluster`: a network over several servers.

Mininet enters its servers over SSH and joins them by tunnels, node by node. Here they are the machines of a network:
one agent on each, and the simulator for the links between them (see `hybridnet.compat.mininet.machines`). With no
server but this computer, the network is on this computer, as any other.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.compat.mininet.hosts import Host
from hybridnet.compat.mininet.link import Link
from hybridnet.compat.mininet.log import info
from hybridnet.compat.mininet.machines import LOCAL, machines_over
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.switches import OVSSwitch
from hybridnet.errors import UsageError

__all__ = [
    "HostSwitchBinPlacer", "MininetCluster", "Placer", "RandomPlacer", "RemoteGRELink", "RemoteHost", "RemoteLink",
    "RemoteOVSSwitch", "RemoteSSHLink", "RoundRobinPlacer", "SwitchBinPlacer", "findUser",
]  # fmt: skip


def findUser() -> str:
    """Who runs the script: the user that called sudo, if one did."""
    return os.environ.get("SUDO_USER") or os.environ.get("USER") or "root"


class Placer:
    """Says which server a node goes to; classes of a script's own override `place`.

    Args:
        servers: their names.
        nodes, hosts, switches, controllers, links: names of what is to be placed, and pairs of them.
    """

    def __init__(
        self,
        servers: Sequence[str] | None = None,
        nodes: Sequence[str] | None = None,
        hosts: Sequence[str] | None = None,
        switches: Sequence[str] | None = None,
        controllers: Sequence[str] | None = None,
        links: Sequence[tuple[str, str]] | None = None,
    ) -> None:
        self.servers = list(servers or [LOCAL])
        self.nodes, self.links = list(nodes or []), list(links or [])
        self.hosts, self.switches = list(hosts or []), list(switches or [])
        self.controllers = list(controllers or [])

    def place(self, node: str) -> str:
        """The server of a node: the first one."""
        return self.servers[0]


class RandomPlacer(Placer):
    """Any server."""

    def place(self, node: str) -> str:
        """One at random."""
        return random.choice(self.servers)


class RoundRobinPlacer(Placer):
    """Each server in its turn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.next = 0

    def place(self, node: str) -> str:
        """The next one."""
        server = self.servers[self.next % len(self.servers)]
        self.next += 1
        return server


class SwitchBinPlacer(Placer):
    """Switches that follow each other share a server, as many on each; hosts are where their switch is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._server_of = {
            **_in_bins(self.switches, self.servers),
            **_in_bins(self.controllers, self.servers),
        }
        for a, b in self.links:
            for host, switch in ((a, b), (b, a)):
                if host in self.hosts and switch in self.switches:
                    self._server_of.setdefault(host, self._server_of[switch])

    def place(self, node: str) -> str:
        """That of its bin; the first one for a host without a switch."""
        return self._server_of.get(node, self.servers[0])


class HostSwitchBinPlacer(Placer):
    """Switches that follow each other share a server, as many on each, and so do hosts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._server_of = _in_bins(self.switches, self.servers) | _in_bins(self.hosts, self.servers)
        self._server_of |= _in_bins(self.controllers, self.servers)

    def place(self, node: str) -> str:
        """That of its bin."""
        return self._server_of.get(node, self.servers[0])


def _in_bins(names: Sequence[str], servers: Sequence[str]) -> dict[str, str]:
    """Of each name its server: the first ones on the first server, as many on each, or one more on the first.

    Example:
        >>> _in_bins(["s1", "s2", "s3"], ["a", "b"])
        {'s1': 'a', 's2': 'a', 's3': 'b'}
    """
    least, more = divmod(len(names), len(servers))
    sizes = [least + (number < more) for number in range(len(servers))]
    filled = [server for server, size in zip(servers, sizes, strict=True) for _ in range(size)]
    return dict(zip(names, filled, strict=True))


def _without_ssh(params: Mapping[str, object]) -> dict[str, Any]:
    """A node's parameters without those that say how Mininet gets to its server."""
    return {
        name: value for name, value in params.items() if name not in ("serverIP", "controlPath", "splitInit")
    }


class RemoteHost(Host):
    """A host on a server."""

    def __init__(self, name: str, server: str | None = LOCAL, user: str | None = None, **params: Any) -> None:
        super().__init__(name, **_without_ssh(params))
        self.server, self.user = server or LOCAL, user


class RemoteOVSSwitch(OVSSwitch):
    """A switch on a server."""

    def __init__(self, name: str, server: str | None = LOCAL, user: str | None = None, **params: Any) -> None:
        super().__init__(name, **_without_ssh(params))
        self.server, self.user = server or LOCAL, user


class RemoteLink(Link):
    """A link that may lead from one server to another; the simulator then carries it."""


class RemoteSSHLink(RemoteLink):
    """The same: hybridnet needs no tunnel of SSH."""


class RemoteGRELink(RemoteLink):
    """The same: hybridnet needs no tunnel of the kernel."""


class MininetCluster(Mininet):
    """`Mininet` over several servers.

    Args:
        *args, **kwargs: as of `Mininet`.
        servers: computers that ssh reaches, or ``"localhost"`` alone for this one.
        user: whose account there; None: as ssh knows.
        placement: a class of `Placer`; nodes that say ``server=`` themselves go there.
        serverIP, precheck: accepted; hybridnet connects to the servers by their names, and says what fails.

    Raises:
        UsageError: this computer is named beside others.
    """

    def __init__(
        self,
        *args: Any,
        servers: Sequence[str | None] = (LOCAL,),
        user: str | None = None,
        placement: Any = SwitchBinPlacer,
        serverIP: Mapping[str, str] | None = None,
        precheck: bool = True,
        **kwargs: Any,
    ) -> None:
        self.servers = [server or LOCAL for server in servers]
        self.user, self.placement = user, placement
        self.serverIP = {server: (serverIP or {}).get(server, server) for server in self.servers}
        self._machine_of: dict[str, str] = {}
        given = {"host": RemoteHost, "switch": RemoteOVSSwitch, "link": RemoteLink, **kwargs, "build": False}
        super().__init__(*args, **given)
        targets = [f"{user}@{server}" if user and server != LOCAL else server for server in self.servers]
        own = machines_over(targets, self._machine_of)
        self.machines = self.machines if own is None else own
        self._owns_machines = own is not None
        if self.topo is not None and kwargs.get("build", True):
            self.build()

    def placeNodes(self) -> None:
        """Say where each node of the description goes."""
        topo = self.topo
        placer = self.placement(
            servers=self.servers,
            nodes=topo.nodes(),
            hosts=topo.hosts(),
            switches=topo.switches(),
            links=topo.links(),
        )
        for name in topo.nodes():
            told = topo.nodeInfo(name)
            told["server"] = told.get("server") or placer.place(name)
            self._place(name, told["server"])
            info(f"{name}:{told['server']} ")
        info("\n")

    def buildFromTopo(self, topo: Any = None) -> None:
        """Place and add what a description has."""
        self.topo = topo or self.topo
        info("*** Placing nodes\n")
        self.placeNodes()
        super().buildFromTopo(self.topo)

    def _adopt(self, node: Any, among: list[Any]) -> None:
        """Take a node that was made by its class, on the server that it names."""
        if isinstance(node, (RemoteHost, RemoteOVSSwitch)):
            self._place(node.name, node.server)
        super()._adopt(node, among)

    def stop(self) -> None:
        """Stop it, and end its machines."""
        try:
            super().stop()
        finally:
            if self._owns_machines and self.machines is not None:
                self.machines.close()

    def _place(self, name: str, server: str) -> None:
        if server not in self.servers:
            raise UsageError(
                f"node {name}: server {server} is none of the network's, which are {', '.join(self.servers)}; "
                "name it in servers="
            )
        if len(self.servers) > 1 or server != LOCAL:
            self._machine_of[name] = f"m{self.servers.index(server) + 1}"
