# SPDX-License-Identifier: MIT
"""Looking at a description: its nodes, links and ports, as Mininet's `Topo` tells them, and as the plan reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.topo.specs import LinkSpec, NodeSpec, natural

__all__ = ["TopoNodes"]


class TopoNodes:
    """The part of `hybridnet.Topo` that changes nothing."""

    _nodes: dict[str, NodeSpec]
    _links: list[LinkSpec]
    _ports: dict[str, dict[int, tuple[str, int]]]
    _pairs: dict[frozenset[str], list[LinkSpec]]

    def nodes(self, sort: bool = True) -> list[str]:
        """All node names, simulated ones too."""
        return self._named(lambda _: True, sort)

    def hosts(self, sort: bool = True) -> list[str]:
        """The emulated hosts."""
        return self._named(lambda spec: spec.kind == "host", sort)

    def switches(self, sort: bool = True) -> list[str]:
        """The emulated switches."""
        return self._named(lambda spec: spec.kind == "switch", sort)

    def simulated(self, sort: bool = True) -> list[str]:
        """The nodes that exist only inside the simulator."""
        return self._named(lambda spec: spec.simulated, sort)

    def isSwitch(self, name: str) -> bool:
        """Whether the node is an emulated switch."""
        return self._known(name, "isSwitch").kind == "switch"

    def iterLinks(self, withKeys: bool = False, withInfo: bool = False) -> Iterator[tuple[Any, ...]]:
        """Every link as (node1, node2[, key][, info]), in the order of `addLink`."""
        for link in self._links:
            yield (
                link.a.node,
                link.b.node,
                *((link.key,) if withKeys else ()),
                *((self._info(link),) if withInfo else ()),
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
        return self._info(self.spec(src, dst, key))

    def nodeInfo(self, name: str) -> dict[str, Any]:
        """The options that the node was added with."""
        return self._known(name, "nodeInfo").options

    def port(self, src: str, dst: str) -> tuple[int, int]:
        """The ports of the first link between two nodes, `src`'s first. Raises TopologyError where there is
        none.
        """
        for sport, (node, dport) in sorted(self._ports.get(src, {}).items()):
            if node == dst:
                return sport, dport
        raise TopologyError(f"port: there is no link between {src} and {dst}; add it with addLink")

    def spec(self, src: str, dst: str, key: int | None = None) -> LinkSpec:
        """The resolved link between two nodes (the first, or the one with `key`)."""
        for link in self._between(src, dst):
            if key is None or link.key == key:
                return link
        raise TopologyError(f"linkInfo: there is no link between {src} and {dst}; add it with addLink")

    def node_specs(self) -> list[NodeSpec]:
        """All nodes, in the order in which they were added."""
        return list(self._nodes.values())

    def link_specs(self) -> list[LinkSpec]:
        """All links, in the order in which they were added."""
        return list(self._links)

    @staticmethod
    def sorted(items: list[str]) -> list[str]:
        """Names in natural order."""
        return sorted(items, key=natural)

    # Inside

    def _known(self, name: str, what: str) -> NodeSpec:
        try:
            return self._nodes[name]
        except (KeyError, TypeError):
            raise TopologyError(
                f"{what}: there is no node {name!r}; add it (addHost, addSwitch) first"
            ) from None

    def _between(self, src: str, dst: str) -> list[LinkSpec]:
        return self._pairs.get(frozenset((src, dst)), [])

    def _named(self, wanted: Any, sort: bool) -> list[str]:
        names = [spec.name for spec in self._nodes.values() if wanted(spec)]
        return self.sorted(names) if sort else names

    @staticmethod
    def _info(link: LinkSpec) -> dict[str, Any]:
        ends = {"node1": link.a.node, "node2": link.b.node, "port1": link.a.port, "port2": link.b.port}
        return {**link.options, **ends}
