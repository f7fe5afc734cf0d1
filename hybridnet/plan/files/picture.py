# SPDX-License-Identifier: MIT
"""A picture of the planned network: a colour for each machine, a shape for each kind of node, a line for each kind of
link.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any, TypedDict

from hybridnet.describe.topo import NodeSpec, Topo, natural
from hybridnet.describe.topo.roles import ROLES
from hybridnet.plan.files.labels import link_label
from hybridnet.plan.files.placing import Places, place_nodes
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan

__all__ = ["draw"]


class _Style(TypedDict, total=False):
    color: str
    linewidth: float
    linestyle: tuple[float, tuple[float, ...]]  # offset, and how long it is drawn and not drawn


_LINKS: dict[str, tuple[str, _Style]] = {
    "emulated": ("emulated link", {"color": "#555555", "linewidth": 1.2}),
    "simulated": ("simulated link", {"color": "#1f77b4", "linewidth": 1.4, "linestyle": (0, (4, 2))}),
    "cut": (
        "link between machines, simulated",
        {"color": "#d62728", "linewidth": 2.2, "linestyle": (0, (4, 2))},
    ),
    "guest": ("link to a guest, simulated", {"color": "#2ca02c", "linewidth": 2.2, "linestyle": (0, (4, 2))}),
}
_COLOURS = (
    "#aec7e8",
    "#ffbb78",
    "#98df8a",
    "#ff9896",
    "#c5b0d5",
    "#c49c94",
    "#f7b6d2",
    "#dbdb8d",
    "#9edae5",
    "#c7c7c7",
)
MOST_LABELS = 40  # of links; more would hide the network
LETTERS = 6  # of a node's name that fit into it; longer names are smaller
ALIKE = 6  # links with the same label, from which on the legend tells it once


def draw(path: Path, topo: Topo, plan: Plan) -> None:
    """Write the picture, in the format that the file's name asks for. Raises OSError."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    places = place_nodes(topo)
    side = min(max(7.0, 1.15 * math.sqrt(len(places)) * 1.6), 40.0)
    widest = max(Counter(round(y, 6) for _, y in places.values()).values(), default=1)
    figure = Figure(figsize=(max(side, min(0.62 * widest, 60.0)), side * 0.72))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    axes.set_axis_off()
    axes.margins(0.06)
    size = min(520.0, max(60.0, 16000.0 / max(len(places), widest * 2, 1)))
    small = min(8.0, max(4.0, math.sqrt(size) / 2.9))
    _draw_links(axes, plan, places, small)
    specs = {spec.name: spec for spec in topo.node_specs()}
    for name, place in places.items():
        _draw_node(axes, specs[name], place, plan, size, small)
    _legend(axes, plan, list(specs.values()))
    figure.savefig(path, dpi=150, bbox_inches="tight", pad_inches=0.15)


def _draw_node(
    axes: Any, spec: NodeSpec, place: tuple[float, float], plan: Plan, size: float, small: float
) -> None:
    machine = list(plan.machines).index(plan.machine_of[spec.name])
    axes.scatter(
        *place,
        s=size,
        marker=ROLES[spec.role].marker,
        facecolor=_COLOURS[machine % len(_COLOURS)],
        edgecolor="#222222",
        linestyle=(0, (2, 1.5)) if spec.simulated else "solid",
        linewidth=1.2,
        clip_on=False,
        zorder=3,
    )
    fitting = small * min(1.0, LETTERS / len(spec.name))
    axes.annotate(spec.name, place, ha="center", va="center", fontsize=fitting, zorder=4)


def _draw_links(axes: Any, plan: Plan, places: Places, small: float) -> None:
    labels = {link.name: link_label(link) for link in plan.links}
    often = Counter(labels.values())
    shown = [link.name for link in plan.links if labels[link.name] and often[labels[link.name]] < ALIKE]
    parallel: Counter[frozenset[str]] = Counter()
    for link in plan.links:
        ends = frozenset((link.a.node, link.b.node))
        (x1, y1), (x2, y2) = places[link.a.node], places[link.b.node]
        bend = 0.03 * ((parallel[ends] + 1) // 2) * (1 if parallel[ends] % 2 else -1)
        parallel[ends] += 1
        middle = ((x1 + x2) / 2 - bend * (y2 - y1), (y1 + y2) / 2 + bend * (x2 - x1))
        axes.plot([x1, middle[0], x2], [y1, middle[1], y2], zorder=1, **_LINKS[_kind(link)][1])
        if link.name in shown[:MOST_LABELS]:
            axes.annotate(
                labels[link.name].replace(", ", "\n"),
                middle,
                xytext=(0, small),
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=small * 0.9,
                zorder=5,
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            )


def _legend(axes: Any, plan: Plan, specs: list[NodeSpec]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    if len(plan.machines) > 1:
        names = sorted(plan.machines, key=natural)
        order = list(plan.machines)
        handles += [
            Patch(
                facecolor=_COLOURS[order.index(name) % len(_COLOURS)],
                edgecolor="#222222",
                label=f"machine {name}",
            )
            for name in names[: len(_COLOURS)]
        ]
    present = {spec.role for spec in specs}
    handles += [
        Line2D(
            [], [], marker=role.marker, linestyle="none", markerfacecolor="white", markeredgecolor="#222222",
            markersize=9, label=role.title,
        )
        for role in ROLES.values()
        if role.name in present
    ]  # fmt: skip
    kinds = {_kind(link) for link in plan.links}
    handles += [
        Line2D([], [], label=name, **style) for kind, (name, style) in _LINKS.items() if kind in kinds
    ]
    alike = Counter(link_label(link) for link in plan.links)
    for label, links in alike.most_common():
        if label and links >= ALIKE:
            handles.append(
                Line2D([], [], linestyle="none", label=f"{links} links: {label}".replace("\n", "; "))
            )
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=min(4, max(len(handles), 1)),
        fontsize=8, frameon=False,
    )  # fmt: skip


def _kind(link: LinkPlan) -> str:
    return link.kind if link.simulated else "emulated"
