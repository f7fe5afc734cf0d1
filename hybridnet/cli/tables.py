# SPDX-License-Identifier: MIT
"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from hybridnet.results.console import PlainConsole

__all__ = ["print_table", "wide_console"]

_WIDTH = 140  # if the output is not a terminal


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain table on standard output; long cells wrap."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    wide_console(highlight=False, markup=False).print(table)


def wide_console(**options: Any) -> Console:
    """A console that leaves tables room if the output is not a terminal: a file need not wrap at 80 columns.

    Args:
        options: of rich's ``Console``.
    """
    console = PlainConsole(**options)
    if not console.is_terminal:
        console.width = _WIDTH
    return console
