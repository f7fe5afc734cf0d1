# SPDX-License-Identifier: MIT
"""Boxplots of round-trip times, as in figures 2 and 3 of the paper: boxes of quartiles, whiskers to least and most."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from hybridnet.experiments.inet_rtt.report import MODEL_MS, PUBLISHED, TESTS, Run

_NOW = ("kernel", "packet", "pcap")


def plot(path: Path, runs: Sequence[Run]) -> None:
    """Write the picture as PNG: above what the portals do, below what the published causes did."""
    figure, axes = plt.subplots(2, 2, figsize=(13, 9), constrained_layout=True)
    arms = list(dict.fromkeys(run.arm for run in runs))
    for column, test in enumerate(TESTS):
        _boxes(axes[0][column], runs, test, [arm for arm in arms if arm in _NOW], "after")
        _boxes(axes[1][column], runs, test, [arm for arm in arms if arm not in _NOW], "before")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _boxes(panel: Axes, runs: Sequence[Run], test: str, arms: Sequence[str], published: str) -> None:
    # Small differences are what the upper panels are about; the kernel has no link between.
    offsets_ms = {arm: MODEL_MS[test] if published == "after" and arm != "kernel" else 0.0 for arm in arms}
    data = [
        [
            ns / 1e6 - offsets_ms[arm]
            for run in runs
            if (run.arm, run.test) == (arm, test)
            for ns in run.rtts_ns
        ]
        for arm in arms
    ]
    panel.boxplot(data, whis=(0, 100), widths=0.5)
    panel.set_xticks(range(1, len(arms) + 1), [arm.replace(", ", ",\n") for arm in arms], fontsize=8)
    least, most = PUBLISHED[test][published]
    model_ms = MODEL_MS[test] if published == "after" else 0.0
    panel.axhspan(
        least - model_ms, most - model_ms, color="grey", alpha=0.15, label=f"published, {published} the fixes"
    )
    title = "the portals" if published == "after" else "the published causes"
    panel.set_title(f"ping {test}: {title}")
    beyond = f" beyond the link's {model_ms:g} ms" if model_ms else ""
    panel.set_ylabel(f"round-trip time{beyond}, ms")
    panel.grid(axis="y", alpha=0.3)
    panel.legend(fontsize=8, loc="upper left")
