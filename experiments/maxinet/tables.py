# SPDX-License-Identifier: MIT
"""The comparison as tables, for a terminal and for a spreadsheet. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from hybridnet.experiments.maxinet.report import SIMULATED_ARM, StepComparison
from hybridnet.results import Word

MARKS = {Word.TRUSTED: "", Word.SATURATED: "*", Word.BROKEN: "!"}
LEGEND = "* saturated: the arm's figure is what this computer carries.  ! broken: something was late, lost or stalled."

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
            *(f"{step.ratio_to(arm):.1f} x" for arm in others),
            f"{step.ratio_to('maxinet', SIMULATED_ARM):.0f} x",
            f"[{_COLOURS[step.word]}]{step.word}[/]",
        )
    return table


def columns_of(comparisons: Sequence[StepComparison]) -> list[str]:
    """Of the rows."""
    arms = list(comparisons[0].total_bps)
    figures = ("tcp_bps", "udp_bps", "busy", "verdict")
    return ["flows", "demand_bps", *(f"{arm}_{figure}" for arm in arms for figure in figures), "verdict"]


def rows_of(comparisons: Sequence[StepComparison]) -> list[tuple[Any, ...]]:
    """One per step."""
    return [
        (
            step.flows,
            step.demand_bps,
            *(
                value
                for arm in step.total_bps
                for value in (step.tcp_bps[arm], step.udp_bps[arm], step.busy[arm], step.words[arm])
            ),
            step.word,
        )
        for step in comparisons
    ]
