# SPDX-License-Identifier: MIT
"""Mininet's `Mininet`: a front of `hybridnet.Net`.

    describe (nodes, links, controllers) ─▶ make: one Net of all of it ─▶ start: controllers to switches ─▶ use ─▶ stop

Mininet makes each node and link when it is added. Here they are made together, by `start` or by the first command
that needs them; until then they are descriptions with names, addresses and ports as Mininet would have chosen them.
"""

from __future__ import annotations

import functools
import math
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybridnet.cluster.here import HERE
from hybridnet.errors import UsageError
from hybridnet.mininet.controllers import Controller, DefaultController, give_ports
from hybridnet.mininet.link import Intf, Link
from hybridnet.mininet.log import error, info, output, warn
from hybridnet.mininet.machines import machines_of_the_run
from hybridnet.mininet.node import Host, Node, OVSKernelSwitch, Switch, commands_wait
from hybridnet.mininet.term import makeTerms
from hybridnet.mininet.tolerance import tolerate
from hybridnet.mininet.util import ipAdd, macColonHex, netParse, numCores
from hybridnet.net import Net, own_address_toward
from hybridnet.topo import Topo

__all__ = ["VERSION", "Mininet", "MininetWithControlNet"]

VERSION = "2.3.1b4"
"""The version of Mininet whose names, signatures and manners these are."""

PING_SECONDS = 10.0  # how long Mininet's `ping -c1` waits for an answer

# Options of nodes that the description takes; others stay with the node's class.
_OF_HOSTS = ("ip", "mac", "defaultRoute", "privateDirs")
_OF_SWITCHES = (
    "bridge", "datapath", "dpid", "failMode", "inband", "listenPort", "prio", "protocols", "reconnectms", "stp",
)  # fmt: skip
_OF_ITS_CLASS = {"inNamespace", "ipv6"}


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
        for given, name in ((inNamespace, "inNamespace"),):
            if given:
                tolerate(f"Mininet({name}=)", "it has no effect")
        self.topo = topo
        self.switch, self.host, self.controller, self.link, self.intf = switch, host, controller, link, intf
        self.ipBase = ipBase
        self.ipBaseNum, self.prefixLen = netParse(ipBase)
        self.nextIP = 1
        self.autoPinCpus, self.numCores, self.nextCore = autoPinCpus, numCores(), 0
        self.autoSetMacs, self.autoStaticArp, self.waitConn = autoSetMacs, autoStaticArp, waitConnected
        self.xterms, self.listenPort = xterms, listenPort
        self.hosts: list[Any] = []
        self.switches: list[Any] = []
        self.controllers: list[Controller] = []
        self.links: list[Link] = []
        self.terms: list[Any] = []
        self.nameToNode: dict[str, Any] = {}
        self.built = False
        self.live: Net | None = None
        self.machines = machines_of_the_run()
        self._making = False
        if topo is not None and build:
            self.build()

    # Describing

    def addHost(self, name: str, cls: Callable[..., Any] | None = None, **params: Any) -> Any:
        """Add a host of class `cls`; its address is the next one unless `ip` says another."""
        self._refuse_made(f"host {name}")
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
        self.adopt(host)
        return host

    def addSwitch(self, name: str, cls: Callable[..., Any] | None = None, **params: Any) -> Any:
        """Add a switch of class `cls`."""
        self._refuse_made(f"switch {name}")
        listening = {} if not self.listenPort else {"listenPort": self.listenPort}
        with commands_wait():
            switch = (cls or self.switch)(name, **{**listening, **params})
        self.adopt(switch)
        if self.listenPort:
            self.listenPort += 1
        return switch

    def addController(self, name: Any = "c0", controller: Any = None, **params: Any) -> Any:
        """Add a controller: an object, or a class and its parameters. Returns it; None if the class gives none."""
        if isinstance(name, Controller):
            made: Any = name
        elif isinstance(controller, Controller):
            made = controller
        else:
            made = (controller or self.controller or DefaultController)(name, **params)
        if made is not None:
            self._refuse_made(f"controller {made.name}")
            self.controllers.append(made)
            self.nameToNode[made.name] = made
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
        """Add a link of class `cls` between two nodes (or their names). Returns it."""
        ends = [self[node] if isinstance(node, str) else node for node in (node1, node2)]
        self._refuse_made(f"link {ends[0]}-{ends[1]}")
        options = {"port1": port1, "port2": port2, **params}
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
        from hybridnet.mininet.nodelib import NAT

        params.setdefault("subnet", self.ipBase)
        nat = self.addHost(name, cls=NAT, inNamespace=inNamespace, **params)
        if connect:
            self.addLink(nat, connect if isinstance(connect, Node) else self.switches[0])
            address = nat.params["ip"].split("/")[0]
            for host in self.hosts:
                if host.inNamespace:
                    host.setDefaultRoute(f"via {address}")
        return nat

    def adopt(self, node: Any) -> None:
        """Take a node that was made by its class."""
        if node.name in self.nameToNode:
            raise UsageError(f"node {node.name}: the name is taken; choose another")
        node.net = self
        self.nameToNode[node.name] = node
        (self.switches if isinstance(node, Switch) else self.hosts).append(node)

    def joined(self, link: Link) -> None:
        """Take a link that was made by its class."""
        self.links.append(link)

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

    def _add_default_controllers(self) -> None:
        if self.controllers or not self.controller:
            return
        kinds = self.controller if isinstance(self.controller, (list, tuple)) else [self.controller]
        for number, kind in enumerate(kinds):
            if isinstance(kind, Controller):
                self.addController(kind)
            else:
                self.addController(f"c{number}", kind)

    # Making

    def make(self) -> None:
        """Make everything that is described. A second call does nothing.

        Raises:
            HybridnetError: it cannot be made; nothing is left behind.
        """
        if self.live is not None or self._making:
            return
        self._making = True
        try:
            self.build()
            topo, cluster = self._description(), None
            if self.machines is not None:
                cluster = self.machines.cluster()
                topo = self.machines.spread(topo)
            net = Net(
                topo,
                controller=None,
                waitConnected=False,
                autoStaticArp=self.autoStaticArp,
                cluster=cluster,
                machine=HERE if self.machines is None else None,
            )
            if self.machines is None:
                give_ports(self.controllers)
            for controller in self.controllers:
                net.addController(controller.behind())
            net.start()
            self.live = net
            _running.append(self)
            self._bind(net)
            self._configure()
        finally:
            self._making = False

    def _description(self) -> Topo:
        topo = Topo()
        dpids: set[int] = set()
        taken: set[str] = set()
        for host in self.hosts:
            topo.addHost(host.name, **self._of_host(host, taken))
        for switch in self.switches:
            topo.addSwitch(switch.name, **self._of_switch(switch, dpids))
        for link in self.links:
            topo.addLink(link.intf1.node.name, link.intf2.node.name, **link.description())
        return topo

    @staticmethod
    def _of_switch(switch: Any, dpids: set[int]) -> dict[str, Any]:
        own = {name: switch.params[name] for name in _OF_SWITCHES if switch.params.get(name)}
        if type(switch).__module__.startswith("hybridnet.") and (
            unknown := {name for name, value in switch.params.items() if value}
            - {*_OF_SWITCHES, *_OF_ITS_CLASS}
        ):
            tolerate(
                f"switch {switch.name}: {min(unknown)}=", "switches have no such option; it has no effect"
            )
        if "dpid" in own:
            dpid = int(own["dpid"], 16)
            if dpid in dpids:
                dpid = next(number for number in range(1, 1 << 32) if number not in dpids)
                tolerate(f"switch {switch.name}: its dpid is another's", f"it gets {dpid:016x}")
                switch.params["dpid"] = own["dpid"] = f"{dpid:016x}"
            dpids.add(dpid)
        return own

    def _of_host(self, host: Any, taken: set[str]) -> dict[str, Any]:
        own = {name: host.params[name] for name in _OF_HOSTS if host.params.get(name) is not None}
        if type(host) is Host and (unknown := host.params.keys() - {*_OF_HOSTS, *_OF_ITS_CLASS}):
            tolerate(
                f"host {host.name}: {min(unknown)}=", "no class of the script's takes it; it has no effect"
            )
        if "ip" in own:
            own["ip"] = own["ip"] if "/" in own["ip"] else f"{own['ip']}/8"
            if own["ip"].partition("/")[0] in taken:
                tolerate(
                    f"host {host.name}: its address {own['ip']} is another's",
                    "both have it, as they were told",
                )
                own["ip"] = None
            else:
                taken.add(own["ip"].partition("/")[0])
        else:
            own["ip"] = None
        if own.get("defaultRoute") and len(own["defaultRoute"].split()) == 1:
            own["defaultRoute"] = f"dev {own['defaultRoute']}"
        if host.params.get("ipv6"):
            own["ip6"] = host.params["ipv6"] if "/" in host.params["ipv6"] else f"{host.params['ipv6']}/64"
        if not host.inNamespace:
            own["inNamespace"] = False
            if own.pop("privateDirs", None):
                tolerate(f"host {host.name}: privateDirs=", "it has the computer's files; it has no effect")
        if "privateDirs" in own:
            own["privateDirs"] = [_private_directory(host, each) for each in own["privateDirs"]]
        return own

    def _bind(self, net: Net) -> None:
        for node in (*self.hosts, *self.switches):
            made = net[node.name]
            for intf in made.intfList():
                node.nameToIntf[intf.name].made_as(intf)
            node.bind(functools.partial(net.cluster.call, made.machine), made.machine, node.intfList())

    def _configure(self) -> None:
        for node in (*self.hosts, *self.switches):
            node.run_waiting()
        for host in self.hosts:
            host.configDefault()
        for switch in self.switches:
            if switch.wanted is not None:
                self.give_controllers(switch)

    def give_controllers(self, switch: Any) -> None:
        """Have a switch obey the controllers that its `start` named, where they are not those of the network."""
        assert self.live is not None
        wanted = list(switch.wanted)
        if [controller.name for controller in wanted] == [controller.name for controller in self.controllers]:
            return
        head = own_address_toward(self.live.cluster.address(switch.machine))
        targets = [controller.behind().target(head) for controller in wanted]
        if switch.params.get("listenPort"):
            targets.append(f"ptcp:{switch.params['listenPort']}:127.0.0.1")
        switch.cmd(
            "ovs-vsctl", *(("set-controller", switch, *targets) if targets else ("del-controller", switch))
        )

    # Starting and stopping

    def start(self) -> None:
        """Make the network, and start its controllers and switches."""
        if not self.built:
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
        while self.terms:
            self.terms.pop().close()

    def stop(self) -> None:
        """Stop the switches' and hosts' own programs, and remove the network. A second call does nothing."""
        if self.live is None:
            return
        self.stopXterms()
        net, self.live = self.live, None
        _running.remove(self)
        info("*** Stopping network\n")
        try:
            for controller in self.controllers:
                controller.stop()
            for node in (*self.switches, *self.hosts):
                node.terminate()
        finally:
            for controller in self.controllers:
                controller.end()
            for node in (*self.switches, *self.hosts):
                node.unbind()
            net.stop()
        info("*** Done\n")

    def run(self, test: Callable[..., Any] | str, *args: Any, **kwargs: Any) -> Any:
        """Start, call `test` (a function, or the name of a method), and stop. Returns what it returned."""
        self.start()
        try:
            return (getattr(self, test) if isinstance(test, str) else test)(*args, **kwargs)
        finally:
            self.stop()

    def interact(self) -> Any:
        """Start, open the prompt, and stop."""
        from hybridnet.mininet.cli import CLI

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
            time.sleep(delay)

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
        return [link for link in self.links if {link.intf1.node, link.intf2.node} == {node1, node2}]

    @staticmethod
    def randMac() -> str:
        """A MAC address that is nobody's: locally administered, at random."""
        return macColonHex(random.randint(0, 2**40 - 1) | 0x020000000000)

    # Changing

    def set_link(self, link: Link, **options: Any) -> None:
        """Change a simulated link while it runs."""
        assert self.live is not None
        between = self.linksBetween(link.intf1.node, link.intf2.node)
        self.live.set_link(link.intf1.node.name, link.intf2.node.name, key=between.index(link), **options)

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

    def ping(self, hosts: Sequence[Any] | None = None, timeout: float | str | None = None) -> float:
        """Ping once between all pairs of hosts, and print a table. Returns the percentage lost."""
        return self._net().ping(self._hosts(hosts), timeout=PING_SECONDS if timeout is None else timeout)

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
        output("*** Ping: testing ping reachability\n")
        wait = "" if timeout is None else f"-W {timeout}"
        found = []
        for source in self._hosts(hosts):
            output(f"{source} -> ")
            for other in self._hosts(hosts):
                if other is not source:
                    numbers = _ping_numbers(source.cmd(f"LANG=C ping -c1 {wait} {other.IP()}"))
                    found.append((source, other, numbers))
                    output(f"{other if numbers[1] else 'X'} ")
            output("\n")
        output("*** Results: \n")
        for source, other, (sent, received, *times) in found:
            output(f" {source}->{other}: {sent:.0f}/{received:.0f}, ")
            output("rtt min/avg/max/mdev {:.3f}/{:.3f}/{:.3f}/{:.3f} ms\n".format(*times))
        return found

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
        """One flow between two hosts (the first and the last). Returns what arrived and what was sent."""
        chosen = [self.hosts[0], self.hosts[-1]] if hosts is None else hosts
        net = self._net()
        return net.iperf(
            [net[host.name] for host in chosen], l4Type=l4Type, udpBw=udpBw, seconds=seconds, port=port
        )

    def runCpuLimitTest(self, cpu: float, duration: int = 5) -> list[float]:
        """Have busy loops run in all hosts. Returns what each takes of the computer's processors in each second, in
        percent.
        """
        output(f"*** Testing CPU {cpu * 100:.0f}% bandwidth limit\n")
        hosts = self._hosts(None)
        loops = max(1, math.ceil(cpu * self.numCores))
        for host in hosts:
            host.cmd(f"for i in $(seq {loops}); do sh -c 'while :; do :; done' & done")
        try:
            found: list[float] = []
            last = [_ticks(host) for host in hosts]
            for _ in range(duration):
                begun = time.monotonic()
                time.sleep(1)
                now = [_ticks(host) for host in hosts]
                each = (time.monotonic() - begun) * self.numCores * os.sysconf("SC_CLK_TCK")
                found += [100 * (after - before) / each for before, after in zip(last, now, strict=True)]
                last = now
        finally:
            for host in hosts:
                host.cmd("kill $(jobs -p)")
        output(f"*** Results: {found}\n")
        return found

    def monitor(
        self, hosts: Sequence[Any] | None = None, timeoutms: float = -1
    ) -> Iterator[tuple[Any, str | None]]:
        """What the hosts' commands print: (host, line), or (None, None) where nothing came in `timeoutms`."""
        chosen = self._hosts(hosts)
        while any(host.waiting for host in chosen):
            said = False
            for host in chosen:
                if host.waiting and (text := host.monitor(timeoutms=50)):
                    said = True
                    for line in text.splitlines(keepends=True):
                        yield host, line
            if not said and timeoutms >= 0:
                yield None, None

    @property
    def cluster(self) -> Any:
        """The machines, once the network is made."""
        return self._net().cluster

    @property
    def plan(self) -> Any:
        """What was built on which machine."""
        return self._net().plan

    def _net(self) -> Net:
        self.make()
        assert self.live is not None
        return self.live

    def _hosts(self, hosts: Sequence[Any] | None) -> list[Any]:
        self.make()
        return list(self.hosts if hosts is None else hosts)

    def _refuse_made(self, what: str) -> None:
        if self.live is not None:
            raise UsageError(
                f"{what} cannot be added once the network is made, by start() or by a command in a node; add it before"
            )


class MininetWithControlNet(Mininet):
    """Mininet's network with a control network of its own; here switches always reach their controllers beside it."""


def _private_directory(host: Any, given: Any) -> Any:
    """A directory, or a pair of one and of what shows there: a template of the node's attributes, as in Mininet."""
    if isinstance(given, str):
        return given
    at, source = given
    return at, (source % vars(host)).replace("%", "%%")


def _options(info_of: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info_of.items() if name != "isSwitch"}


def _ticks(host: Any) -> int:
    """Processor time that the jobs of a host's shell have taken, in ticks of the clock."""
    said = host.cmd("for p in $(jobs -p); do cut -d' ' -f14,15 /proc/$p/stat; done")
    return sum(map(int, said.split()))


def _ping_numbers(said: str) -> tuple[float, ...]:
    counts = re.search(r"(\d+) packets transmitted, (\d+) (?:packets )?received", said)
    times = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms", said)
    if counts is None:
        return (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (*map(float, counts.groups()), *(map(float, times.groups()) if times else (0.0,) * 4))


_running: list[Mininet] = []
_loose: Mininet | None = None


def network_of_loose_nodes() -> Mininet:
    """The network of nodes and links that a script makes without `Mininet`."""
    global _loose
    if _loose is None:
        _loose = Mininet(controller=None, build=False)
    return _loose


def remove_forgotten() -> None:
    """The script has ended: remove the networks that it did not stop, and say so."""
    for net in list(_running):
        warn("*** the script ended without net.stop(): its network is removed\n")
        net.stop()
