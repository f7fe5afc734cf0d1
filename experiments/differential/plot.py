# SPDX-License-Identifier: MIT
"""The pictures of differential: throughput of the three arms, windows of both senders, and the columns beside Linux."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from hybridnet.experiments.common.linux_flows import LinuxFlow
from hybridnet.experiments.common.path import PathResult
from hybridnet.experiments.differential.cells import PAYLOAD, Cell, Measured
from hybridnet.experiments.differential.pairings import MIXED, SIMULATED
from hybridnet.experiments.differential.ranges import Cell as ColumnCell

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


def plot_columns(path: Path, cells: Sequence[ColumnCell]) -> None:
    """One line for each column and figure, in parts of Linux's median: Linux's range as a bar, the others as dots."""
    lines = list(dict.fromkeys((cell.column.name, cell.figure) for cell in cells))
    figure, panel = plt.subplots(figsize=(9, 1.5 + 0.28 * len(lines)), constrained_layout=True)
    known = {
        lines.index((cell.column.name, cell.figure)): cell.linux for cell in cells if cell.linux is not None
    }
    unit = {place: abs(linux.middle) or 1.0 for place, linux in known.items()}
    shift = {place: 0.0 if known[place].middle else 1.0 for place in known}  # nothing is drawn as 1, too
    panel.barh(
        list(known),
        [(linux.high - linux.low) / unit[place] for place, linux in known.items()],
        left=[linux.low / unit[place] + shift[place] for place, linux in known.items()],
        color="0.8",
        label="Linux to Linux, range",
    )
    for pairing, mark in zip((*MIXED, SIMULATED), ("<", ">", "o"), strict=True):
        dots = [
            (cell.median / unit[place] + shift[place], place)
            for cell in cells
            if cell.pairing == pairing and (place := lines.index((cell.column.name, cell.figure))) in known
        ]
        panel.plot([x for x, _ in dots], [y for _, y in dots], mark, label=str(pairing), alpha=0.7)
    panel.set_yticks(range(len(lines)), [f"{column}: {name}" for column, name in lines], fontsize=8)
    panel.invert_yaxis()
    panel.axvline(1.0, color="k", linewidth=0.5)
    panel.set_xlabel("part of Linux's median")
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)
