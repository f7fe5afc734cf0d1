# SPDX-License-Identifier: MIT
"""What `Mininet` knows before anything is made: its nodes, links and controllers, as a script adds them."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

from hybridnet.compat.mininet.constructing import commands_wait
from hybridnet.compat.mininet.controllers.kinds import Controller, DefaultController
from hybridnet.compat.mininet.hosts import Host, Node
from hybridnet.compat.mininet.lenient_options import tolerate, truth
from hybridnet.compat.mininet.link import Intf, Link
from hybridnet.compat.mininet.loading.script_devices import Mentions
from hybridnet.compat.mininet.machines import machines_of_the_run
from hybridnet.compat.mininet.switches import OVSKernelSwitch, Switch
from hybridnet.compat.mininet.util import ipAdd, macColonHex, netParse, numCores
from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.run.net import Net

__all__ = ["Described"]


class Described:
    """The describing half of `hybridnet.compat.mininet.net.Mininet`, whose arguments these are."""

    inited = True  # as `init` does nothing

    def __init__(
        self,
        topo: Any = None,
        switch: Callable[..., Any] = OVSKernelSwitch,
        host: Callable[..., Any] = Host,
        controller: Any = DefaultController,
        link: Callable[..., Any] = Link,
        intf: type[Intf] = Intf,
        build: bool = True,
        xterms: bool = False,
        cleanup: bool = False,
        ipBase: str = "10.0.0.0/8",
        inNamespace: bool = False,
        autoSetMacs: bool = False,
        autoStaticArp: bool = False,
        autoPinCpus: bool = False,
        listenPort: int | None = None,
        waitConnected: bool | float = False,
    ) -> None:
        self.inNamespace = inNamespace
        if inNamespace and not self._has_control_network():
            tolerate("Mininet(inNamespace=)", "it has no effect")
        self.topo = topo
        self.switch, self.host, self.controller, self.link, self.intf = switch, host, controller, link, intf
        self.ipBase = ipBase
        try:
            self.ipBaseNum, self.prefixLen = netParse(ipBase)
        except (ValueError, AttributeError):
            raise UsageError(
                f"ipBase {shown(ipBase)} is not an IPv4 network; write one like 10.0.0.0/8"
            ) from None
        self.nextIP = 1
        self.autoPinCpus, self.numCores, self.nextCore = autoPinCpus, numCores(), 0
        self.autoSetMacs, self.autoStaticArp, self.waitConn = autoSetMacs, truth(autoStaticArp), waitConnected
        self.xterms, self.listenPort = xterms, listenPort
        self.hosts: list[Any] = []
        self.loose: list[Any] = []  # nodes that the script made without the network, and linked to it
        self.switches: list[Any] = []
        self.controllers: list[Controller] = []
        self.came_later: list[Any] = []  # what is behind those that were added to a network that was made
        self.links: list[Link] = []
        self.terms: list[Any] = []
        self.nameToNode: dict[str, Any] = {}
        self.is_of_loose_nodes = False
        self.built = False
        self.awaits_build = False  # made by a command before `build`, which configures the hosts
        self.live: Net | None = None
        self.machines = machines_of_the_run()
        self.in_kernel = (
            False  # whether its switches forward in the kernel of this computer: known when it is made
        )
        self.mentions = Mentions("")  # of devices, by the script: known when it is made
        self._making = False
        self._one_makes = threading.RLock()  # a script's threads may all have commands for nodes
        if topo is not None and build:
            self.build()

    # Describing

    def addHost(self, name: str, cls: Callable[..., Any] | None = None, **params: Any) -> Any:
        """Add a host of class `cls`, at once if the network is made. Its address is the next one unless `ip` says
        another.
        """
        defaults: dict[str, Any] = {
            "ip": f"{ipAdd(self.nextIP, self.prefixLen, self.ipBaseNum)}/{self.prefixLen}"
        }
        if self.autoSetMacs:
            defaults["mac"] = macColonHex(self.nextIP)
        if self.autoPinCpus:
            defaults["cores"] = self.nextCore
            self.nextCore = (self.nextCore + 1) % self.numCores
        self.nextIP += 1
        with commands_wait():
            host = (cls or self.host)(name, **{**defaults, **params})
        if isinstance(host, Controller):
            kind = type(host).__name__
            raise UsageError(
                f"addHost({name!r}, cls={kind}): {kind} is a controller, and here controllers run on this computer, "
                f"not in hosts; write addController({name!r}, {kind}), or start the program in a host by its cmd()"
            )
        self.adopt(host, self.switches if isinstance(host, Switch) else self.hosts)
        return host

    def addSwitch(self, name: str, cls: Callable[..., Any] | None = None, **params: Any) -> Any:
        """Add a switch of class `cls`; a network that is made has it at once."""
        defaults: dict[str, Any] = {"inNamespace": False}
        if self.listenPort:
            defaults["listenPort"] = self.listenPort
        with commands_wait():
            switch = (cls or self.switch)(name, **{**defaults, **params})
        self.adopt(switch, self.switches)
        if self.listenPort:
            self.listenPort += 1
        return switch

    def addController(self, name: Any = "c0", controller: Any = None, **params: Any) -> Any:
        """Add a controller: an object, or a class and its parameters. Returns it; None if the class gives none. In a
        network that is made it starts at once, and a switch obeys it once its `start` says so.
        """
        if isinstance(name, Controller):
            made: Any = name
        elif isinstance(controller, Controller):
            made = controller
        else:
            made = (controller or self.controller or DefaultController)(name, **params)
        if made is not None:
            self.adopt_controller(made)
        return made

    def adopt_controller(self, controller: Controller) -> None:
        """Take a controller that was made by its class."""
        controller.net = self  # type: ignore[assignment]
        self.controllers.append(controller)
        self.nameToNode[controller.name] = controller

    def delController(self, controller: Any) -> None:
        """Forget a controller."""
        gone = self[controller] if isinstance(controller, str) else controller
        self.controllers.remove(gone)
        del self.nameToNode[gone.name]

    def addLink(
        self,
        node1: Any,
        node2: Any,
        port1: int | None = None,
        port2: int | None = None,
        cls: Callable[..., Any] | None = None,
        **params: Any,
    ) -> Any:
        """Add a link of class `cls` between two nodes (or their names). Returns it. In a network that is made, both
        interfaces are there at once, and configured.
        """
        from hybridnet.compat.mininet.net import take_over

        ends = [self[node] if isinstance(node, str) else node for node in (node1, node2)]
        for end in ends:
            take_over(self, end.end_of_link())
        own = {} if self.intf is Intf else {"intf": self.intf}
        options = {"port1": port1, "port2": port2, **own, **params}
        return (cls or self.link)(
            *ends, **{name: value for name, value in options.items() if value is not None}
        )

    def addNAT(
        self, name: str = "nat0", connect: Any = True, inNamespace: bool = False, **params: Any
    ) -> Any:
        """Add a node through which the hosts reach the outside: their default routes lead to it. Returns it.

        Args:
            name, **params: as of `NAT`.
            connect: the node that it is linked to; True: the first switch; False: none, and routes stay.
            inNamespace: whether it has a namespace of its own, and reaches only what its links lead to.
        """
        from hybridnet.compat.mininet.nodelib import NAT

        params.setdefault("subnet", self.ipBase)
        nat = self.addHost(name, cls=NAT, inNamespace=inNamespace, **params)
        if connect:
            self.addLink(nat, connect if isinstance(connect, Node) else self.switches[0])
            address = nat.params["ip"].split("/")[0]
            for host in self.hosts:
                if host.inNamespace:
                    host.setDefaultRoute(f"via {address}")
        return nat

    def adopt(self, node: Any, among: list[Any]) -> None:
        """Take a node that was made by its class, among the hosts or the switches."""
        if node.name in self.nameToNode:
            raise UsageError(f"node {node.name}: the name is taken; choose another")
        node.net = self
        self.nameToNode[node.name] = node
        among.append(node)

    def adopt_loose(self, node: Any) -> None:
        """Take a node that was made without a network: it is built with this one, and not among its hosts."""
        if node.name in {known.name for known in (*self.hosts, *self.switches, *self.loose)}:
            raise UsageError(f"node {node.name}: the name is taken; choose another")
        node.net = self
        self.loose.append(node)

    def joined(self, link: Link) -> None:
        """Take a link that was made by its class."""
        self.links.append(link)

    def is_here(self) -> bool:
        """Whether the network is on this computer itself."""
        return self.machines is None

    @classmethod
    def init(cls) -> None:
        """Nothing is needed: a network sets its limits when it is made."""

    def buildFromTopo(self, topo: Any = None) -> None:
        """Add what a description has: controllers, hosts, switches, links."""
        topo = topo or self.topo
        self._add_default_controllers()
        for name in topo.hosts():
            self.addHost(name, **_options(topo.nodeInfo(name)))
        for name in topo.switches():
            self.addSwitch(name, **_options(topo.nodeInfo(name)))
        for _, _, info_of in topo.links(sort=True, withInfo=True):
            self.addLink(**info_of)

    def build(self) -> None:
        """Add what `topo` describes. A second call does nothing."""
        if self.built:
            return
        self.built = True
        if self.topo is not None:
            self.buildFromTopo(self.topo)
        if self.inNamespace and self._has_control_network():
            self.configureControlNetwork()
        for host in self.hosts:
            told, first = host.params.get("ip"), host.defaultIntf()
            if isinstance(told, str) and isinstance(first, Intf):
                first.foretell(told)

    def configureControlNetwork(self) -> None:
        """A class of a script's own says here how its controllers reach its switches."""

    def _has_control_network(self) -> bool:
        return type(self).configureControlNetwork is not Described.configureControlNetwork

    def _add_default_controllers(self) -> None:
        if self.controllers or not self.controller:
            return
        kinds = self.controller if isinstance(self.controller, (list, tuple)) else [self.controller]
        for number, kind in enumerate(kinds):
            if isinstance(kind, Controller):
                self.addController(kind)
            else:
                self.addController(f"c{number}", kind)

    # Looking

    def getNodeByName(self, *args: str) -> Any:
        """The node of that name, or a list for several. Raises KeyError for an unknown one."""
        return self.nameToNode[args[0]] if len(args) == 1 else [self.nameToNode[name] for name in args]

    get = getNodeByName

    def __getitem__(self, key: str) -> Any:
        return self.getNodeByName(key)

    def __iter__(self) -> Iterator[str]:
        for node in (*self.hosts, *self.switches, *self.controllers):
            yield node.name

    def __len__(self) -> int:
        return len(self.hosts) + len(self.switches) + len(self.controllers)

    def __contains__(self, item: str) -> bool:
        return item in self.nameToNode

    def keys(self) -> list[str]:
        """The names of all nodes."""
        return list(self)

    def values(self) -> list[Any]:
        """All nodes."""
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Any]]:
        """Names with their nodes."""
        return [(name, self[name]) for name in self]

    def linksBetween(self, node1: Any, node2: Any) -> list[Link]:
        """The links between two nodes."""
        ends = {node1.end_of_link(), node2.end_of_link()}
        return [link for link in self.links if {link.intf1.node, link.intf2.node} == ends]

    @staticmethod
    def randMac() -> str:
        """A MAC address that is nobody's: locally administered, at random."""
        return macColonHex(random.randint(0, 2**40 - 1) | 0x020000000000)


def _options(info_of: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info_of.items() if name != "isSwitch"}
