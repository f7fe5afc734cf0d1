# SPDX-License-Identifier: MIT
"""The picture of `reproduce controller-load`: latency, set-ups per second and discovery, by number of switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

__all__ = ["plot_loads"]


def plot_loads(path: Path, loads: Mapping[str, Sequence[Any]]) -> None:
    """Draw by kind of switch the loads that were measured (`experiment.Load`), in the order of their sizes."""
    panels: list[tuple[str, dict[str, tuple[str, Callable[[Any], float]]]]] = [
        (
            "latency of a set-up, ms",
            {"p50": ("-", lambda one: one.p50_ms), "p99": (":", lambda one: one.p99_ms)},
        ),
        ("set-ups per second", {"many at once": ("-", lambda one: one.per_second)}),
        (
            "Ryu knows all, s after it listens",
            {"switches": ("-", lambda one: one.connected_s), "links": (":", lambda one: one.links_s)},
        ),
    ]
    figure, axes = plt.subplots(1, len(panels), figsize=(13, 4), constrained_layout=True)
    for panel, (title, lines) in zip(axes, panels, strict=True):
        for number, (kind, found) in enumerate(loads.items()):
            for name, (style, value) in lines.items():
                panel.plot(
                    [one.count for one in found],
                    [value(one) for one in found],
                    style,
                    color=f"C{number}",
                    marker="o",
                    markersize=4,
                    label=f"{kind}, {name}",
                )
        panel.set_xscale("log", base=2)
        panel.set_ylim(bottom=0)
        panel.set_xlabel("switches")
        panel.set_title(title)
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small")
    figure.savefig(path, dpi=110)
    plt.close(figure)
