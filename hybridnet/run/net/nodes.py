# SPDX-License-Identifier: MIT
"""The live nodes of a network: made by their classes, found by name, and the description that they add to."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hybridnet.describe.kinds import OWN_KINDS, SIMULATED, host_kind, said_host_kind, switch_kind
from hybridnet.describe.topo import NodeSpec, natural
from hybridnet.describe.topo.node_options import leaves_open
from hybridnet.describe.values import shown
from hybridnet.errors import TopologyError, UsageError
from hybridnet.run.node import Host, Node, Switch

__all__ = ["LiveNodes", "check_node_class"]


class LiveNodes:
    """The hosts and switches of a `hybridnet.Net`, by name.

    Args:
        host, switch: classes of nodes that do not say `cls`.
        on_start: what a switch's `start` calls.
        switches: of which kind those are that leave it open, as of `hybridnet.Net`.
    """

    def __init__(
        self, host: Any, switch: Any, on_start: Callable[[], None], switches: str | None = None
    ) -> None:
        self._default = {
            "host": check_node_class(host, "host", "Net: host"),
            "switch": check_node_class(switch, "switch", "Net: switch"),
        }
        self._on_start = on_start
        self._switches = switches
        self._nodes: dict[str, Node] = {}
        self._kinds: dict[str, str] = {}

    def make(self, spec: NodeSpec) -> Node:
        """The live node of a host or switch of the description; the same one for the same name."""
        if spec.name in self._nodes:
            return self._nodes[spec.name]
        what = f"{spec.role} {spec.name}"
        cls = check_node_class(spec.options.get("cls"), spec.role, f"{what}: cls") or self._class_of(spec)
        params = {option: value for option, value in spec.options.items() if option != "cls"}
        try:
            node = cls(spec.name, **params)
        except TypeError as error:
            raise TopologyError(f"{what}: {shown(cls)} does not take its options: {error}") from error
        base: type[Node] = Switch if spec.role == "switch" else Node
        if not isinstance(node, base) or getattr(node, "name", None) != spec.name:
            raise TopologyError(
                f"{what}: {shown(cls)} made {shown(node)}, which is not a {spec.role} of that name"
            )
        if isinstance(node, Switch):
            node.on_start = self._on_start
        self._nodes[spec.name], self._kinds[spec.name] = node, spec.role
        return node

    def _class_of(self, spec: NodeSpec) -> Any:
        if spec.role == "switch" and spec.kind not in OWN_KINDS:
            return check_node_class(switch_kind(spec.kind).live, "switch", f"kind {spec.kind}: live")
        if spec.role == "host" and (kind := said_host_kind(spec.options)) is not None:
            return check_node_class(host_kind(kind).live, "host", f"kind {kind}: live")
        return self._default[spec.role]

    def remove(self, name: str) -> Node:
        """Forget a node. Returns it."""
        del self._kinds[name]
        return self._nodes.pop(name)

    def copy(self) -> LiveNodes:
        """The same nodes, to be changed apart from these."""
        made = copy.copy(self)
        made._nodes, made._kinds = dict(self._nodes), dict(self._kinds)
        return made

    def described(self, specs: Mapping[str, NodeSpec]) -> dict[str, dict[str, object]]:
        """Of each node the options with which it is built: what its class has made of those in its description."""
        options = {}
        for name, node in self._nodes.items():
            written = specs[name].options
            placed = {"machine": written["machine"]} if "machine" in written else {}
            options[name] = {**placed, **node.described(), "cls": type(node)}
            is_open = self._kinds[name] == "switch" and leaves_open(options[name])
            if is_open and self._switches == SIMULATED:
                options[name]["kind"] = SIMULATED
        return options

    def of_kind(self, kind: str) -> list[Any]:
        """The nodes of one kind, ``"host"`` or ``"switch"``, in natural order."""
        names = sorted((name for name, own in self._kinds.items() if own == kind), key=natural)
        return [self._nodes[name] for name in names]

    def __getitem__(self, name: str) -> Node:
        return self._nodes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def values(self) -> list[Node]:
        """All of them, in the order of the description."""
        return list(self._nodes.values())

    def items(self) -> list[tuple[str, Node]]:
        """Names and nodes."""
        return list(self._nodes.items())


def check_node_class(cls: Any, kind: str, what: str) -> Any:
    """What makes nodes of a kind: a class, a functools.partial of one, or a function. None is allowed.

    Raises:
        TopologyError: it makes something else.
    """
    made = cls
    while isinstance(made, functools.partial):
        made = made.func
    if isinstance(made, type):
        right = issubclass(made, Switch) if kind == "switch" else _is_host(made)
    else:
        right = made is None or callable(made)
    if not right:
        base = "Switch" if kind == "switch" else "Host"
        raise TopologyError(f"{what} {shown(cls)} is not a {base} class; give a subclass of hybridnet.{base}")
    return cls


def _is_host(cls: type) -> bool:
    return issubclass(cls, Host) or (issubclass(cls, Node) and not issubclass(cls, Switch))


def unknown_node(name: object, known: Mapping[str, Any], simulated: list[str]) -> UsageError:
    """The error for a name that no live node has."""
    why = "is simulated and runs no commands" if name in simulated else "does not exist"
    return UsageError(f"node {shown(name)} {why}; the nodes are {', '.join(sorted(known, key=natural)[:20])}")
