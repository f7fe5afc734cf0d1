# SPDX-License-Identifier: MIT
"""One picture, laid out like the paper's figures 2, 3 and 11: demand, MaxiNet, hybrid; and the ratio by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from hybridnet.experiments.maxinet.report import (
    PUBLISHED_FACTOR,
    PUBLISHED_MAXINET_BPS,
    ArmRound,
    StepComparison,
)
from hybridnet.experiments.maxinet.scale import Scale
from hybridnet.results import Word

_TITLES = {
    "maxinet": "Figure 3: aggregate goodput, MaxiNet's way",
    "hybrid": "Figure 11: aggregate goodput, hybrid",
    "maxinet-patch": "MaxiNet's way with Mininet's patch links",
    "tunnel": "hybridnet's switches, roots joined by a tunnel",
}

_LAYOUT: list[Any] = [
    ["demand", "maxinet", "hybrid", "ratios"],
    ["maxinet-patch", "tunnel", "steps", "steps"],
]


def plot(
    path: Path, scale: Scale, last_round: Sequence[ArmRound], comparisons: Sequence[StepComparison]
) -> None:
    """Writes the picture of the last round, and of the medians over all rounds, as PNG."""
    figure, panels = plt.subplot_mosaic(_LAYOUT, figsize=(20, 8.5), constrained_layout=True)
    _demand(panels["demand"], scale)
    top = 1.1 * max(max(second.total_bps for second in run.seconds) for run in last_round) / 1e6
    for run in last_round:
        _over_time(panels[run.arm], scale, run, top)
    _by_step(panels["steps"], comparisons)
    _ratios(panels["ratios"], comparisons)
    figure.suptitle(str(scale), fontsize=9)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _demand(panel: Axes, scale: Scale) -> None:
    edges = [index * scale.seconds_per_step for index in range(len(scale.steps) + 1)]
    for protocol in ("tcp", "udp"):
        panel.stairs(
            [scale.demand_bps(flows)[protocol] / 1e6 for flows in scale.steps], edges, label=protocol.upper()
        )
    panel.stairs(
        [sum(scale.demand_bps(flows).values()) / 1e6 for flows in scale.steps],
        edges,
        label="both",
        color="black",
    )
    _label_time(panel, "Figure 2: traffic demand", scale)


def _over_time(panel: Axes, scale: Scale, run: ArmRound, top: float) -> None:
    times = [second.at_s for second in run.seconds]
    panel.plot(times, [second.tcp_bps / 1e6 for second in run.seconds], label="TCP", marker=".")
    panel.plot(times, [second.udp_bps / 1e6 for second in run.seconds], label="UDP", marker=".")
    panel.plot(
        times, [second.total_bps / 1e6 for second in run.seconds], label="both", color="black", marker="."
    )
    for index, verdict in enumerate(run.verdicts):
        if verdict.word is not Word.TRUSTED:
            begin = index * scale.seconds_per_step
            panel.axvspan(
                begin, begin + scale.seconds_per_step, color="orange", alpha=0.2, label="_overloaded"
            )
    if run.arm == "maxinet" and top > PUBLISHED_MAXINET_BPS / 1e6:
        panel.axhline(PUBLISHED_MAXINET_BPS / 1e6, linestyle=":", color="grey", label="published peak")
    panel.set_ylim(0, top)
    _label_time(panel, _TITLES[run.arm], scale)


def _label_time(panel: Axes, title: str, scale: Scale) -> None:
    panel.set_title(title)
    panel.set_xlabel("time, s")
    panel.set_ylabel("Mbit/s")
    panel.set_xlim(0, len(scale.steps) * scale.seconds_per_step)
    panel.grid(alpha=0.3)
    panel.legend(loc="upper left", fontsize=8)


def _by_step(panel: Axes, comparisons: Sequence[StepComparison]) -> None:
    arms = list(comparisons[0].total_bps)
    width = 0.8 / len(arms)
    for offset, arm in enumerate(arms):
        panel.bar(
            [index + offset * width for index in range(len(comparisons))],
            [step.total_bps[arm] / 1e6 for step in comparisons],
            width,
            label=arm,
        )
    centre = 0.4 - width / 2
    for index, step in enumerate(comparisons):
        panel.hlines(
            step.demand_bps / 1e6, index - width / 2, index + 0.8 - width / 2, color="black", linestyle="--"
        )
    panel.set_xticks([index + centre for index in range(len(comparisons))], _step_names(comparisons))
    panel.set_title("by step, medians over rounds; dashed: demand")
    panel.set_xlabel("flows of each kind (* overloaded)")
    panel.set_ylabel("Mbit/s")
    panel.legend(loc="upper left", fontsize=8)


def _ratios(panel: Axes, comparisons: Sequence[StepComparison]) -> None:
    positions = range(len(comparisons))
    for arm in (arm for arm in comparisons[0].total_bps if arm != "hybrid"):
        panel.plot(
            positions, [step.ratio_to(arm) for step in comparisons], marker="o", label=f"hybrid / {arm}"
        )
    panel.axhline(PUBLISHED_FACTOR, linestyle=":", color="grey", label="published, 16 flows")
    panel.set_xticks(list(positions), _step_names(comparisons))
    panel.set_ylim(bottom=0)
    panel.set_title("ratio of goodput")
    panel.set_xlabel("flows of each kind (* overloaded)")
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)


def _step_names(comparisons: Sequence[StepComparison]) -> list[str]:
    return [f"{step.flows}{'' if step.overloaded is None else '*'}" for step in comparisons]
