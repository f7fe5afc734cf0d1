# SPDX-License-Identifier: MIT
"""The picture of `reproduce hedera`: as figure 9 of the paper, bars of bandwidth by pattern, one for each arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt


def plot_bandwidth(path: Path, found: Mapping[str, Mapping[str, Sequence[float]]], most_mbps: float) -> None:
    """Means over the rounds, with the least and the most of them."""
    figure, panel = plt.subplots(figsize=(13, 5), constrained_layout=True)
    width = 0.8 / len(found)
    patterns: list[str] = []
    for number, (arm, of) in enumerate(found.items()):
        patterns = list(of)
        means = [mean(values) / 1e6 for values in of.values()]
        below = [mid - min(values) / 1e6 for mid, values in zip(means, of.values(), strict=True)]
        above = [max(values) / 1e6 - mid for mid, values in zip(means, of.values(), strict=True)]
        at = [place + (number - (len(found) - 1) / 2) * width for place in range(len(patterns))]
        panel.bar(at, means, width, yerr=[below, above], capsize=2, label=arm)
    panel.axhline(most_mbps, linestyle=":", color="grey", label="the hosts' links")
    panel.set_xticks(range(len(patterns)), patterns)
    panel.set_ylabel("all flows, Mbit/s")
    panel.set_ylim(bottom=0)
    panel.grid(axis="y", alpha=0.3)
    panel.legend(ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.12))
    figure.savefig(path, dpi=110)
    plt.close(figure)
