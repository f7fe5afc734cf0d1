# SPDX-License-Identifier: MIT
"""Pictures of throughput over loss, with its confidence intervals, and of congestion windows over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from hybridnet.experiments.common.path import PathResult
from hybridnet.experiments.dumbbell.network import Step
from hybridnet.observe.results.estimate import Estimate

if TYPE_CHECKING:
    from hybridnet.experiments.tcp_friendly.experiment import Point

_MOST_WINDOWS = 6


def plot_friendly(path: Path, points: Sequence[Point]) -> None:
    """Figure 5-2: throughput, its 95 % confidence interval, and the formulas."""
    figure, panels = plt.subplots(1, 2, figsize=(15, 6), constrained_layout=True)
    for panel, mss in zip(panels, sorted({point.mss for point in points}, reverse=True), strict=True):
        mine = [point for point in points if point.mss == mss]
        lossy = [point for point in mine if point.loss > 0]
        panel.errorbar(
            [100 * point.loss for point in mine],
            [point.throughput.mean / 1024 for point in mine],
            [point.throughput.half_width / 1024 for point in mine],
            color="black", marker="s", markersize=3, capsize=2, label="simulated, 95 % interval",
        )  # fmt: skip
        at = [100 * point.loss for point in lossy]
        panel.plot(at, [point.periodic / 1024 for point in lossy], label="1.22·MSS/(RTT·√p)")
        panel.plot(at, [point.independent / 1024 for point in lossy], label="1.31·MSS/(RTT·√p)")
        panel.plot(at, [point.pftk / 1024 for point in lossy], label="PFTK, measured RTO")
        panel.set_ylim(0, 1.2 * max(point.throughput.high for point in mine) / 1024)
        panel.set_title(f"segments of {mss} bytes")
        panel.set_xlabel("loss, %")
        panel.set_ylabel("KiB/s")
        panel.grid(alpha=0.3)
        panel.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_curves(
    path: Path, title: str, unit: str, curves: Mapping[str, Sequence[tuple[float, Estimate]]]
) -> None:
    """One curve for each label: (loss, estimate) with its confidence interval."""
    figure, panel = plt.subplots(figsize=(9, 6), constrained_layout=True)
    for label, curve in curves.items():
        panel.errorbar(
            [100 * loss for loss, _ in curve],
            [value.mean for _, value in curve],
            [value.half_width for _, value in curve],
            marker="s", markersize=3, capsize=2, label=label,
        )  # fmt: skip
    panel.set_title(title)
    panel.set_xlabel("loss, %")
    panel.set_ylabel(unit)
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_windows(path: Path, results: Sequence[PathResult], seconds: float = 60.0) -> None:
    """The congestion window of some replications over their first seconds."""
    step = max(1, len(results) // _MOST_WINDOWS)
    chosen = list(results[::step])[:_MOST_WINDOWS]
    figure, axes = plt.subplots(len(chosen), 1, figsize=(11, 2.2 * len(chosen)), squeeze=False)
    for panel, result in zip(axes[:, 0], chosen, strict=True):
        shown = [index for index, at in enumerate(result.samples["time_s"]) if at <= seconds]
        panel.step(
            [result.samples["time_s"][index] for index in shown],
            [result.samples["cwnd_bytes"][index] / 1024 for index in shown],
            where="post",
            linewidth=0.8,
        )
        panel.set_title(result.case.label, fontsize=9)
        panel.set_ylabel("cwnd, KiB")
        panel.grid(alpha=0.3)
    axes[-1, 0].set_xlabel("time, s")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_dumbbell(
    path: Path, climbed: Mapping[str, Sequence[Step]], series: Mapping[str, Sequence[tuple[float, float]]]
) -> None:
    """Figure 7: total goodput over time, beside the demand; and how fast each step was simulated."""
    figure, (over_time, speeds) = plt.subplots(1, 2, figsize=(15, 6), constrained_layout=True)
    for mode, points in series.items():
        over_time.plot([at for at, _ in points], [bps / 1e9 for _, bps in points], marker=".", label=mode)
    steps = next(iter(climbed.values()))
    edges = [0.0]
    for step in steps:
        edges.append(edges[-1] + step.simulated_s)
    over_time.stairs(
        [step.limit_bps / 1e9 for step in steps], edges, color="black", linestyle="--", label="limit"
    )
    over_time.set_title("Figure 7: total goodput")
    over_time.set_xlabel("simulated time, s")
    over_time.set_ylabel("Gbit/s")
    for mode, run in climbed.items():
        speeds.plot([step.flows for step in run], [step.speed for step in run], marker="o", label=mode)
    speeds.axhline(1, linestyle=":", color="grey", label="real time")
    speeds.set_xscale("log", base=2)
    speeds.set_yscale("log")
    speeds.set_title("speed on one core")
    speeds.set_xlabel("flows")
    speeds.set_ylabel("simulated seconds per second")
    for panel in (over_time, speeds):
        panel.grid(alpha=0.3)
        panel.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)
