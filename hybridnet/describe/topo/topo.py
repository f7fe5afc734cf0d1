# SPDX-License-Identifier: MIT
"""Topo: the description of a network. It creates nothing.

Mininet's vocabulary, and two additions: `machine=` says where a node lives, and `addSimHost`, `addSimRouter`,
`addSimSwitch` describe nodes that exist only inside the simulator. Whether a link becomes a veth pair, a
simulated link behind portals, or a cut link between two instances is for the plan to decide: nobody places portals
by hand.

It is the vocabulary; what it has been told is kept in a `hybridnet.describe.topo.graph.Graph`.

Interfaces are named as in Mininet: the node, "-eth", the port number. Ports count from 0 at hosts, from 1 at
switches and routers: h1-eth0, s1-eth1, r1-eth1.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hybridnet.describe.topo.external import External
from hybridnet.describe.topo.fluids import Demands, FluidSpec, demands_of
from hybridnet.describe.topo.graph import Graph
from hybridnet.describe.topo.specs import LinkSpec, NodeSpec, natural
from hybridnet.describe.values import flag, nearest, plain, shown, text, whole
from hybridnet.errors import HybridnetError, TopologyError

__all__ = ["LinkSpec", "NodeSpec", "Topo", "TopologyError", "natural", "require_built"]


class _BeforeInit:
    """Stands for what `Topo.__init__` makes, until it has: a subclass may have one that forgets to call it."""

    def __get__(self, topo: object | None, kind: type) -> Graph:
        if topo is None:
            return self  # type: ignore[return-value]
        raise TopologyError(
            f"{kind.__name__}: its __init__ adds to the network before it has called super().__init__(); call that "
            "first, or describe the network in build() instead"
        )


class Topo:
    """A network, described. Override `build` (or `__init__`) and call `addHost`, `addSwitch`, `addLink`
    there.

    Args:
        args, params: handed to `build`, except the next three.
        hopts, sopts, lopts: options of every host, switch and link that is added without options of its own.

    Example:
        >>> topo = Topo()
        >>> h1, s1 = topo.addHost("h1"), topo.addSwitch("s1")
        >>> key = topo.addLink(h1, s1, bw=10, delay="5ms")
        >>> topo.spec("h1", "s1").a_to_b.rate_bps
        10000000
    """

    _graph = _BeforeInit()

    def __init__(self, *args: Any, **params: Any) -> None:
        _require_self(type(self))
        self._graph = Graph()
        self.hopts, self.sopts, self.lopts = (_options(params, name) for name in ("hopts", "sopts", "lopts"))
        self.build(*args, **params)

    def build(self, *args: Any, **params: Any) -> None:
        """Override this to add nodes and links."""

    # Adding

    def addHost(self, name: str, **opts: Any) -> str:
        """Add an emulated host: a network namespace. Returns its name.

        Args:
            name: letters, digits, ``_ . -``; unique in the topology.
            ip: ``"10.0.0.1/8"``; default: assigned by the plan. None: no address.
            ip6: ``"fd00::1/64"``; default: assigned by the plan if the network has an ip6_base. None: no address.
            mac: default: derived from the name, or from the address with autoSetMacs.
            defaultRoute: ``"via 10.0.0.254"`` or ``"dev h1-eth0"``.
            routes: list of (prefix, via) pairs.
            machine: where it lives; default: where its neighbours live.
            instance: which instance of that machine has its portals, by name or number; default: that of its
                neighbours. See docs/instances.md.
            privateDirs: directories that only this host sees; a pair such as ``("/var/run", "/tmp/%(name)s/run")``
                shows the second one at the first.
            cpu, cores, sched, period_us: what it may take of the processors; see docs/nodes.md.
            devices: of the computer, such as ``["eth1"]``, lent to this host; see docs/nodes.md.
            nat: it translates the addresses of its first interface's subnet (True), or of this one.
            inNamespace: False: its commands run, and its links end, in its machine's own namespace.
            cls: a subclass of `hybridnet.Host` or `hybridnet.Node` for the live node. What its constructor or its
                `config` names is an option of this node, too.

        Raises:
            TopologyError: the name is taken or malformed, an option does not exist, or its value makes no sense.
        """
        return self._graph.add_node(name, "host", opts or self.hopts)

    def addRouter(self, name: str, kind: str = "frr", **opts: Any) -> str:
        """Add an emulated router: a host of a kind that forwards, and in which routing daemons run. Returns its name.

        Args:
            name: as of a host.
            kind: of the registered kinds of hosts: ``"frr"`` or ``"bird"``, with the options `ospf`, `bgp` and `conf`;
                see docs/kinds.md.
            opts: those of the kind, and of `addHost`.
        """
        return self.addHost(name, kind=kind, **opts)

    def addSwitch(self, name: str, **opts: Any) -> str:
        """Add a switch: an Open vSwitch bridge, unless it is of another kind. Returns its name.

        Args:
            name: as of a host; at most 15 characters, because the bridge is a device.
            dpid: up to 16 hexadecimal digits; default: the first number in the name.
            protocols: ``"OpenFlow13"`` (default) or a comma-separated list.
            failMode: ``"secure"`` (default) or ``"standalone"``.
            stp, prio, listenPort, reconnectms, inband, devices: see docs/nodes.md.
            datapath: ``"kernel"`` or ``"user"``.
            kind: ``"openvswitch"`` (default); ``"linux"``: a bridge of the Linux kernel; ``"simulated"``: the switch is
                in the simulator, under the same controllers, and has OpenFlow 1.3 and 1.0 (docs/simulated_switches.md);
                or one that a package brings (docs/kinds.md), with options of its own.
            table_size, setup_rate, processing_delay, processing_queue: of a simulated switch.
            machine, instance: where it lives, and which instance has its portals, as of a host.
            cls: a subclass of `hybridnet.OVSSwitch` for the live node.
        """
        return self._graph.add_node(name, "switch", opts or self.sopts)

    def addSimHost(self, name: str, **opts: Any) -> str:
        """Add a simulated host, which answers ping. Returns its name.

        Args:
            name: as of a host.
            applications: what runs on it, such as ``[{"kind": "http_server", "port": 80, "size": "20 MB"}]``;
                see docs/topologies.md.
            ip, ip6, mac, defaultRoute, machine: as of a host.
            instance: which instance of that machine simulates it, by name or number; default: that of its neighbours.
            processing_delay: the time it takes to handle a packet that arrives, such as ``"10us"``; packets are handled
                one after the other. Default: no time.
            processing_queue: how many packets may wait to be handled; default 1000.

        Raises:
            TopologyError: the name is taken or malformed, or an option or application does not exist.
            UnitError: a quantity of an application has no unit.
        """
        return self._graph.add_node(name, "simhost", opts)

    def addSimRouter(self, name: str, **opts: Any) -> str:
        """Add a simulated router of IPv4 and IPv6. Returns its name.

        Args:
            name: as of a host.
            routes: list of (destination, next hop) pairs, all that it knows besides its own subnets. A destination is a
                prefix, ``"default"``, or the name of a node, whose first address counts; a next hop is an address on
                one of the router's links, or the name of the node at the other end of one. They stay when links go
                down. None: the plan computes the ways of the least delay.
            machine, instance, processing_delay, processing_queue: as of a simulated host.
        """
        return self._graph.add_node(name, "simrouter", opts)

    def addSimSwitch(self, name: str, **opts: Any) -> str:
        """Add a simulated learning switch. Returns its name.

        Args:
            name: as of a host.
            machine, instance, processing_delay, processing_queue: as of a simulated host.
        """
        return self._graph.add_node(name, "simswitch", opts)

    def addGuest(self, name: str, **opts: Any) -> str:
        """Add a place for a computer that joins from elsewhere by `hybridnet join`. Returns its name.

        It has one link, which needs a delay: what the way between the computers takes is hidden in it.

        Args:
            name: as of a host; at most 10 characters, because the guest's interface is named after it.
            ip, ip6, mac: as of a host; the guest's computer gets an interface with these.
            routes: list of (prefix, via) pairs that the guest's computer gets; default: the other subnets of a network
                with simulated routers.
            port: UDP port at which the run waits for it; default: 47900 for the first guest, and so on.
        """
        return self._graph.add_node(name, "guest", opts)

    def addNAT(self, name: str = "nat0", connect: str | bool = True, **opts: Any) -> str:
        """Add a host through which the others reach what its machine's computer reaches. Returns its name.

        Args:
            name: as of a host.
            connect: the node that it is linked to; True: the first switch; False: none.
            opts: as of a host; nat=True and inNamespace=False unless they say otherwise. Hosts on its segment that
                have no default route get one via it.

        Raises:
            TopologyError: as `addHost`; or there is no such node, or no switch.
        """
        if connect is True:
            switches = self.switches(sort=False)
            if not switches:
                raise TopologyError(
                    f"NAT {plain(name)}: there is no switch to link it to; add one first, or name connect="
                )
            connect = switches[0]
        if connect is not False:
            self._graph.known(connect, f"NAT {plain(name)}: connect")
        self.addHost(name, **{"inNamespace": False, "nat": True, **opts})
        if connect is not False:
            self.addLink(name, connect)
        return name

    def addNode(self, name: str, **opts: Any) -> str:
        """Add a host, or with isSwitch=True a switch, as Mininet's `addNode` does."""
        is_switch = flag(opts.pop("isSwitch", False), f"node {plain(name)}: isSwitch", error=TopologyError)
        return self.addSwitch(name, **opts) if is_switch else self.addHost(name, **opts)

    def addLink(
        self,
        node1: str | External,
        node2: str | External,
        port1: int | None = None,
        port2: int | None = None,
        key: int | None = None,
        **opts: Any,
    ) -> int:
        """Connect two nodes with a full-duplex link. Returns its key among the links of these two nodes.

        Args:
            node1, node2: names of nodes already in this topology, or a `hybridnet.External`.
            port1, port2: port numbers; default: the next ones.
            bw: rate of each direction; a number is Mbit/s, or text such as ``"10 Gbit/s"``. Default: no
                limit.
            delay: one-way propagation delay such as ``"5ms"``. Default 0.
            max_queue_size: bound of each sending end's queue: a number of packets, or ``"150 kB"``. Default
                1000.
            loss, jitter, aqm and the rest: every option of the table in docs/topologies.md, of both directions.
            intfName1, intfName2: interface names instead of node-ethN.
            addr1, addr2: MAC addresses of the two interfaces.
            params1, params2: dictionaries with ip, ip6, mac, mtu of that end's interface, and with options of the
                direction that starts there.
            mtu: of both interfaces, in bytes. Default 1500.
            patch: False: a veth pair joins two switches where nothing else is asked, so that both ends are devices, for
                tcpdump and tc. Default: a patch of Open vSwitch, which has none and is faster.

        Raises:
            TopologyError: a node is unknown, both ends are the same node, a port or interface is taken, or
                an option does not exist.
            UnitError: a quantity has no unit, is not a number, or is out of range.
        """
        outside = [node for node in (node1, node2) if isinstance(node, External)]
        ends = [node.device if isinstance(node, External) else node for node in (node1, node2)]
        added: list[str] = []
        try:
            added += [self._graph.add_node(node.device, "external", node.given()) for node in outside]
            return self._graph.add_link(ends[0], ends[1], port1, port2, key, opts or self.lopts)
        except HybridnetError:
            for name in added:
                self._graph.remove_node(name)
            raise

    def addPort(
        self, src: str, dst: str, sport: int | None = None, dport: int | None = None
    ) -> tuple[int, int]:
        """Choose and record the ports of a link from `src` to `dst`; Mininet's numbering. Returns both."""
        ports = self._graph.free_ports(src, dst, sport, dport)
        self._graph.join(src, dst, ports)
        return ports

    def addFluid(
        self, source: str, destination: str, model: Mapping[str, Any], name: str | None = None
    ) -> str:
        """Add a class of equal flows without packets, which loads every queue on its way. Returns its name.

        It takes the way of the plan's routes between two simulated hosts or routers of one instance; see "Fluid flows"
        in docs/topologies.md.

        Args:
            source, destination: names of nodes that are there already.
            model: what flows, as of `background=`, such as ``{"model": "tcp_flows", "flows": 50}``. TCP's round trip
                follows from the way.
            name: 1 to 64 characters, unique among fluids. Default: ``source-destination``, where that is taken
                with ``#1``, ``#2`` and so on.

        Raises:
            TopologyError: a node is unknown, the name is taken, or an option does not exist or makes no sense.
            UnitError: a quantity has no unit.

        Example:
            >>> topo = Topo()
            >>> a, b = topo.addSimHost("a"), topo.addSimHost("b")
            >>> topo.addFluid(a, b, {"model": "constant_rate", "rate": "20 Mbit/s"})
            'a-b'
        """
        return self._graph.add_fluid(source, destination, model, name)

    def addFluids(self, demands: Demands, **tcp: Any) -> list[str]:
        """Add a class of flows for each entry of a matrix of demands; all or none. Returns their names.

        Args:
            demands: by pairs of names, source and destination: a rate such as ``"20 Mbit/s"``, or a whole number of TCP
                flows. Or the name of a CSV file whose first line is ``source,destination,rate`` or
                ``source,destination,flows``.
            tcp: options of ``tcp_flows`` besides `flows`, such as ``congestion="cubic"``.

        Raises:
            TopologyError, UnitError: as `addFluid`; or the file cannot be read, or is not as said.

        Example:
            >>> topo = Topo()
            >>> a, b = topo.addSimHost("a"), topo.addSimHost("b")
            >>> topo.addFluids({(a, b): "20 Mbit/s", (b, a): 50}, congestion="cubic")
            ['a-b', 'b-a']
        """
        made = self._graph.copy()
        names = [made.add_fluid(source, end, model, None) for source, end, model in demands_of(demands, tcp)]
        self._graph = made
        return names

    # Removing

    def delLink(self, node1: str, node2: str, key: int | None = None) -> None:
        """Remove a link between two nodes: the first, or the one with `key`. Its ports and interface names are free.

        Raises:
            TopologyError: there is no such link.
        """
        self._graph.remove_link(self.spec(node1, node2, key))

    def delNode(self, name: str) -> None:
        """Remove a node and its links.

        Raises:
            TopologyError: there is no node of that name.
        """
        self._graph.remove_node(name)

    def reserve(self, what: str, nodes: int) -> None:
        """Refuse to go on where so many more hosts and switches do not fit, before the first of them is added.

        Raises:
            TopologyError: a description has at most 32,768 of them; `what` names this one.
        """
        whole(nodes, "reserve: nodes", 0, 1 << 62, error=TopologyError)
        self._graph.reserve(plain(what), nodes)

    # Looking

    def nodes(self, sort: bool = True) -> list[str]:
        """All node names, simulated ones too."""
        return self._named(lambda _: True, sort)

    def hosts(self, sort: bool = True) -> list[str]:
        """The emulated hosts."""
        return self._named(lambda spec: spec.role == "host", sort)

    def switches(self, sort: bool = True) -> list[str]:
        """The emulated switches."""
        return self._named(lambda spec: spec.role == "switch", sort)

    def simulated(self, sort: bool = True) -> list[str]:
        """The nodes that exist only inside the simulator."""
        return self._named(lambda spec: spec.simulated, sort)

    def isSwitch(self, name: str) -> bool:
        """Whether the node is an emulated switch."""
        return self._graph.known(name, "isSwitch").role == "switch"

    def iterLinks(self, withKeys: bool = False, withInfo: bool = False) -> Iterator[tuple[Any, ...]]:
        """Every link as (node1, node2[, key][, info]), in the order of `addLink`."""
        for link in self._graph.links:
            yield (
                link.a.node,
                link.b.node,
                *((link.key,) if withKeys else ()),
                *((_info(link),) if withInfo else ()),
            )

    def links(
        self, sort: bool = False, withKeys: bool = False, withInfo: bool = False
    ) -> list[tuple[Any, ...]]:
        """The links as tuples; `sort` orders them, and the two nodes of each, naturally."""
        found = list(self.iterLinks(withKeys, withInfo))
        if not sort:
            return found
        ordered = [(*sorted(link[:2], key=natural), *link[2:]) for link in found]
        return sorted(
            ordered, key=lambda link: (natural(link[0]), natural(link[1]), link[2] if withKeys else 0)
        )

    def linkInfo(self, src: str, dst: str, key: int | None = None) -> dict[str, Any]:
        """The options of a link, with node1, node2, port1, port2."""
        return _info(self.spec(src, dst, key))

    def nodeInfo(self, name: str) -> dict[str, Any]:
        """The options that the node was added with."""
        return dict(self._graph.known(name, "nodeInfo").options)

    def port(self, src: str, dst: str) -> tuple[int, int]:
        """The ports of the first link between two nodes, `src`'s first. Raises TopologyError if there is
        none.
        """
        for end in (src, dst):
            self._graph.known(end, "port")
        for sport, (node, dport) in self._graph.ports(src):
            if node == dst:
                return sport, dport
        raise TopologyError(f"port: there is no link between {src} and {dst}; add it with addLink")

    def spec(self, src: str, dst: str, key: int | None = None) -> LinkSpec:
        """The resolved link between two nodes (the first, or the one with `key`)."""
        for end in (src, dst):
            self._graph.known(end, f"link {plain(src)}-{plain(dst)}")
        for link in self._graph.between(src, dst):
            if key is None or link.key == key:
                return link
        which = "no link" if key is None else f"no link with key {shown(key)}"
        raise TopologyError(f"link: there is {which} between {src} and {dst}; add it with addLink")

    def node_specs(self) -> list[NodeSpec]:
        """All nodes, in the order in which they were added."""
        return list(self._graph.nodes.values())

    def node_spec(self, name: str) -> NodeSpec:
        """One node. Raises TopologyError if there is none of that name."""
        return self._graph.known(name, "node_spec")

    def fluid_specs(self) -> list[FluidSpec]:
        """All classes of fluid flows, in the order in which they were added."""
        return list(self._graph.fluids.values())

    def link_specs(self) -> list[LinkSpec]:
        """All links, in the order in which they were added."""
        return list(self._graph.links)

    @staticmethod
    def sorted(items: list[str]) -> list[str]:
        """Names in natural order."""
        if not isinstance(items, Iterable):
            raise TopologyError(f"sorted: {shown(items)} is not a list of names; write ['h2', 'h10']")
        return sorted((text(item, "sorted: name", error=TopologyError) for item in items), key=natural)

    def revised(
        self,
        nodes: Mapping[str, Mapping[str, Any]] | None = None,
        links: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Topo:
        """A copy with other options of some nodes and links. This one stays as it is.

        Args:
            nodes, links: their options, by name, in place of those that they have.

        Raises:
            TopologyError, UnitError: an option makes no sense there.
        """
        nodes, links = ({} if given is None else given for given in (nodes, links))
        each = [value for given in (nodes, links) if isinstance(given, Mapping) for value in given.values()]
        for given in (nodes, links, *each):
            if not isinstance(given, Mapping):
                raise TopologyError(
                    f"revised: {shown(given)} is not a dictionary of options; write {{'bw': 10}}"
                )
        made = Topo()
        made._graph = self._graph.revised(nodes, links)
        return made

    def copy(self) -> Topo:
        """The same description, to be changed apart from this one; a plain Topo, whatever class this one is of."""
        made = Topo()
        made._graph = self._graph.copy()
        made.hopts, made.sopts, made.lopts = dict(self.hopts), dict(self.sopts), dict(self.lopts)
        return made

    def restore(self, earlier: Topo) -> None:
        """Become what `earlier`, a `copy` of this description, says. Raises TopologyError if it is none."""
        if not isinstance(earlier, Topo):
            raise TopologyError(f"restore: {shown(earlier)} is not a description; give what copy() returned")
        self._graph = earlier._graph.copy()

    def _named(self, wanted: Any, sort: bool) -> list[str]:
        names = [spec.name for spec in self._graph.nodes.values() if wanted(spec)]
        return sorted(names, key=natural) if sort else names


def _info(link: LinkSpec) -> dict[str, object]:
    ends = {"node1": link.a.node, "node2": link.b.node, "port1": link.a.port, "port2": link.b.port}
    return {**link.options, **ends}


def _options(params: dict[str, object], name: str) -> dict[str, object]:
    given = params.pop(name, None)
    if given is not None and not isinstance(given, Mapping):
        raise TopologyError(
            f"Topo: {name} {shown(given)} is not a dictionary of options; write {{'machine': 'm1'}}"
        )
    return dict(given or {})


def _require_self(kind: type[Topo]) -> None:
    """Raise TopologyError if its `build` can be called by nobody: it has no parameter for the description itself."""
    if callable(kind.build) and not inspect.signature(kind.build).parameters:
        raise TopologyError(f"{kind.__name__}: its build has no parameter; write def build(self)")


def require_built(topo: Topo) -> None:
    """Raise TopologyError if this has nothing, and a method of its class looks as if it were to be `build`."""
    kind = type(topo)
    if topo.nodes() or kind.build is not Topo.build:
        return
    classes = kind.__mro__[: kind.__mro__.index(Topo)]
    own = [name for each in classes for name, value in vars(each).items() if callable(value)]
    if near := nearest("build", own):
        raise TopologyError(
            f"{kind.__name__} describes nothing: nobody calls its method {near}; did you mean build?"
        )
