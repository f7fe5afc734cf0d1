# SPDX-License-Identifier: MIT
"""Checks: what an experiment promised, what it measured, and whether the promise holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from hybridnet.observe.results import html
from hybridnet.observe.results.verdict import Verdict, Word

__all__ = ["Check", "all_hold", "html_of_checks", "render_checks", "tried"]

_COLUMNS = ("what", "measured", "published", "bound", "holds")


@dataclass(frozen=True)
class Check:
    """One promise of an experiment.

    Args:
        what: the promise, one line, with the step or arm it is about.
        measured: the figure that was measured, with its unit, as text.
        published: the figure of the paper, or None if it has none.
        bound: the condition on the measured figure, as text.
        holds: whether the condition is met.
        disturbed: a verdict says that the computer broke the measurement, so that it does not show whether the promise
            holds: another try may.
    """

    what: str
    measured: str
    published: str | None
    bound: str
    holds: bool
    disturbed: bool = False

    @classmethod
    def of_verdicts(cls, what: str, verdicts: Sequence[Verdict], *, least: Word = Word.TRUSTED) -> Check:
        """The promise that verdicts are this good at least; the first that is not is quoted.

        Args:
            least: TRUSTED, or SATURATED where it does not matter how fast what is emulated runs.
        """
        order = list(Word)
        bad = [each for each in verdicts if order.index(each.word) > order.index(least)]
        return cls(
            what,
            str((bad or list(verdicts))[0]),
            None,
            "trusted" if least is Word.TRUSTED else "not broken",
            not bad,
            any(each.word is Word.BROKEN for each in bad),
        )

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Check:
        """What `to_json` made."""
        return cls(**written)

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        return html_of_checks([self])


def all_hold(checks: Sequence[Check]) -> bool:
    """Whether every promise is kept."""
    return all(check.holds for check in checks)


def tried(measure: Callable[[int], Sequence[Check]], tries: int) -> list[Sequence[Check]]:
    """Measure; and again while the verdict says that the computer broke the measurement. A promise that is not kept in
    an undisturbed measurement is never tried again.

    Args:
        measure: is given the number of the try, from 1.
        tries: how often at most.

    Returns:
        The checks of every try; the last is what counts.
    """
    done: list[Sequence[Check]] = []
    while len(done) < tries:
        done.append(measure(len(done) + 1))
        if all_hold(done[-1]) or not any(check.disturbed for check in done[-1]):
            break
    return done


def html_of_checks(checks: Sequence[Check]) -> str:
    """A table with one line per check, for a notebook."""
    rows: list[list[str | tuple[str, html.Tone]]] = [
        [
            each.what,
            each.measured,
            each.published or "-",
            each.bound,
            ("yes", "good") if each.holds else ("NO", "bad"),
        ]
        for each in checks
    ]
    return html.joined(html.table(_COLUMNS, rows, texts=len(_COLUMNS)))


def render_checks(checks: Sequence[Check], title: str = "Checks") -> Table:
    """A table with one line per check, for a terminal."""
    table = Table(title=title, title_justify="left")
    for column in _COLUMNS:
        table.add_column(column, overflow="fold")
    for check in checks:
        holds = "[green]yes[/green]" if check.holds else "[bold red]NO[/bold red]"
        table.add_row(check.what, check.measured, check.published or "-", check.bound, holds)
    return table
