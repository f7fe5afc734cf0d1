# SPDX-License-Identifier: MIT
"""Graph: the nodes, ports and links of a description. Names, ports and interfaces are unique."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Any

from hybridnet.describe.topo.fluids import FluidSpec, resolve_fluid
from hybridnet.describe.topo.links import describe_link, link_options
from hybridnet.describe.topo.node_options import check_node_name, resolve_node
from hybridnet.describe.topo.options import End
from hybridnet.describe.topo.roles import ROLES
from hybridnet.describe.topo.specs import LinkSpec, NodeSpec
from hybridnet.describe.values import plain, shown
from hybridnet.errors import TopologyError

__all__ = ["MOST_EMULATED", "Graph"]

MOST_NODES = 250_000  # of one description
MOST_EMULATED = 32_768  # hosts and switches; a machine holds some hundreds, a large one some thousands
MOST_PORTS = 65279  # of a switch, in OpenFlow


class Graph:
    """What a `hybridnet.Topo` has been given."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeSpec] = {}
        self.links: list[LinkSpec] = []
        self.fluids: dict[str, FluidSpec] = {}
        self.emulated = 0  # nodes
        self._ports: dict[str, dict[int, tuple[str, int]]] = {}
        self._interfaces: dict[str, str] = {}  # which link has it
        self._inside: dict[tuple[str, str], str] = {}  # the same, of the names in each node
        self._pairs: dict[frozenset[str], list[LinkSpec]] = {}

    def add_node(self, name: object, role: str, options: Mapping[str, Any]) -> str:
        """Raise TopologyError, UnitError: the name is taken or malformed, or an option makes no sense."""
        name = check_node_name(name, role)
        if name in self.nodes:
            raise TopologyError(
                f"node {name}: the name is taken by another {self.nodes[name].role}; choose another"
            )
        spec = NodeSpec(name, role, dict(options), resolve_node(role, name, options))
        if len(self.nodes) >= MOST_NODES:
            raise TopologyError(f"{role} {name}: a description has at most {MOST_NODES} nodes; add fewer")
        if not spec.simulated:
            self.reserve(f"{role} {name}", 1)
            self.emulated += 1
        self.nodes[name] = spec
        self._ports[name] = {}
        return name

    def reserve(self, what: str, nodes: int) -> None:
        """Raise TopologyError where so many more emulated nodes do not fit."""
        if nodes > MOST_EMULATED - self.emulated:
            raise TopologyError(
                f"{what}: it makes more than {MOST_EMULATED} hosts and switches, which nothing can hold; ask for fewer"
            )

    def add_link(
        self, node1: str, node2: str, port1: object, port2: object, key: object, options: Mapping[str, Any]
    ) -> int:
        """Add a link. Returns its key among the links of the two nodes. A refused link leaves nothing behind."""
        what = f"link {plain(node1)}-{plain(node2)}"
        nodes = self.known(node1, what), self.known(node2, what)
        if node1 == node2:
            raise TopologyError(f"{what}: both ends are the same node; connect two nodes")
        given = link_options(options, what)
        ports = self._free_port(node1, port1, what), self._free_port(node2, port2, what)
        siblings = self.between(node1, node2)
        number = self._free_key(siblings, key, what)
        name = f"{node1}-{node2}" if not siblings else f"{node1}-{node2}#{number}"
        link = describe_link(nodes, ports, number, name, given)
        for end in (link.a, link.b):
            if end.interface in self._interfaces:
                raise TopologyError(
                    f"{what}: interface {end.interface} is taken by link {self._interfaces[end.interface]}; "
                    "choose another intfName"
                )
            if (
                clash := next((each for each in _names_inside(end) if each in self._inside), None)
            ) is not None:
                raise TopologyError(
                    f"{what}: host {end.node} has an interface {clash[1]} already, at link {self._inside[clash]}; "
                    "choose another name"
                )
        self.join(node1, node2, ports)
        self.links.append(link)
        self._pairs.setdefault(frozenset((node1, node2)), []).append(link)
        self._interfaces.update({end.interface: name for end in (link.a, link.b)})
        self._inside.update({each: name for end in (link.a, link.b) for each in _names_inside(end)})
        return number

    def add_fluid(self, source: Any, destination: Any, model: Any, name: Any) -> str:
        """Add a class of flows. Returns its name. Raises as `add_node`."""
        what = f"fluid from {plain(source)} to {plain(destination)}"
        ends = self.known(source, what).name, self.known(destination, what).name
        if source == destination:
            raise TopologyError(f"{what}: both ends are the same node; name two")
        if name is None:
            between = f"{ends[0]}-{ends[1]}"
            numbered = (f"{between}#{number}" for number in count(1))
            name = next(each for each in chain([between], numbered) if each not in self.fluids)
        spec = resolve_fluid(name, *ends, model)
        if spec.name in self.fluids:
            raise TopologyError(f"fluid {spec.name}: the name is taken by another one; choose another")
        self.fluids[spec.name] = spec
        return spec.name

    def remove_link(self, link: LinkSpec) -> None:
        """Remove a link of this network; its ports and interface names are free again."""
        self.links.remove(link)
        self.between(link.a.node, link.b.node).remove(link)
        for end in (link.a, link.b):
            del self._ports[end.node][end.port]
            del self._interfaces[end.interface]
            for each in _names_inside(end):
                del self._inside[each]

    def remove_node(self, name: Any) -> None:
        """Remove a node, its links, and the fluids that begin or end there. Raises TopologyError if there is none."""
        spec = self.known(name, "delNode")
        for link in [link for link in self.links if name in (link.a.node, link.b.node)]:
            self.remove_link(link)
        self.fluids = {
            key: each for key, each in self.fluids.items() if name not in (each.source, each.destination)
        }
        self.emulated -= not spec.simulated
        del self.nodes[name], self._ports[name]

    def copy(self) -> Graph:
        """The same network, to be changed apart from this one."""
        made = Graph()
        made.nodes, made.links, made.emulated = dict(self.nodes), list(self.links), self.emulated
        made.fluids = dict(self.fluids)
        made._ports = {name: dict(ports) for name, ports in self._ports.items()}
        made._interfaces, made._inside = dict(self._interfaces), dict(self._inside)
        made._pairs = {ends: list(links) for ends, links in self._pairs.items()}
        return made

    def free_ports(self, src: str, dst: str, sport: Any, dport: Any) -> tuple[int, int]:
        """The ports that a link from `src` to `dst` would have."""
        what = f"link {plain(src)}-{plain(dst)}"
        self.known(src, what)
        self.known(dst, what)
        return self._free_port(src, sport, what), self._free_port(dst, dport, what)

    def join(self, src: str, dst: str, ports: tuple[int, int]) -> None:
        """Write down that a link has these ports."""
        self._ports[src][ports[0]] = (dst, ports[1])
        self._ports[dst][ports[1]] = (src, ports[0])

    def known(self, name: Any, what: str) -> NodeSpec:
        """The node of that name. Raises TopologyError if there is none; `what` says who asks."""
        try:
            return self.nodes[name]
        except (KeyError, TypeError):
            raise TopologyError(
                f"{what}: there is no node {shown(name)}; add it (addHost, addSwitch) first"
            ) from None

    def between(self, src: str, dst: str) -> list[LinkSpec]:
        """The links of two nodes."""
        return self._pairs.get(frozenset((src, dst)), [])

    def ports(self, name: str) -> Iterator[tuple[int, tuple[str, int]]]:
        """Each port of a node, with the node and port at its other end; by number."""
        return iter(sorted(self._ports[name].items()))

    def revised(
        self, nodes: Mapping[str, Mapping[str, Any]], links: Mapping[str, Mapping[str, Any]]
    ) -> Graph:
        """The same network with other options of some nodes and links, by name.

        Raises:
            TopologyError, UnitError: an option makes no sense there.
        """
        for name in nodes:
            self.known(name, "revised")
        if alien := links.keys() - {link.name for link in self.links}:
            raise TopologyError(f"revised: there is no link {shown(min(alien))}; links are named like h1-s1")
        made = Graph()
        made.emulated, made.fluids = self.emulated, dict(self.fluids)
        for name, spec in self.nodes.items():
            options = nodes.get(name, spec.options)
            resolved = spec.resolved
            if options != spec.options:
                resolved = resolve_node(spec.role, name, options)
            made.nodes[name] = replace(spec, options=options, resolved=resolved)
        made._ports, made._interfaces, made._inside = self._ports, self._interfaces, self._inside
        made.links = [self._relinked(link, links.get(link.name)) for link in self.links]
        for link in made.links:
            made._pairs.setdefault(frozenset((link.a.node, link.b.node)), []).append(link)
        return made

    def _relinked(self, link: LinkSpec, given: Mapping[str, Any] | None) -> LinkSpec:
        options = link.options if given is None else link_options(given, f"link {link.name}")
        if options == link.options:
            return link
        nodes = self.nodes[link.a.node], self.nodes[link.b.node]
        ports = link.a.port, link.b.port
        return describe_link(nodes, ports, link.key, link.name, options)

    def _free_port(self, node: str, wanted: Any, what: str) -> int:
        taken = self._ports[node]
        first = 0 if ROLES[self.nodes[node].role].is_end else 1
        if wanted is None:
            number = first + len(taken)
            wanted = number if number not in taken else max(taken) + 1
        if type(wanted) is not int or not first <= wanted <= MOST_PORTS:
            cure = "" if type(wanted) is int else "; an option has its name before it, such as bw=10"
            raise TopologyError(
                f"{what}: port {shown(wanted)} of {node} is out of range; write {first} to {MOST_PORTS}{cure}"
            )
        if wanted in taken:
            raise TopologyError(f"{what}: port {wanted} of {node} is taken by its link to {taken[wanted][0]}")
        return wanted

    @staticmethod
    def _free_key(siblings: list[LinkSpec], wanted: Any, what: str) -> int:
        if wanted is None:
            return max((link.key for link in siblings), default=-1) + 1
        if type(wanted) is not int or not 0 <= wanted < 1 << 31:
            raise TopologyError(f"{what}: key {shown(wanted)} is out of range; write 0, 1, 2 ...")
        if any(link.key == wanted for link in siblings):
            raise TopologyError(
                f"{what}: key {wanted} is taken by another link of these two nodes; choose another key"
            )
        return wanted


def _names_inside(end: End) -> set[tuple[str, str]]:
    """The names by which an interface is known in its node: a host that gives it another one knows both."""
    return {(end.node, end.interface), (end.node, end.inside or end.interface)}
