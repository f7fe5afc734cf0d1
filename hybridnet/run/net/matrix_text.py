# SPDX-License-Identifier: MIT
"""How a matrix of measurements is shown: a bar while they are made, and rows of text afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

__all__ = ["progress_bar", "text_table"]


@contextlib.contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, if that is a terminal, gone at the end. Gives a function that is called with how many of
    `total` have been done since its last call.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right, two spaces between.

    Example:
        >>> print(text_table(["ms", "h1"], [["h2", "0.1"], ["h10", "10.5"]]))
        ms     h1
        h2    0.1
        h10  10.5
    """
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
