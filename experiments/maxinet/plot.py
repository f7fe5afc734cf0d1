# SPDX-License-Identifier: MIT
"""The pictures: what each arm carries when it is full, the same over time as in the paper, and a demand that is met."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from hybridnet.experiments.maxinet.report import (
    PUBLISHED_FACTOR,
    PUBLISHED_MAXINET_BPS,
    SIMULATED_ARM,
    ArmRound,
    StepComparison,
)
from hybridnet.experiments.maxinet.scale import Scale
from hybridnet.experiments.maxinet.tables import MARKS
from hybridnet.experiments.maxinet.verdicts import LIMITS
from hybridnet.observe.results import Word

TITLES = {
    "hybrid": "hybridnet (figure 11)",
    "hybrid-simulated": "hybridnet, simulated switches",
    "maxinet": "MaxiNet's way (figure 3)",
    "maxinet-patch": "MaxiNet's way, patch links",
    "tunnel": "hybridnet's switches, kernel tunnel",
}
COLOURS = {
    "hybrid": "#1f6f8b",
    "hybrid-simulated": "#5aa36f",
    "maxinet": "#d1495b",
    "maxinet-patch": "#edae49",
    "tunnel": "#9aa5b1",
}
PART_COLOURS = {
    "hosts": "#1f6f8b",
    "switches": "#d1495b",
    "instances": "#5aa36f",
    "controller": "#edae49",
    "rest": "#9aa5b1",
}
"""In the order of `processor_time.PARTS`, from below."""
DPI = 100


def plot_comparison(path: Path, comparisons: Sequence[StepComparison]) -> None:
    """What each arm carries when it is full, and hybridnet in times of the others."""
    figure, (bars, ratios) = plt.subplots(
        1, 2, figsize=(9.6, 3.6), width_ratios=(3, 2), constrained_layout=True
    )
    _by_step(bars, comparisons)
    bars.set_title("Goodput of two trees of 64 hosts when they are full", fontsize=10)
    _ratios(ratios, comparisons)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def plot_met(path: Path, comparisons: Sequence[StepComparison]) -> None:
    """A demand that hybridnet meets, and how busy the processor is meanwhile."""
    figure, (bars, busy) = plt.subplots(1, 2, figsize=(9.6, 3.6), constrained_layout=True)
    _by_step(bars, comparisons)
    bars.set_title("A demand that hybridnet meets", fontsize=10)
    _grouped(
        busy, comparisons, {arm: [100 * step.busy[arm] for step in comparisons] for arm in _arms(comparisons)}
    )
    limit = 100 * LIMITS.processor_busy
    busy.axhline(limit, linestyle=":", color="black")
    busy.set_ylim(0, 110)
    busy.set_ylabel("processor busy, %")
    busy.set_title(f"What that takes (trusted up to {limit:g} %)", fontsize=10)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def plot_costs(path: Path, comparisons: Sequence[StepComparison]) -> None:
    """Processor seconds per gigabyte, and where they go: a panel for each arm, with an axis of its own."""
    arms = _arms(comparisons)
    figure, panels = plt.subplots(1, len(arms), figsize=(3.2 * len(arms), 3.6), constrained_layout=True)
    for panel, arm in zip(panels, arms, strict=True):
        costs = [step.seconds_per_gb[arm] for step in comparisons]
        below = [0.0] * len(costs)
        for part, colour in PART_COLOURS.items():
            heights = [cost.get(part, 0.0) for cost in costs]
            panel.bar(range(len(costs)), heights, bottom=below, label=part, color=colour)
            below = [low + height for low, height in zip(below, heights, strict=True)]
        for index, whole in enumerate(below):
            panel.annotate(
                f"{whole:.3g}",
                (index, whole),
                textcoords="offset points",
                xytext=(0, 2),
                ha="center",
                fontsize=7,
            )
        panel.set_ylim(0, 1.1 * max(below) or 1.0)
        panel.set_title(TITLES[arm].partition(" (")[0], fontsize=9)
        panel.set_xticks(range(len(costs)), [str(step.flows) for step in comparisons], fontsize=8)
        panel.set_xlabel("flows of each kind", fontsize=8)
    panels[0].set_ylabel("processor seconds per gigabyte")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(PART_COLOURS), fontsize=8)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def plot_over_time(path: Path, scale: Scale, last_round: Sequence[ArmRound]) -> None:
    """Demand and goodput second by second, as figures 2, 3 and 11 of the paper show them."""
    count = 1 + len(last_round)
    figure, panels = plt.subplots(1, count, figsize=(4 * count, 4), constrained_layout=True)
    _demand(panels[0], scale)
    top = 1.1 * max(second.total_bps for run in last_round for second in run.seconds) / 1e6
    for panel, run in zip(panels[1:], last_round, strict=True):
        _over_time(panel, run, top)
    figure.suptitle(str(scale), fontsize=9)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def _arms(comparisons: Sequence[StepComparison]) -> list[str]:
    """Those that were compared, in the order in which they are drawn."""
    return [arm for arm in COLOURS if arm in comparisons[0].total_bps]


def _by_step(panel: Axes, comparisons: Sequence[StepComparison]) -> None:
    arms = {arm: [step.total_bps[arm] / 1e6 for step in comparisons] for arm in _arms(comparisons)}
    _grouped(panel, comparisons, arms)
    top = 12 * max(max(values) for values in arms.values())  # room for the legend, on a logarithmic axis
    for index, step in enumerate(comparisons):
        demand = step.demand_bps / 1e6
        panel.hlines(
            min(demand, 0.99 * top),
            index - 0.4,
            index + 0.4,
            color="black",
            linestyle="--" if demand < top else ":",
            linewidth=1,
            label="demand (dotted: above)" if index == 0 else "_demand",
        )
    panel.set_yscale("log")
    panel.set_ylim(0.5 * min(min(values) for values in arms.values()), top)
    panel.set_ylabel("Mbit/s")
    panel.legend(fontsize=7, ncols=2, loc="upper left")


def _grouped(panel: Axes, comparisons: Sequence[StepComparison], values: dict[str, list[float]]) -> None:
    width = 0.8 / len(values)
    for place, (arm, of_arm) in enumerate(values.items()):
        panel.bar(
            [index - 0.4 + (place + 0.5) * width for index in range(len(comparisons))],
            of_arm,
            width,
            label=TITLES[arm].partition(" (")[0],
            color=COLOURS[arm],
        )
    _label_steps(panel, comparisons)


def _ratios(panel: Axes, comparisons: Sequence[StepComparison]) -> None:
    positions = range(len(comparisons))
    panel.plot(
        positions,
        [step.ratio_to("maxinet", SIMULATED_ARM) for step in comparisons],
        marker="s",
        color=COLOURS[SIMULATED_ARM],
        label="simulated switches / MaxiNet's way",
    )
    for arm in (arm for arm in _arms(comparisons) if arm not in ("hybrid", SIMULATED_ARM)):
        panel.plot(
            positions,
            [step.ratio_to(arm) for step in comparisons],
            marker="o",
            color=COLOURS[arm],
            label=f"hybridnet / {TITLES[arm].partition(' (')[0]}",
        )
    for of in ("hybrid", SIMULATED_ARM):
        for index, step in enumerate(comparisons):
            ratio = step.ratio_to("maxinet", of)
            panel.annotate(
                f"{ratio:.1f}" if ratio < 20 else f"{ratio:.0f}",
                (index, ratio),
                textcoords="offset points",
                xytext=(0, 6),
                ha="center",
                fontsize=8,
            )
    panel.axhline(PUBLISHED_FACTOR, linestyle=":", color="grey", label="the paper, 16 flows")
    panel.set_yscale("log")
    panel.set_ylim(0.5, 12 * max(step.ratio_to("maxinet", SIMULATED_ARM) for step in comparisons))
    panel.set_title("How many times as much hybridnet carries", fontsize=10)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=7, loc="upper right")
    _label_steps(panel, comparisons)


def _label_steps(panel: Axes, comparisons: Sequence[StepComparison]) -> None:
    panel.set_xticks(
        range(len(comparisons)),
        [f"{step.flows} + {step.flows}{MARKS[step.word]}" for step in comparisons],
        fontsize=8,
    )
    panel.set_xlabel("TCP + UDP flows (* saturated, ! broken)", fontsize=8)


def _demand(panel: Axes, scale: Scale) -> None:
    edges = [index * scale.seconds_per_step for index in range(len(scale.steps) + 1)]
    offered = [scale.demand_bps(flows) for flows in scale.steps]
    for protocol in ("tcp", "udp"):
        panel.stairs([each[protocol] / 1e6 for each in offered], edges, label=protocol.upper())
    panel.stairs([sum(each.values()) / 1e6 for each in offered], edges, label="both", color="black")
    _label_time(panel, "Demand (figure 2)", edges[-1])


def _over_time(panel: Axes, run: ArmRound, top: float) -> None:
    times = [second.at_s for second in run.seconds]
    for label, values, colour in (
        ("TCP", [second.tcp_bps for second in run.seconds], None),
        ("UDP", [second.udp_bps for second in run.seconds], None),
        ("both", [second.total_bps for second in run.seconds], "black"),
    ):
        panel.plot(times, [value / 1e6 for value in values], label=label, marker=".", color=colour)
    broken = [
        stay for stay, verdict in zip(run.stays, run.verdicts, strict=True) if verdict.word is Word.BROKEN
    ]
    for stay in (*broken, *(stay for stay, _ in run.again)):
        panel.axvspan(stay.begin_s, stay.begin_s + stay.lasts_s, color="orange", alpha=0.2, label="_broken")
    if run.arm == "maxinet" and top > PUBLISHED_MAXINET_BPS / 1e6:
        panel.axhline(PUBLISHED_MAXINET_BPS / 1e6, linestyle=":", color="grey", label="published peak")
    panel.set_ylim(0, top)
    _label_time(panel, TITLES[run.arm], run.stays[-1].begin_s + run.stays[-1].lasts_s)


def _label_time(panel: Axes, title: str, until_s: float) -> None:
    panel.set_title(title, fontsize=10)
    panel.set_xlabel("time, s")
    panel.set_ylabel("Mbit/s")
    panel.set_xlim(0, until_s)
    panel.grid(alpha=0.3)
    panel.legend(loc="upper left", fontsize=8)
