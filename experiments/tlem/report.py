# SPDX-License-Identifier: MIT
"""The cases of the experiment, what was published and what is promised of each, and how the figures are shown. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from rich.table import Table

from hybridnet.experiments.tlem.latency import SHARE, TOLERANCE_NS, Accuracy
from hybridnet.observe.results import Check

IN_FLIGHT_BYTES = 25 << 20
"""As in the paper: 20 ms at 10 Gbit/s."""

LOOPS = ("link", "link without copies", "two copies")


@dataclass(frozen=True)
class Case:
    """One cell of the table: a loop, one size of frames, and how much is in flight."""

    loop: str
    frame_bytes: int
    bytes_in_flight: int

    def __str__(self) -> str:
        held = f"{self.bytes_in_flight >> 20} MB in flight" if self.bytes_in_flight else "no delay"
        return f"{self.loop}, {self.frame_bytes} bytes, {held}"


CASES = tuple(
    Case(loop, size, held) for size in (64, 1500) for held in (0, IN_FLIGHT_BYTES) for loop in LOOPS
)

Figures = dict[Case, list[float]]
"""Nanoseconds per packet, one for each round."""

PUBLISHED_NS: Mapping[Case, float] = {
    Case("link", 64, 0): 44,
    Case("link", 64, IN_FLIGHT_BYTES): 54,
    Case("link without copies", 64, 0): 30,
    Case("link without copies", 64, IN_FLIGHT_BYTES): 35,
    Case("link", 1500, 0): 250,
    Case("link", 1500, IN_FLIGHT_BYTES): 400,
}
"""Of TLEM, on two cores."""

BOUND_NS: Mapping[Case, float] = {
    Case("link", 64, 0): 30,
    Case("link", 64, IN_FLIGHT_BYTES): 30,
    Case("link", 1500, 0): 200,
    Case("link", 1500, IN_FLIGHT_BYTES): 300,
}


def checks_of(figures: Figures) -> list[Check]:
    """The promises: every case that has a bound, by the median of its rounds."""
    return [
        Check(
            what=f"{case}: time per packet",
            measured=f"{median(figures[case]):.1f} ns",
            published=f"{PUBLISHED_NS[case]:g} ns on two cores",
            bound=f"<= {bound:g} ns",
            holds=median(figures[case]) <= bound,
        )
        for case, bound in BOUND_NS.items()
    ]


def table_of(figures: Figures) -> Table:
    """Medians of the rounds, with the least and the greatest, beside what was published."""
    table = Table(title="Processor time per packet, ns: median (least to greatest)", title_justify="left")
    table.add_column("frames, in flight")
    for loop in LOOPS:
        table.add_column(loop, justify="right")
    table.add_column("TLEM", justify="right")
    table.add_column("TLEM without copies", justify="right")
    for size in (64, 1500):
        for held in (0, IN_FLIGHT_BYTES):
            published = [PUBLISHED_NS.get(Case(loop, size, held)) for loop in LOOPS[:2]]
            table.add_row(
                f"{size} bytes, {held >> 20} MB",
                *(_spread(figures[Case(loop, size, held)]) for loop in LOOPS),
                *("-" if ns is None else f"{ns:g}" for ns in published),
            )
    return table


def plot(path: Path, figures: Figures) -> None:
    """Write bars for every case, the published figures as crosses and the bounds as lines, as PNG."""
    figure, panels = plt.subplots(1, 2, figsize=(12, 5), constrained_layout=True)
    for panel, size in zip(panels, (64, 1500), strict=True):
        cases = [case for case in CASES if case.frame_bytes == size]
        for place, case in enumerate(cases):
            colour = f"C{LOOPS.index(case.loop)}"
            label = case.loop if place < len(LOOPS) else None
            panel.bar(place, median(figures[case]), color=colour, label=label)
            panel.plot([place] * len(figures[case]), figures[case], ".", color="black", markersize=4)
            if case in PUBLISHED_NS:
                panel.plot(
                    place, PUBLISHED_NS[case], "x", color="red", label="published" if place == 0 else None
                )
            if case in BOUND_NS:
                panel.hlines(
                    BOUND_NS[case],
                    place - 0.45,
                    place + 0.45,
                    color="red",
                    linestyle="--",
                    label="bound" if place == 0 else None,
                )
        panel.set_xticks([1, 4], ["no delay", f"{IN_FLIGHT_BYTES >> 20} MB in flight"])
        panel.set_title(f"{size} bytes")
        panel.set_ylabel("ns per packet")
        panel.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_errors(path: Path, accuracies: Sequence[Accuracy]) -> None:
    """Write how far delays were off, as cumulative distributions, one for each round, as PNG."""
    figure, panel = plt.subplots(figsize=(7, 5), constrained_layout=True)
    for number, accuracy in enumerate(accuracies, 1):
        errors = np.sort(accuracy.errors_ns) / 1e3
        panel.plot(errors, np.arange(1, len(errors) + 1) / accuracy.sent, label=f"round {number}")
    tolerance = TOLERANCE_NS / 1e3
    panel.axvspan(-tolerance, tolerance, color="grey", alpha=0.2, label="tolerance")
    panel.axhline(SHARE, linestyle=":", color="grey")
    panel.set_xlim(-4 * tolerance, 20 * tolerance)
    panel.set_xlabel("delay less the one set and the bare veth's, us")
    panel.set_ylabel("part of the packets")
    panel.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _spread(values: list[float]) -> str:
    return f"{median(values):.1f} ({min(values):.1f} to {max(values):.1f})"
