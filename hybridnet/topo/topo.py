# SPDX-License-Identifier: MIT
"""Topo: the description of a network. It creates nothing.

Mininet's vocabulary, and two additions: `machine=` says where a node lives, and `addSimHost`, `addSimRouter`,
`addSimSwitch` describe nodes that exist only inside the simulator. Whether a link becomes a veth pair, a
simulated link behind portals, or a cut link between two instances is the plan's business: nobody wires that
by hand.

Interfaces are named as in Mininet: the node, "-eth", the port number. Ports count from 0 at hosts, from 1 at
switches and routers: h1-eth0, s1-eth1, r1-eth1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.topo.applications import resolve_applications
from hybridnet.topo.direction import DIRECTION_OPTIONS, Direction, resolve_direction
from hybridnet.topo.nodes import TopoNodes
from hybridnet.topo.options import (
    END_OPTIONS,
    LINK_OPTIONS,
    NODE_OPTIONS,
    UNSUPPORTED_LINK_OPTIONS,
    UNSUPPORTED_NODE_OPTIONS,
    End,
    check_names,
    resolve_end,
    resolve_processing,
)
from hybridnet.topo.specs import LinkSpec, NodeSpec, natural

__all__ = ["LinkSpec", "NodeSpec", "Topo", "TopologyError", "natural"]

# A name is used in device names, namespace names and file names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class Topo(TopoNodes):
    """A network, described. Override `build` (or `__init__`) and call `addHost`, `addSwitch`, `addLink`
    there.

    Args:
        *args, **params: handed to `build`, except the next three.
        hopts, sopts, lopts: options of every host, switch and link that is added without options of its own.

    Example:
        >>> topo = Topo()
        >>> h1, s1 = topo.addHost("h1"), topo.addSwitch("s1")
        >>> key = topo.addLink(h1, s1, bw=10, delay="5ms")
        >>> topo.spec("h1", "s1").a_to_b.rate_bps
        10000000
    """

    def __init__(self, *args: Any, **params: Any) -> None:
        self._nodes: dict[str, NodeSpec] = {}
        self._links: list[LinkSpec] = []
        self._ports: dict[str, dict[int, tuple[str, int]]] = {}
        self._interfaces: dict[str, str] = {}  # which link has it
        self._pairs: dict[frozenset[str], list[LinkSpec]] = {}
        self.hopts: dict[str, Any] = params.pop("hopts", {})
        self.sopts: dict[str, Any] = params.pop("sopts", {})
        self.lopts: dict[str, Any] = params.pop("lopts", {})
        self.build(*args, **params)

    def build(self, *args: Any, **params: Any) -> None:
        """Override this to add nodes and links."""

    # Adding

    def addHost(self, name: str, **opts: Any) -> str:
        """Add an emulated host: a network namespace. Returns its name.

        Args:
            name: letters, digits, ``_ . -``; unique in the topology.
            ip: ``"10.0.0.1/8"``; default: assigned by the plan. None: no address.
            ip6: ``"fd00::1/64"``; default: assigned by the plan where the network has an ip6_base. None: no address.
            mac: default: derived from the name, or from the address with autoSetMacs.
            defaultRoute: ``"via 10.0.0.254"`` or ``"dev h1-eth0"``.
            routes: list of (prefix, via) pairs.
            machine: where it lives; default: where its neighbours live.
            privateDirs: directories that only this host sees.
            cls: a subclass of `hybridnet.Host` for the live node.

        Raises:
            TopologyError: the name is taken or malformed, or an option does not exist.
        """
        return self._add(name, "host", opts or self.hopts)

    def addSwitch(self, name: str, **opts: Any) -> str:
        """Add an emulated switch: an Open vSwitch bridge. Returns its name.

        Args:
            name: as of a host; at most 15 characters, because the bridge is a device.
            dpid: up to 16 hexadecimal digits; default: the first number in the name.
            protocols: ``"OpenFlow13"`` (default) or a comma-separated list.
            failMode: ``"secure"`` (default) or ``"standalone"``.
            machine: where it lives.
            cls: a subclass of `hybridnet.OVSSwitch` for the live node.
        """
        return self._add(name, "switch", opts or self.sopts)

    def addSimHost(self, name: str, **opts: Any) -> str:
        """Add a simulated host, which answers ping. Returns its name.

        Args:
            name: as of a host.
            applications: what runs on it, such as ``[{"kind": "http_server", "port": 80, "size": "20 MB"}]``;
                see docs/topologies.md.
            ip, ip6, mac, defaultRoute, machine: as of a host.
            processing_delay: what it needs to handle a packet that arrives, such as ``"10us"``; packets are handled one
                after the other. Default: no time.
            processing_queue: how many packets may wait for that; default 1000.

        Raises:
            TopologyError: the name is taken or malformed, or an option or application does not exist.
            UnitError: a quantity of an application has no unit.
        """
        return self._add(name, "simhost", opts)

    def addSimRouter(self, name: str, **opts: Any) -> str:
        """Add a simulated router of IPv4 and IPv6; the plan computes its routes. Returns its name.

        Args:
            name: as of a host.
            machine, processing_delay, processing_queue: as of a simulated host.
        """
        return self._add(name, "simrouter", opts)

    def addSimSwitch(self, name: str, **opts: Any) -> str:
        """Add a simulated learning switch. Returns its name.

        Args:
            name: as of a host.
            machine, processing_delay, processing_queue: as of a simulated host.
        """
        return self._add(name, "simswitch", opts)

    def addNode(self, name: str, **opts: Any) -> str:
        """Add a host, or a switch where isSwitch=True is given, as Mininet's `addNode` does."""
        return self._add(name, "switch" if opts.pop("isSwitch", False) else "host", opts)

    def addLink(
        self,
        node1: str,
        node2: str,
        port1: int | None = None,
        port2: int | None = None,
        key: int | None = None,
        **opts: Any,
    ) -> int:
        """Connect two nodes with a full-duplex link. Returns its key among the links of these two nodes.

        Args:
            node1, node2: names of nodes already in this topology.
            port1, port2: port numbers; default: the next ones.
            bw: rate of each direction; a number is Mbit/s, or text such as ``"10 Gbit/s"``. Default: no
                limit.
            delay: one-way propagation delay such as ``"5ms"``. Default 0.
            max_queue_size: bound of each sending end's queue: a number of packets, or ``"150 kB"``. Default
                1000.
            overhead: bytes added to every frame on the wire. Default 0.
            train_limit: how long a train may hold the link, such as ``"50us"``; 0 means single segments.
            burst, peak: a token bucket instead of a constant rate: its tokens come at bw, it holds burst bytes, and
                what has tokens leaves at peak (default: at once).
            slots: rates that take turns, over and over, instead of bw: ``[("2s", 10), ("1s", "500 kbit/s")]``.
            trace: a mahimahi trace file on the link's machine instead of bw; trace_bytes is what each of its
                opportunities carries (default 1514).
            loss, duplicate, corrupt: percentage of the packets that are lost, sent twice, or damaged by one bit. A
                dictionary with ``model`` is another loss model, see docs/topologies.md.
            bit_error_rate: of each bit, instead of corrupt.
            jitter: the delay varies by so much, such as ``"1ms"``; packets overtake each other, as with netem. A
                dictionary with ``model`` is what comes upon the delay, see docs/topologies.md.
            jitter_distribution: ``"uniform"``, as netem without a distribution: within delay ± jitter;
                ``"normal"``: jitter is the standard deviation; ``"exponential"``: jitter is the mean of what comes
                upon the delay. Default uniform.
            keep_order: packets of different delay do not overtake each other.
            reorder: percentage of the packets that skip the delay, and so overtake; with reorder_gap only each last
                of so many packets may.
            aqm: ``"red"``, ``"codel"`` or ``"fq_codel"`` instead of drop-tail, or a dictionary with one of them as
                ``model`` and its parameters; needs bw, slots or trace.
            watch_queue: the queue keeps histograms of sojourn time and occupancy; see docs/topologies.md.
            ecn: aqm marks packets whose sender understands it instead of dropping them.
            enable_red, enable_ecn: Mininet's: RED with Mininet's parameters, the second with ecn.
            model, model_args: a plug-in of your own decides loss, delay or rate, and its arguments; see
                docs/plugins.md.
            intfName1, intfName2: interface names instead of node-ethN.
            addr1, addr2: MAC addresses of the two interfaces.
            params1, params2: dictionaries with ip, ip6, mac, mtu of that end's interface, and with options of the
                direction that starts there.
            mtu: of both interfaces, in bytes. Default 1500.
            cls, use_htb: accepted and without effect: a link with a rate or a delay is always simulated.

        Raises:
            TopologyError: a node is unknown, both ends are the same node, a port or interface is taken, or
                an option does not exist.
            UnitError: a quantity has no unit, is no number, or is out of range.
        """
        opts = opts or self.lopts
        what = f"link {node1}-{node2}"
        for node in (node1, node2):
            self._known(node, what)
        if node1 == node2:
            raise TopologyError(f"{what}: both ends are the same node; connect two nodes")
        check_names(opts, LINK_OPTIONS, UNSUPPORTED_LINK_OPTIONS, what)
        both = {name: value for name, value in opts.items() if name in DIRECTION_OPTIONS}
        port1, port2 = self.addPort(node1, node2, port1, port2)
        ends: list[End] = []
        directions: list[Direction] = []
        for number, node, port in ((1, node1, port1), (2, node2, port2)):
            params = self._end_params(opts, number, what)
            interface = opts.get(f"intfName{number}") or f"{node}-eth{port}"
            ends.append(resolve_end(node, port, interface, params, what))
            own = {name: value for name, value in params.items() if name in DIRECTION_OPTIONS}
            directions.append(resolve_direction({**both, **own}, what))
        self._refuse_taken_interfaces(ends, what)
        siblings = self._between(node1, node2)
        if key is None:
            key = max((link.key for link in siblings), default=-1) + 1
        elif any(link.key == key for link in siblings):
            raise TopologyError(
                f"{what}: key {key} is taken by another link of these two nodes; choose another key"
            )
        name = f"{node1}-{node2}" if not siblings else f"{node1}-{node2}#{key}"
        link = LinkSpec(name, ends[0], ends[1], directions[0], directions[1], key, dict(opts))
        self._links.append(link)
        self._pairs.setdefault(frozenset((node1, node2)), []).append(link)
        self._interfaces.update({end.interface: name for end in ends})
        return key

    def addPort(
        self, src: str, dst: str, sport: int | None = None, dport: int | None = None
    ) -> tuple[int, int]:
        """Choose and record the ports of a link from `src` to `dst`; Mininet's numbering. Returns both."""
        what = f"link {src}-{dst}"
        sport = self._free_port(src, sport, what)
        dport = self._free_port(dst, dport, what)
        self._ports[src][sport] = (dst, dport)
        self._ports[dst][dport] = (src, sport)
        return sport, dport

    # Inside

    def _add(self, name: str, kind: str, opts: Mapping[str, Any]) -> str:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise TopologyError(
                f"node {name!r}: a name starts with a letter or digit and has letters, digits, '_', '.', '-' only"
            )
        if name in self._nodes:
            raise TopologyError(
                f"node {name}: the name is taken by another {self._nodes[name].kind}; choose another"
            )
        check_names(opts, NODE_OPTIONS[kind], UNSUPPORTED_NODE_OPTIONS, f"{kind} {name}")
        if kind == "host" and opts.get("inNamespace", True) is not True:
            raise TopologyError(
                f"host {name}: inNamespace=False is not supported; use `hybridnet exec MACHINE ...`"
            )
        if kind == "switch" and opts.get("inNamespace", False) is not False:
            raise TopologyError(f"switch {name}: inNamespace=True is not supported; leave it out")
        options = dict(opts)
        resolve_processing(options, f"{kind} {name}")
        if kind == "simhost" and "applications" in options:
            options["applications"] = resolve_applications(options["applications"], f"simhost {name}")
        self._nodes[name] = NodeSpec(name, kind, options)
        self._ports[name] = {}
        return name

    def _free_port(self, node: str, wanted: int | None, what: str) -> int:
        taken = self._ports[node]
        first = 0 if self._nodes[node].kind in ("host", "simhost") else 1
        if wanted is None:
            number = first + len(taken)
            return number if number not in taken else max(taken) + 1
        if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < first or wanted > 65279:
            raise TopologyError(f"{what}: port {wanted!r} of {node} is out of range; write {first} to 65279")
        if wanted in taken:
            raise TopologyError(f"{what}: port {wanted} of {node} is taken by its link to {taken[wanted][0]}")
        return wanted

    def _end_params(self, opts: Mapping[str, Any], number: int, what: str) -> dict[str, Any]:
        params = dict(opts.get(f"params{number}") or {})
        check_names(
            params, END_OPTIONS | DIRECTION_OPTIONS, UNSUPPORTED_LINK_OPTIONS, f"{what}: params{number}"
        )
        if opts.get(f"addr{number}") is not None:
            params.setdefault("mac", opts[f"addr{number}"])
        if opts.get("mtu") is not None:
            params.setdefault("mtu", opts["mtu"])
        return params

    def _refuse_taken_interfaces(self, ends: list[End], what: str) -> None:
        for end in ends:
            if end.interface in self._interfaces:
                raise TopologyError(
                    f"{what}: interface {end.interface} is taken by link {self._interfaces[end.interface]}; "
                    "choose another intfName"
                )
        if ends[0].interface == ends[1].interface:
            raise TopologyError(
                f"{what}: both ends are named {ends[0].interface}; give them different intfName1, intfName2"
            )
