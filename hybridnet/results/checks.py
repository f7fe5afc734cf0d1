# SPDX-License-Identifier: MIT
"""Checks: what an experiment promised, what it measured, and whether the promise holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table


@dataclass(frozen=True)
class Check:
    """One promise of an experiment.

    Args:
        what: the promise, one line, with the step or arm it is about.
        measured: the figure that was measured, with its unit, as text.
        published: the figure of the paper, or None if it has none.
        bound: the condition on the measured figure, as text.
        holds: whether the condition is met.
    """

    what: str
    measured: str
    published: str | None
    bound: str
    holds: bool

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def render_checks(checks: Sequence[Check]) -> Table:
    """A table with one line per check, for a terminal."""
    table = Table(title="Checks", title_justify="left")
    for column in ("what", "measured", "published", "bound", "holds"):
        table.add_column(column, overflow="fold")
    for check in checks:
        holds = "[green]yes[/green]" if check.holds else "[bold red]NO[/bold red]"
        table.add_row(check.what, check.measured, check.published or "-", check.bound, holds)
    return table
