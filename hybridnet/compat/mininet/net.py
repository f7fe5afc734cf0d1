# SPDX-License-Identifier: MIT
"""Mininet's `Mininet` and Containernet's `Containernet`: names, signatures and manners of theirs, over the `Network`
that each has.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from hybridnet.compat.mininet.cli import CLI
from hybridnet.compat.mininet.containers import Docker
from hybridnet.compat.mininet.controllers.kinds import Controller, DefaultController
from hybridnet.compat.mininet.hosts import Host, Node
from hybridnet.compat.mininet.lenient_options import tolerate, truth
from hybridnet.compat.mininet.link import Intf, Link
from hybridnet.compat.mininet.log import error, output
from hybridnet.compat.mininet.network import Network, commands_wait, take_over
from hybridnet.compat.mininet.nodelib import NAT
from hybridnet.compat.mininet.switches import OVSKernelSwitch, Switch
from hybridnet.compat.mininet.term import makeTerms
from hybridnet.compat.mininet.trials import (
    busy_shares,
    is_address,
    lines_of,
    ping_address,
    ping_full,
    ping_numbers,
    ping_one_by_one,
)
from hybridnet.compat.mininet.util import ipAdd, macColonHex, netParse, numCores
from hybridnet.describe.values import shown
from hybridnet.errors import ExperimentError, UsageError
from hybridnet.run.net import Net, probes
from hybridnet.system.log import info, warn

__all__ = ["VERSION", "Containernet", "Mininet", "MininetWithControlNet"]

PING_SECONDS = 10.0  # how long Mininet's `ping -c1` waits for an answer
_POLL_S = 0.05

VERSION = "2.3.1b4"
"""The version of Mininet whose names, signatures and manners these are."""


def _of_its_network(name: str) -> Any:
    """An attribute that its network has, which a script may read and replace."""
    return property(
        lambda net: getattr(net._network, name), lambda net, value: setattr(net._network, name, value)
    )


class Mininet:
    """A network, with the constructor and the methods of Mininet's class.

    Args:
        topo: what to build; None: it is made with addHost, addSwitch, addLink.
        switch, host, link, intf: classes (or partials) of what says no class of its own.
        controller: a class, a partial, a function of a name, an object, a list of these, or None for none.
        build: build `topo` now; False: `build` or `start` does.
        ipBase: hosts get its addresses, in the order in which they are added.
        autoSetMacs: MAC addresses are the numbers of the hosts.
        autoStaticArp: hosts know each other's MAC addresses.
        waitConnected: `start` waits until each switch has its controller; a number: for so many seconds.
        listenPort: where the first switch takes OpenFlow connections on its machine; each further one at the next port.
        autoPinCpus: CPU-limited hosts are pinned to one processor each, in turn.
        xterms, cleanup, inNamespace: accepted; what has no effect is said.
    """

    inited = True  # as `init` does nothing

    hosts: list[Any] = _of_its_network("hosts")
    switches: list[Any] = _of_its_network("switches")
    controllers: list[Any] = _of_its_network("controllers")
    links: list[Link] = _of_its_network("links")
    terms: list[Any] = _of_its_network("terms")
    nameToNode: dict[str, Any] = _of_its_network("nameToNode")
    autoStaticArp: bool = _of_its_network("autoStaticArp")
    machines: Any = _of_its_network("machines")
    live: Net | None = _of_its_network("live")

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
        self._network = Network(describe=self._describe, end=self.stop)
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
        self.built = False
        if topo is not None and build:
            self.build()

    # Describing

    def addHost(self, name: str, cls: Callable[..., Any] | None = None, **params: Any) -> Any:
        """Add a host of class `cls`, at once if the network is made. Its address is the next one unless `ip` says
        another.
        """
        defaults: dict[str, object] = {
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
        self._adopt(host, self.switches if isinstance(host, Switch) else self.hosts)
        return host

    def addSwitch(self, name: str, cls: Callable[..., Any] | None = None, **params: Any) -> Any:
        """Add a switch of class `cls`; a network that is made has it at once."""
        defaults: dict[str, object] = {"inNamespace": False}
        if self.listenPort:
            defaults["listenPort"] = self.listenPort
        with commands_wait():
            switch = (cls or self.switch)(name, **{**defaults, **params})
        self._adopt(switch, self.switches)
        if self.listenPort:
            self.listenPort += 1
        return switch

    def _adopt(self, node: Any, among: list[Any]) -> None:
        self._network.adopt(node, among)

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
            self._network.adopt_controller(made)
        return made

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
        ends = [self[node] if isinstance(node, str) else node for node in (node1, node2)]
        for end in ends:
            take_over(self._network, end.end_of_link())
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
        params.setdefault("subnet", self.ipBase)
        nat = self.addHost(name, cls=NAT, inNamespace=inNamespace, **params)
        if connect:
            self.addLink(nat, connect if isinstance(connect, Node) else self.switches[0])
            address = nat.params["ip"].split("/")[0]
            for host in self.hosts:
                if host.inNamespace:
                    host.setDefaultRoute(f"via {address}")
        return nat

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
        """Add what `topo` describes, and have hosts configured that a command had made before. A second call does
        nothing.
        """
        self._add_described()
        if self._network.awaits_build and not self._network.is_being_made:
            self._network.awaits_build = False
            self.configHosts()

    def _describe(self) -> None:
        self._network.awaits_build = not self.built
        self._add_described()

    def _add_described(self) -> None:
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
        return type(self).configureControlNetwork is not Mininet.configureControlNetwork

    def _add_default_controllers(self) -> None:
        if self.controllers or not self.controller:
            return
        kinds = self.controller if isinstance(self.controller, (list, tuple)) else [self.controller]
        for number, kind in enumerate(kinds):
            if isinstance(kind, Controller):
                self.addController(kind)
            else:
                self.addController(f"c{number}", kind)

    def configHosts(self) -> None:
        """Have every host configured by its own parameters, once more."""
        for host in self.hosts:
            host.configDefault()

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
        return self._network.links_between(node1, node2)

    @staticmethod
    def randMac() -> str:
        """A MAC address that is nobody's: locally administered, at random."""
        return macColonHex(random.randint(0, 2**40 - 1) | 0x020000000000)

    @property
    def cluster(self) -> Any:
        """The machines, once the network is made."""
        return self.running().cluster

    @property
    def plan(self) -> Any:
        """What was built on which machine."""
        return self.running().plan

    # Starting and stopping

    def make(self) -> None:
        """Make everything that is described, if that is not done. Raises HybridnetError where that cannot be."""
        self._network.make()

    def running(self) -> Net:
        """What runs of it; made, if that is not done."""
        return self._network.running()

    def start(self) -> None:
        """Make the network, and start its controllers and switches."""
        self.build()
        info("*** Starting network\n")
        self.make()
        for controller in self.controllers:
            controller.start()
        for switch in self.switches:
            switch.start(self.controllers)
        if self.xterms:
            self.startTerms()
        if self.waitConn:
            self.waitConnected(None if self.waitConn is True else float(self.waitConn))

    def startTerms(self) -> None:
        """Open a terminal for each node."""
        makeTerms(self.switches, "switch")
        makeTerms(self.hosts, "host")

    def stopXterms(self) -> None:
        """Close the terminals that were opened."""
        self._network.close_terms()

    def stop(self) -> None:
        """Stop the switches' and hosts' own programs, and remove the network. A second call does nothing."""
        if self.live is not None:
            self.stopXterms()
            self._network.stop()

    def run(self, test: Callable[..., Any] | str, *args: Any, **kwargs: Any) -> Any:
        """Start, call `test` (a function, or the name of a method), and stop. Returns what it returned."""
        self.start()
        try:
            return (getattr(self, test) if isinstance(test, str) else test)(*args, **kwargs)
        finally:
            self.stop()

    def interact(self) -> Any:
        """Start, open the prompt, and stop."""
        self.start()
        try:
            return CLI(self)
        finally:
            self.stop()

    def waitConnected(self, timeout: float | None = None, delay: float = 0.5) -> bool:
        """Wait until each switch has its controller. Returns False when the time is over."""
        info("*** Waiting for switches to connect\n")
        deadline = None if timeout is None else time.monotonic() + timeout
        waiting = list(self.switches)
        while True:
            for switch in list(waiting):
                if switch.connected():
                    info(f"{switch} ")
                    waiting.remove(switch)
            if not waiting:
                info("\n")
                return True
            if deadline is not None and time.monotonic() > deadline:
                warn(f"Timed out after {timeout:g} seconds; not connected: {' '.join(map(str, waiting))}\n")
                return False
            time.sleep(min(delay, _POLL_S))

    # Changing

    def delNode(self, node: Any, nodes: list[Any] | None = None) -> None:
        """Remove a node and its links; a controller stops."""
        gone = self[node] if isinstance(node, str) else node
        if isinstance(gone, Controller):
            self.delController(gone)
        else:
            self._network.remove_node(gone)

    def __delitem__(self, key: str) -> None:
        self.delNode(self[key])

    def delHost(self, host: Any) -> None:
        """Remove a host and its links."""
        self.delNode(host)

    def delSwitch(self, switch: Any) -> None:
        """Remove a switch and its links."""
        self.delNode(switch)

    def delController(self, controller: Any) -> None:
        """Stop a controller, and forget it. Switches that obey it are left alone, as in Mininet."""
        self._network.remove_controller(self[controller] if isinstance(controller, str) else controller)

    def delLink(self, link: Link) -> None:
        """Remove a link."""
        self._network.remove_link(link)

    def delLinkBetween(
        self, node1: Any, node2: Any, index: int = 0, allLinks: bool = False
    ) -> Link | list[Link]:
        """Remove one link between two nodes, or all. Returns what was removed."""
        between = self.linksBetween(node1, node2)
        gone = between if allLinks else [between[index]]
        for link in gone:
            self.delLink(link)
        return gone if allLinks else gone[0]

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Set the links between two nodes (by name) "up" or "down"; says so if there is none."""
        for name in (src, dst):
            if name not in self.nameToNode:
                error(f"{name} is not in the network\n")
                return
        links = self.linksBetween(self[src], self[dst])
        if not links:
            error(f"{src} and {dst} are not connected\n")
        for link in links:
            for intf in (link.intf1, link.intf2):
                intf.ifconfig(status)

    def staticArp(self) -> None:
        """Have every host know every other's MAC address."""
        for source in self.hosts:
            for other in self.hosts:
                if source is not other and other.IP() is not None:
                    source.setARP(ip=other.IP(), mac=other.MAC())

    # Trying

    def _made_hosts(self, hosts: Sequence[Any] | None) -> list[Any]:
        self.make()
        return list(self.hosts if hosts is None else hosts)

    def ping(self, hosts: Sequence[Any] | None = None, timeout: float | str | None = None) -> float:
        """Ping once between all pairs of hosts, and print a table. Returns the percentage lost."""
        wait = PING_SECONDS if timeout is None else timeout
        probes.announce(hosts)
        chosen = self._made_hosts(hosts)
        if any(host.IP() is not None and not is_address(host.IP()) for host in chosen):
            return ping_one_by_one(chosen, wait)
        return self.running().ping(chosen, timeout=wait)

    def pingAll(self, timeout: float | str | None = None) -> float:
        """`ping` between all hosts."""
        return self.ping(timeout=timeout)

    def pingPair(self) -> float:
        """`ping` between the first two hosts."""
        return self.ping(self.hosts[:2])

    def pingFull(
        self, hosts: Sequence[Any] | None = None, timeout: float | None = None
    ) -> list[tuple[Any, Any, tuple[float, ...]]]:
        """Ping once between all pairs of hosts.

        Returns:
            Of each pair (source, destination, (sent, received, least, mean, most, deviation of the round trip in ms)).
        """
        probes.announce(hosts)
        return ping_full(self._made_hosts(hosts), timeout, self.running().slow)

    def pingAllFull(self) -> list[Any]:
        """`pingFull` between all hosts."""
        return self.pingFull()

    def pingPairFull(self) -> list[Any]:
        """`pingFull` between the first two hosts."""
        return self.pingFull(self.hosts[:2])

    def iperf(
        self,
        hosts: Sequence[Any] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: float = 5,
        port: int = 5001,
    ) -> list[str]:
        """One flow between two hosts (the first and the last). Returns what arrived and what was sent; empty texts
        where nothing arrives, and that is said.
        """
        chosen = [self.hosts[0], self.hosts[-1]] if hosts is None else hosts
        net = self.running()
        pair = [net[host.name] for host in chosen]
        try:
            return net.iperf(pair, l4Type=l4Type, udpBw=udpBw, fmt=fmt, seconds=seconds, port=port)
        except ExperimentError as problem:
            error(f"*** {problem}\n")
            return [*([udpBw] if l4Type.upper() == "UDP" else []), "", ""]

    def runCpuLimitTest(self, cpu: float, duration: int = 5) -> list[float]:
        """Have all hosts do what they can for `duration` seconds. Returns what each takes of all processors in each
        second, in percent.
        """
        output(f"*** Testing CPU {cpu * 100:.0f}% bandwidth limit\n")
        found = busy_shares(self._made_hosts(None), self.numCores, duration)
        output(f"*** Results: {found}\n")
        return found

    def monitor(
        self, hosts: Sequence[Any] | None = None, timeoutms: float = -1
    ) -> Iterator[tuple[Any, str | None]]:
        """What the hosts' commands print: (host, line), or (None, None) where nothing came in `timeoutms`."""
        yield from lines_of(self._made_hosts(hosts), timeoutms)

    # What Mininet's own methods read from programs' output, for scripts that run these themselves

    @staticmethod
    def _parsePing(pingOutput: str) -> tuple[int, int]:
        """Pings sent and answered, as ping says."""
        sent, received, *_ = ping_numbers(pingOutput)
        return int(sent), int(received)

    _parsePingFull = staticmethod(ping_numbers)

    @staticmethod
    def _parseIperf(iperfOutput: str) -> str:
        """The last rate that iperf says, such as "9.5 Mbits/sec"; empty if there is none."""
        rates = re.findall(r"([\d.]+ \w*bits/sec)", iperfOutput)
        return rates[-1] if rates else ""


class Containernet(Mininet):
    """Containernet's network: one with hosts whose roots are container images, and methods that Mininet's has not."""

    def addDocker(self, name: str, cls: Callable[..., Any] = Docker, **params: Any) -> Any:
        """`addHost` of class `cls`: see `Docker` for its parameters."""
        return self.addHost(name, cls=cls, **params)

    def removeDocker(self, name: Any, **params: Any) -> bool:
        """`removeHost`."""
        return self.removeHost(name, **params)

    def removeHost(self, name: Any, **params: Any) -> bool:
        """Remove a host (or the one of that name) with its links. Returns whether there was one; says so if not."""
        found = self.nameToNode.get(str(name))
        if found is None:
            error(f"Host: {name} not found. Cannot remove it.\n")
            return False
        self.delHost(found)
        return True

    def removeLink(self, link: Any = None, node1: Any = None, node2: Any = None) -> None:
        """Remove a link, or the first one between two nodes (or their names); says so if there is none."""
        if link is None and node1 is not None and node2 is not None:
            ends = [self.nameToNode.get(str(node)) for node in (node1, node2)]
            link = next(iter(self.linksBetween(*ends)), None) if None not in ends else None
        if link is None:
            error("Couldn't find link to be removed.\n")
            return
        self.delLink(link)

    def addExtSAP(self, sapName: str, sapIP: str, dpid: Any = None, **params: Any) -> NoReturn:
        """Refused: a service access point is a bridge of this computer with an address.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"addExtSAP({sapName!r}): a service access point gives this computer an address in the network, which is "
            "not there; addNAT() lets hosts reach this computer and what it reaches, and Intf(device, node=switch) "
            "joins a device of this computer"
        )

    def removeExtSAP(self, sapName: str) -> NoReturn:
        """Refused, as `addExtSAP`. Raises UsageError."""
        self.addExtSAP(sapName, "")

    def ping(
        self, hosts: Sequence[Any] | None = None, timeout: Any = None, manualdestip: str | None = None
    ) -> float:
        """As `Mininet.ping`; with `manualdestip` each host pings that address once."""
        if manualdestip is None:
            return super().ping(hosts, timeout)
        found = ping_address(self._made_hosts(hosts), manualdestip, timeout or PING_SECONDS)
        lost = 100.0 * sum(1 - numbers[1] for _, _, numbers in found) / max(1, len(found))
        output(f"*** Results: {int(lost)}% dropped\n")
        return lost

    def pingFull(
        self, hosts: Sequence[Any] | None = None, timeout: Any = None, manualdestip: str | None = None
    ) -> list[tuple[Any, Any, tuple[float, ...]]]:
        """As `Mininet.pingFull`; with `manualdestip` each host pings that address once, which stands for the
        destination.
        """
        if manualdestip is None:
            return super().pingFull(hosts, timeout)
        return ping_address(self._made_hosts(hosts), manualdestip, timeout or PING_SECONDS)


class MininetWithControlNet(Mininet):
    """Mininet's network with a control network of its own; here switches always reach their controllers beside it."""


def _options(info_of: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in info_of.items() if name != "isSwitch"}
