# SPDX-License-Identifier: MIT
"""Results as notebooks show them: what `_repr_html_` of verdicts, checks, matrices and reports returns.

Every text is escaped, wherever it comes from: a name in a description may hold anything. There are no scripts, and
nothing is loaded. A table has at most `MOST_ROWS` rows, because a notebook keeps all of what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Literal, NewType

__all__ = ["MOST_ROWS", "Html", "Tone", "folded", "joined", "lines", "table", "word", "written"]

MOST_ROWS = 200

Html = NewType("Html", str)
"""What is escaped already."""

Tone = Literal["good", "doubtful", "bad", ""]

_COLOURS = {"good": "#1a7f37", "doubtful": "#9a6700", "bad": "#cf222e"}
_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def word(text: str, tone: Tone = "") -> Html:
    """A word or a sentence, coloured by its tone. The words must say the same without colours."""
    if not tone:
        return Html(escape(text))
    return Html(f'<b style="color:{_COLOURS[tone]}">{escape(text)}</b>')


def lines(texts: Sequence[str]) -> Html:
    """One item for each; nothing where there are none."""
    shown = "".join(f"<li>{escape(text)}</li>" for text in texts[:MOST_ROWS])
    return Html(f"<ul>{shown}{_more(len(texts), '<li>', '</li>')}</ul>" if texts else "")


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str | tuple[str, Tone]]],
    *,
    texts: int = 1,
) -> Html:
    """A table.

    Args:
        columns: their heads.
        rows: as many cells each; a cell may have a tone.
        texts: how many of the first columns are texts and stand to the left; figures stand to the right.
    """
    sides = [_LEFT if place < texts else _RIGHT for place in range(len(columns))]
    head = "".join(f"<th{side}>{escape(column)}</th>" for side, column in zip(sides, columns, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{side}>{word(*((cell, '') if isinstance(cell, str) else cell))}</td>"
            for side, cell in zip(sides, row, strict=True)
        )
        + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = _more(len(rows), f'<tr><td colspan="{len(columns)}">', "</td></tr>")
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>")


def written(text: str) -> Html:
    """Text whose lines and spaces stay as they are; nothing where there is none."""
    return Html(f"<pre>{escape(text)}</pre>" if text else "")


def folded(summary: str, *parts: Html) -> Html:
    """What is shown once somebody opens it."""
    return Html(f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>")


def joined(*parts: Html) -> str:
    """All of it, one below the other; what is empty is left out."""
    return "".join(f"<div>{part}</div>" for part in parts if part)


def _more(count: int, before: str, after: str) -> str:
    return f"{before}and {count - MOST_ROWS:,} more{after}" if count > MOST_ROWS else ""
