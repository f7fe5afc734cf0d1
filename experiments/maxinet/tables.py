# SPDX-License-Identifier: MIT
"""The comparison as tables, for a terminal and for a spreadsheet. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from hybridnet.experiments.maxinet.processor_time import PARTS
from hybridnet.experiments.maxinet.report import SIMULATED_ARM, StepComparison
from hybridnet.observe.results import Word

MARKS = {Word.TRUSTED: "", Word.SATURATED: "*", Word.BROKEN: "!"}
LEGEND = "* saturated: the arm's figure is what this computer carries.  ! broken: something was late, lost or stalled."
COSTS_LEGEND = (
    "hosts: iperf3. switches: Open vSwitch; simulated ones are in the instances. controller: Ryu. rest: all else that "
    "the computer did, for example interrupts and what measures."
)

_COLOURS = {Word.TRUSTED: "green", Word.SATURATED: "cyan", Word.BROKEN: "bold red"}


def table_of(title: str, comparisons: Sequence[StepComparison]) -> Table:
    """Goodput per step in Mbit/s, TCP and UDP together, and what hybrid carries in times of each other arm.

    The last ratio is that of simulated switches over MaxiNet's way.
    """
    arms = list(comparisons[0].total_bps)
    others = [arm for arm in arms if arm != "hybrid"]
    table = Table(title=title, title_justify="left")
    for column in ("flows", "demand", *arms, *(f"/ {arm}" for arm in others)):
        table.add_column(column, justify="right")
    table.add_column("simulated / maxinet", justify="right")
    table.add_column("verdict")
    for step in comparisons:
        table.add_row(
            f"{step.flows} + {step.flows}",
            f"{step.demand_bps / 1e6:.0f}",
            *(f"{step.total_bps[arm] / 1e6:.1f}{MARKS[step.words[arm]]}" for arm in arms),
            *(_times(step.ratio_to(arm)) for arm in others),
            _times(step.ratio_to("maxinet", SIMULATED_ARM)),
            f"[{_COLOURS[step.word]}]{step.word}[/]",
        )
    return table


def costs_table_of(title: str, comparisons: Sequence[StepComparison]) -> Table:
    """Processor seconds per gigabyte of goodput, for each step and arm: in all, and of each part."""
    table = Table(title=title, title_justify="left")
    table.add_column("flows", justify="right")
    table.add_column("arm")
    for column in ("all", *PARTS):
        table.add_column(f"{column}, s/GB", justify="right")
    for step in comparisons:
        for arm, costs in step.seconds_per_gb.items():
            figures = [sum(costs.values()), *costs.values()] if costs else []
            table.add_row(
                f"{step.flows} + {step.flows}",
                arm,
                *(map(_seconds, figures) if costs else ["-"] * (1 + len(PARTS))),
            )
        table.add_section()
    return table


def _times(ratio: float) -> str:
    return f"{ratio:.0f} x" if ratio >= 20 else f"{ratio:.1f} x"


def _seconds(value: float) -> str:
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def columns_of(comparisons: Sequence[StepComparison]) -> list[str]:
    """Of the rows."""
    arms = list(comparisons[0].total_bps)
    figures = ("tcp_bps", "udp_bps", "busy", "verdict")
    costs = [f"{part}_s_per_gb" for part in PARTS]
    named = [f"{arm}_{figure}" for arm in arms for figure in (*figures, *costs)]
    return ["flows", "demand_bps", *named, "verdict"]


def rows_of(comparisons: Sequence[StepComparison]) -> list[tuple[Any, ...]]:
    """One per step."""
    return [
        (
            step.flows,
            step.demand_bps,
            *(
                value
                for arm in step.total_bps
                for value in (
                    *(step.tcp_bps[arm], step.udp_bps[arm], step.busy[arm], step.words[arm]),
                    *(step.seconds_per_gb[arm].get(part, "") for part in PARTS),
                )
            ),
            step.word,
        )
        for step in comparisons
    ]
