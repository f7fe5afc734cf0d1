# SPDX-License-Identifier: MIT
"""One picture: the response times of all systems with their intervals, and the distribution of the number of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from hybridnet.experiments.mm1.systems import SYSTEMS, Estimate

PUBLISHED_COLOUR = "tab:orange"


def plot(
    path: Path,
    responses: Mapping[str, Estimate],
    published: Estimate,
    measured: Sequence[float],
    theoretical: Sequence[float],
) -> None:
    """Write the picture as PNG. ``measured`` and ``theoretical`` are parts of the time, by number of jobs."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5), constrained_layout=True)
    for place, system in enumerate(SYSTEMS):
        estimate = responses[system.name]
        left.errorbar(
            place,
            estimate.mean,
            yerr=[[estimate.mean - estimate.low], [estimate.high - estimate.mean]],
            fmt="o",
            capsize=6,
            color="tab:blue",
            label="simulated" if place == 0 else None,
        )
        left.hlines(
            system.response_s,
            place - 0.3,
            place + 0.3,
            color="black",
            linestyle="--",
            label="theory" if place == 0 else None,
        )
    left.errorbar(
        0.2,
        published.mean,
        yerr=[[published.mean - published.low], [published.high - published.mean]],
        fmt="s",
        capsize=6,
        color=PUBLISHED_COLOUR,
        label="published",
    )
    left.set_xticks(range(len(SYSTEMS)), [system.name for system in SYSTEMS])
    left.set_ylabel("mean response time, s")
    left.set_title("mean response time")
    left.legend()
    numbers = range(len(measured))
    right.bar([n - 0.2 for n in numbers], measured, 0.4, label="simulated")
    right.bar([n + 0.2 for n in numbers], theoretical, 0.4, label="(1 - ρ) ρⁿ", color="grey")
    right.set_xlabel("jobs in the system")
    right.set_ylabel("part of the time")
    right.set_title("M/M/1: number in the system")
    right.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)
