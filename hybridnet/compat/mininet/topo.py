# SPDX-License-Identifier: MIT
"""Mininet's `Topo`: a graph with options, which checks nothing; hybridnet does, when the network is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridnet.compat.mininet.util import irange, natural

__all__ = ["LinearTopo", "MinimalTopo", "MultiGraph", "SingleSwitchReversedTopo", "SingleSwitchTopo", "Topo"]


class MultiGraph:
    """Nodes and numbered edges between them, each with a dictionary; what networkx's class of that name has of it."""

    def __init__(self) -> None:
        self.node: dict[str, dict[str, object]] = {}
        self.edge: dict[str, dict[str, dict[int, dict[str, object]]]] = {}

    def add_node(self, node: str, attr_dict: dict[str, object] | None = None, **attrs: Any) -> None:
        """Add a node, or change its dictionary."""
        self.node[node] = {**(attr_dict or {}), **attrs}

    def add_edge(
        self,
        src: str,
        dst: str,
        key: int | None = None,
        attr_dict: dict[str, object] | None = None,
        **attrs: Any,
    ) -> int:
        """Add an edge, and its nodes if they are new. Returns its key: the number after the others', from 1 on, where
        none is given.
        """
        for node in (src, dst):
            self.node.setdefault(node, {})
            self.edge.setdefault(node, {})
        between = self.edge[src].setdefault(dst, {})
        self.edge[dst][src] = between
        if key is None:
            key = max((number for number in between if isinstance(number, int)), default=0) + 1
        between[key] = {**(attr_dict or {}), **attrs}
        return key

    def nodes(self, data: bool = False) -> list[Any]:
        """The nodes, with their dictionaries if asked."""
        return list(self.node.items()) if data else list(self.node)

    def edges_iter(self, data: bool = False, keys: bool = False) -> Iterator[tuple[Any, ...]]:
        """Every edge once, from the end whose name is the lesser one."""
        for src, far in self.edge.items():
            for dst, between in far.items():
                for key, attrs in between.items() if src <= dst else ():
                    yield (src, dst, *((key,) if keys else ()), *((attrs,) if data else ()))

    def edges(self, data: bool = False, keys: bool = False) -> list[tuple[Any, ...]]:
        """The edges as a list."""
        return list(self.edges_iter(data, keys))

    def __getitem__(self, node: str) -> dict[str, dict[int, dict[str, object]]]:
        return self.edge[node]

    def __len__(self) -> int:
        return len(self.node)

    def convertTo(self, cls: Any, data: bool = False, keys: bool = False) -> Any:
        """The same graph as another class, such as networkx.MultiGraph."""
        graph = cls()
        graph.add_nodes_from(self.nodes(data=data))
        graph.add_edges_from(self.edges(data=data, keys=keys))
        return graph


class Topo:
    """A network, described. Override `build` (or `__init__`) and call `addHost`, `addSwitch`, `addLink` there.

    Args:
        *args, **params: handed to `build`, except hopts, sopts, lopts: options of every host, switch and link that is
            added without options of its own.
    """

    def __init__(self, *args: Any, **params: Any) -> None:
        self.g = MultiGraph()
        self.hopts: dict[str, object] = params.pop("hopts", {})
        self.sopts: dict[str, object] = params.pop("sopts", {})
        self.lopts: dict[str, object] = params.pop("lopts", {})
        self.ports: dict[str, dict[int, tuple[str, int]]] = {}
        self.build(*args, **params)

    def build(self, *args: Any, **params: Any) -> None:
        """Override this to add nodes and links."""

    def addNode(self, name: str, **opts: Any) -> str:
        """Add a node. Returns its name."""
        self.g.add_node(name, **opts)
        return name

    def addHost(self, name: str, **opts: Any) -> str:
        """Add a host. Returns its name."""
        return self.addNode(name, **(opts or self.hopts))

    def addSwitch(self, name: str, **opts: Any) -> str:
        """Add a switch. Returns its name."""
        return self.addNode(name, isSwitch=True, **(opts or self.sopts))

    def addLink(
        self,
        node1: str,
        node2: str,
        port1: int | None = None,
        port2: int | None = None,
        key: int | None = None,
        **opts: Any,
    ) -> int:
        """Add a link. Returns its key among the links of these two nodes."""
        opts = dict(opts or self.lopts)
        port1, port2 = self.addPort(node1, node2, port1, port2)
        opts.update(node1=node1, node2=node2, port1=port1, port2=port2)
        return self.g.add_edge(node1, node2, key, opts)

    def addPort(
        self, src: str, dst: str, sport: int | None = None, dport: int | None = None
    ) -> tuple[int, int]:
        """The ports of a link from `src` to `dst`: hosts count from 0, switches from 1. Returns both."""
        for node in (src, dst):
            self.ports.setdefault(node, {})
        if sport is None:
            sport = len(self.ports[src]) + (1 if self.isSwitch(src) else 0)
        if dport is None:
            dport = len(self.ports[dst]) + (1 if self.isSwitch(dst) else 0)
        self.ports[src][sport] = (dst, dport)
        self.ports[dst][dport] = (src, sport)
        return sport, dport

    def nodes(self, sort: bool = True) -> list[str]:
        """The names of all nodes."""
        return self.sorted(self.g.nodes()) if sort else self.g.nodes()

    def isSwitch(self, n: str) -> bool:
        """Whether the node is a switch."""
        return bool(self.g.node[n].get("isSwitch", False))

    def switches(self, sort: bool = True) -> list[str]:
        """The names of the switches."""
        return [name for name in self.nodes(sort) if self.isSwitch(name)]

    def hosts(self, sort: bool = True) -> list[str]:
        """The names of the hosts."""
        return [name for name in self.nodes(sort) if not self.isSwitch(name)]

    def iterLinks(self, withKeys: bool = False, withInfo: bool = False) -> Iterator[tuple[Any, ...]]:
        """Every link as (node1, node2[, key][, info])."""
        for _, _, key, info in self.g.edges_iter(data=True, keys=True):
            yield (
                info["node1"],
                info["node2"],
                *((key,) if withKeys else ()),
                *((info,) if withInfo else ()),
            )

    def links(
        self, sort: bool = False, withKeys: bool = False, withInfo: bool = False
    ) -> list[tuple[Any, ...]]:
        """The links as tuples; `sort` orders them naturally, and leaves each link's nodes as they are."""
        found = list(self.iterLinks(withKeys, withInfo))
        if not sort:
            return found
        return sorted(found, key=lambda link: [natural(str(word)) for word in link[: 3 if withKeys else 2]])

    def port(self, src: str, dst: str) -> tuple[int, int] | list[tuple[int, int]]:
        """The ports of the link between two nodes, `src`'s first; a list where there are several links, or none."""
        found = [(sport, dport) for sport, (node, dport) in self.ports[src].items() if node == dst]
        return found[0] if len(found) == 1 else found

    def linkInfo(self, src: str, dst: str, key: int | None = None) -> dict[str, object]:
        """The options of a link, with node1, node2, port1, port2."""
        between = self.g[src][dst]
        return between[min(between) if key is None else key]

    def setlinkInfo(self, src: str, dst: str, info: dict[str, object], key: int | None = None) -> None:
        """Replace the options of a link."""
        between = self.g[src][dst]
        between[min(between) if key is None else key] = info

    def nodeInfo(self, name: str) -> dict[str, object]:
        """The options of a node."""
        return self.g.node[name]

    def setNodeInfo(self, name: str, info: dict[str, object]) -> None:
        """Replace the options of a node."""
        self.g.node[name] = info

    def convertTo(self, cls: Any, data: bool = True, keys: bool = True) -> Any:
        """The graph as another class, such as networkx.MultiGraph."""
        return self.g.convertTo(cls, data=data, keys=keys)

    @staticmethod
    def sorted(items: list[str]) -> list[str]:
        """Names in natural order."""
        return sorted(items, key=natural)


class SingleSwitchTopo(Topo):
    """One switch with k hosts."""

    def build(self, k: int = 2, **_opts: Any) -> None:
        """Add them."""
        self.k = k
        switch = self.addSwitch("s1")
        for number in irange(1, k):
            self.addLink(self.addHost(f"h{number}"), switch)


class SingleSwitchReversedTopo(Topo):
    """One switch with k hosts, the last of which has the first port."""

    def build(self, k: int = 2) -> None:
        """Add them."""
        self.k = k
        switch = self.addSwitch("s1")
        for number in irange(1, k):
            self.addLink(self.addHost(f"h{number}"), switch, port1=0, port2=k - number + 1)


class MinimalTopo(SingleSwitchTopo):
    """One switch with two hosts."""

    def build(self) -> None:  # type: ignore[override]
        """Add them."""
        super().build(k=2)


class LinearTopo(Topo):
    """A row of k switches with n hosts each: h1 ... hk, or h1s1, h2s1 ... where n is above 1."""

    def build(self, k: int = 2, n: int = 1, **_opts: Any) -> None:
        """Add them."""
        self.k, self.n = k, n
        last = None
        for number in irange(1, k):
            switch = self.addSwitch(f"s{number}")
            for of_switch in irange(1, n):
                host = self.addHost(f"h{number}" if n == 1 else f"h{of_switch}s{number}")
                self.addLink(host, switch)
            if last is not None:
                self.addLink(switch, last)
            last = switch
