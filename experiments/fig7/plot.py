# SPDX-License-Identifier: MIT
"""The picture of figure 7."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def plot(
    path: Path,
    goodput: Sequence[tuple[float, float]],
    slowdown: Mapping[str, float],
    limits_bps: Sequence[float],
    step_s: float,
    published_mbps: float,
) -> None:
    """Total goodput over simulated time, and the same over the wall time of each arm.

    Args:
        goodput: (simulated second, bits per second).
        slowdown: of each arm, seconds of wall time for a simulated one.
        limits_bps: what the framing lets through in each step.
        published_mbps: below which the paper's goodput over wall time stayed.
    """
    figure, axes = plt.subplots(figsize=(9, 6), constrained_layout=True)
    at_s = [at for at, _ in goodput]
    axes.plot(at_s, [bps / 1e9 for _, bps in goodput], marker=".", label="simulated time, all arms")
    axes.stairs(
        [bps / 1e9 for bps in limits_bps],
        [step_s * number for number in range(len(limits_bps) + 1)],
        color="black",
        linestyle="--",
        label="limit",
    )
    for name, factor in slowdown.items():
        axes.plot(
            [at * factor for at in at_s],
            [bps / 1e9 / factor for _, bps in goodput],
            marker=".",
            label=f"wall time, {name}",
        )
    axes.axhline(
        published_mbps / 1e3, linestyle=":", color="grey", label="the paper's wall time stayed below"
    )
    axes.set_title("Figure 7: total goodput")
    axes.set_xlabel("time, s")
    axes.set_ylabel("Gbit/s")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)
