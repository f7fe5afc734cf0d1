# SPDX-License-Identifier: MIT
"""What commands print, to a terminal, a file or a pipe: a console, and tables.

A pipe that nobody reads any more raises BrokenPipeError, as `print` does. Rich's own console ends the program with 1,
so `hybridnet simulate ... | head -1` looked like a failure.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rich.console import Console

__all__ = ["PlainConsole", "print_table"]

_WIDTH = 140  # if the output is not a terminal


class PlainConsole(Console):
    """Rich's console, which leaves broken pipes to the command line, and tables room where the output is not a
    terminal: a file need not wrap at 80 columns.

    Args:
        options: of rich's ``Console``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if not self.is_terminal:
            self.width = _WIDTH

    def on_broken_pipe(self) -> NoReturn:
        """Raise the BrokenPipeError that rich has just caught."""
        raise sys.exception() or BrokenPipeError


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain table on standard output; long cells wrap."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    PlainConsole(highlight=False, markup=False).print(table)
