# SPDX-License-Identifier: MIT
"""How a matrix of measurements is shown: a bar while they are made, and rows of text or CSV afterwards."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["csv_text", "progress_bar", "text_table"]


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


def csv_text(head: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Rows as CSV (RFC 4180), whose first line is the names of the columns; what is None is empty.

    Example:
        >>> csv_text(["host", "rtt_ms"], [{"host": "h1", "rtt_ms": 0.5}, {"host": "h2", "rtt_ms": None}])
        'host,rtt_ms\\r\\nh1,0.5\\r\\nh2,\\r\\n'
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, head)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


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
