# SPDX-License-Identifier: MIT
"""The pictures of differential: throughput of the three arms, and the windows of the simulated and the real sender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from hybridnet.experiments.common.linux_flows import LinuxFlow
from hybridnet.experiments.common.path import PathResult
from hybridnet.experiments.differential.cells import PAYLOAD, Cell, Measured

_COLUMNS = 4
_CWND_SECONDS = 20.0


def plot_throughputs(path: Path, measured: Sequence[Measured]) -> None:
    """One place for each cell: every round as a dot, medians as lines, the formula as a cross."""
    figure, panel = plt.subplots(figsize=(max(8, len(measured) * 0.7), 6), constrained_layout=True)
    places = range(len(measured))
    for shift, name in ((-0.15, "simulated"), (0.15, "real")):
        dots = [(place + shift, bps / 1e6) for place in places for bps in getattr(measured[place], name)]
        label = "Linux" if name == "real" else name
        panel.plot([x for x, _ in dots], [y for _, y in dots], "o", alpha=0.6, label=f"{label}, each round")
    panel.plot(places, [each.cell.formula_bps / 1e6 for each in measured], "kx", label="formula")
    panel.set_xticks(list(places), [str(each.cell) for each in measured], rotation=60, ha="right", fontsize=8)
    panel.set_yscale("log")
    panel.set_ylabel("Mbit/s")
    panel.grid(alpha=0.3)
    panel.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_windows(
    path: Path, cells: Sequence[Cell], simulated: Mapping[str, PathResult], real: Mapping[str, LinuxFlow]
) -> None:
    """The congestion windows of the first round, over its first seconds."""
    rows = -(-len(cells) // _COLUMNS)
    figure, panels = plt.subplots(
        rows,
        _COLUMNS,
        figsize=(5 * _COLUMNS, 2.6 * rows),
        squeeze=False,
        sharex=True,
        constrained_layout=True,
    )
    for panel, cell in zip(panels.flat, cells, strict=False):
        samples, flow = simulated[str(cell)].samples, real[str(cell)]
        panel.plot(flow.column("time_s"), flow.column("cwnd_segments"), linewidth=0.9, label="Linux")
        windows = [bytes_ / PAYLOAD for bytes_ in samples["cwnd_bytes"]]
        panel.plot(samples["time_s"], windows, linewidth=0.9, label="simulated")
        panel.set_title(str(cell), fontsize=9)
        panel.set_xlim(0, _CWND_SECONDS)
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
    panels[0][0].legend(fontsize=8)
    panels[0][0].set_ylabel("segments")
    figure.savefig(path, dpi=100)
    plt.close(figure)
