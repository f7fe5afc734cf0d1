# SPDX-License-Identifier: MIT
"""Looking up what a network has: nodes, controllers and links, by name and in natural order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridnet.controllers.kinds import RemoteController
from hybridnet.errors import UsageError
from hybridnet.node import Host, Node, Switch
from hybridnet.node.link import Intf, Link
from hybridnet.topo import Topo, natural

__all__ = ["NetNodes"]


class NetNodes:
    """The part of `hybridnet.Net` that finds nodes; also a mapping from names to nodes and controllers."""

    topo: Topo
    controllers: list[RemoteController]
    links: list[Link]
    _nodes: dict[str, Node]

    @property
    def hosts(self) -> list[Host]:
        """The emulated hosts, in natural order."""
        return [node for node in self._sorted() if isinstance(node, Host)]

    @property
    def switches(self) -> list[Switch]:
        """The emulated switches, in natural order."""
        return [node for node in self._sorted() if isinstance(node, Switch)]

    @property
    def nameToNode(self) -> dict[str, Any]:
        """All emulated nodes and controllers by name."""
        return {**self._nodes, **{controller.name: controller for controller in self.controllers}}

    def getNodeByName(self, *names: str) -> Any:
        """The node of that name, or a list for several. Raises UsageError for an unknown one."""
        known = self.nameToNode
        for name in names:
            if name not in known:
                simulated = name in self.topo.simulated()
                why = "is simulated and runs no commands" if simulated else "does not exist"
                raise UsageError(
                    f"node {name!r} {why}; the nodes are {', '.join(sorted(known, key=natural)[:20])}"
                )
        found = [known[name] for name in names]
        return found[0] if len(found) == 1 else found

    get = getNodeByName

    def __getitem__(self, name: str) -> Any:
        return self.getNodeByName(name)

    def __contains__(self, name: str) -> bool:
        return name in self.nameToNode

    def __iter__(self) -> Iterator[str]:
        return iter(self.nameToNode)

    def __len__(self) -> int:
        return len(self.nameToNode)

    def keys(self) -> list[str]:
        """The names of all nodes and controllers."""
        return list(self)

    def values(self) -> list[Any]:
        """All nodes and controllers."""
        return list(self.nameToNode.values())

    def items(self) -> list[tuple[str, Any]]:
        """Names with their nodes and controllers."""
        return list(self.nameToNode.items())

    def linksBetween(self, node1: Node, node2: Node) -> list[Link]:
        """The links between two emulated nodes."""
        ends = {node1, node2}
        return [
            link
            for link in self.links
            if {intf.node for intf in (link.intf1, link.intf2) if isinstance(intf, Intf)} == ends
        ]

    def _sorted(self) -> list[Node]:
        return sorted(self._nodes.values(), key=lambda node: natural(node.name))
