# SPDX-License-Identifier: MIT
"""Rows of text under each other."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["text_table"]


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
