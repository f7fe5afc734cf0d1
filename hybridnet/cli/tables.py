# SPDX-License-Identifier: MIT
"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from hybridnet.observe.results.console import PlainConsole

__all__ = ["print_table"]


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain table on standard output; long cells wrap."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    PlainConsole(highlight=False, markup=False).print(table)
