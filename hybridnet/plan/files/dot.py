# SPDX-License-Identifier: MIT
"""The planned network for Graphviz: a cluster for each machine, a shape for each kind of node."""

from __future__ import annotations

from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.roles import ROLES
from hybridnet.plan.files.labels import link_label
from hybridnet.plan.network import Plan

__all__ = ["to_dot"]

_LINKS = {
    "veth": "",
    "patch": "",
    "simulated": 'color="#1f77b4", style=dashed',
    "cut": 'color="#d62728", style=dashed, penwidth=2',
    "guest": 'color="#2ca02c", style=dashed, penwidth=2',
}


def to_dot(topo: Topo, plan: Plan) -> str:
    """The graph as text."""
    lines = ["graph network {", "  node [fontname=sans-serif];", "  edge [fontname=sans-serif, fontsize=9];"]
    for index, machine in enumerate(plan.machines):
        lines += [f"  subgraph cluster_{index} {{", f"    label={_quoted(machine)};"]
        lines += [
            f"    {_quoted(spec.name)} [{ROLES[spec.role].dot}];"
            for spec in topo.node_specs()
            if plan.machine_of[spec.name] == machine
        ]
        lines.append("  }")
    for link in plan.links:
        label = link_label(link)
        attributes = ", ".join(filter(None, (_LINKS[link.kind], f"label={_quoted(label)}" if label else "")))
        lines.append(f"  {_quoted(link.a.node)} -- {_quoted(link.b.node)} [{attributes}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
