# SPDX-License-Identifier: MIT
"""Routers that are linked though nothing runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hybridnet.run.node import Host, Link
from hybridnet.run.node.link import Intf

ROOT = Path(__file__).parents[3]


def linked(*nodes: Host) -> None:
    """Links from the first node to each of the others, 10.0.1.0/24 and so on."""
    first, *others = nodes
    for node in nodes:
        node.intfs = {}
    for number, other in enumerate(others, 1):
        ends = [
            Intf(f"{node.name}-eth{port}", node, port, plan(f"10.0.{number}.{at}/24"))
            for at, (node, port) in enumerate(((first, number), (other, 1)), 1)
        ]
        for end in ends:
            end.node.intfs[end.port] = end
        Link(f"l{number}", "veth", *ends)


def plan(address: str) -> Any:
    return {"mac": "02:00:00:00:00:01", "addresses": [address]}
