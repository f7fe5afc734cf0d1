# SPDX-License-Identifier: MIT
"""What pictures call TCP connections: by the nodes at their ends, not by addresses.

``a:10.1.0.1:53731>10.2.0.1:9`` is *a → ad (bbr)*; where several join the same nodes, *a:53731 → ad:9 (bbr)*.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["flow_names"]

_CONNECTION = re.compile(r"(?P<node>[^:]+):(?P<address>.+):(?P<port>\d+)>(?P<to>.+):(?P<to_port>\d+)")


@dataclass(frozen=True)
class _Flow:
    """A connection: the node and port at which it begins, and the address and port at its other end."""

    node: str
    port: str
    to: str
    to_port: str


def flow_names(elements: Iterable[str], plan: Mapping[str, Any]) -> dict[str, str]:
    """The names of those elements of a series that are connections.

    Args:
        elements: as a series names them.
        plan: of the network or simulation, as its run directory has it. An address that it does not have stays.

    Example:
        >>> ends = [{"name": n, "interfaces": [{"address": f"10.0.0.{i}/8"}]} for i, n in ((1, "a"), (2, "b"))]
        >>> flow_names(["a:10.0.0.1:53731>10.0.0.2:9", "r1"], {"nodes": ends})
        {'a:10.0.0.1:53731>10.0.0.2:9': 'a → b'}
    """
    nodes = list(_nodes(plan))
    at: dict[str, str] = {address: node["name"] for node in nodes for address in _addresses(node)}
    flows: dict[str, _Flow] = {}
    for element in elements:
        if found := _CONNECTION.fullmatch(element):
            node, port, to, to_port = map(str, found.group("node", "port", "to", "to_port"))
            flows[element] = _Flow(node, port, at.get(to, to), to_port)
    same = Counter((flow.node, flow.to) for flow in flows.values())
    congestion = dict(_congestion(nodes, at))
    return {
        element: (
            f"{flow.node} → {flow.to}"
            if same[flow.node, flow.to] == 1
            else f"{flow.node}:{flow.port} → {flow.to}:{flow.to_port}"
        )
        + congestion.get((flow.node, flow.to, flow.to_port), "")
        for element, flow in flows.items()
    }


def _nodes(plan: object) -> Iterator[Mapping[str, Any]]:
    """All that has a name and interfaces, on every machine and in every instance."""
    if isinstance(plan, Mapping):
        if isinstance(plan.get("name"), str) and isinstance(plan.get("interfaces"), list):
            yield plan
        for value in plan.values():
            yield from _nodes(value)
    elif isinstance(plan, list):
        for value in plan:
            yield from _nodes(value)


def _addresses(node: Mapping[str, Any]) -> Iterator[str]:
    for interface in node["interfaces"]:
        if isinstance(interface, Mapping):
            given = [interface.get("address"), interface.get("address6"), *interface.get("addresses", [])]
            yield from (each.partition("/")[0] for each in given if isinstance(each, str))


def _congestion(
    nodes: Iterable[Mapping[str, Any]], at: Mapping[str, str]
) -> Iterator[tuple[tuple[str, str, str], str]]:
    """What applications that send say of their congestion control, by node, destination and port."""
    for node in nodes:
        for application in node.get("applications", []):
            to = str(application.get("destination", ""))
            if name := application.get("tcp", {}).get("congestion"):
                yield (node["name"], at.get(to, to), str(application.get("port"))), f" ({name})"
