# SPDX-License-Identifier: MIT
"""How far from Linux: each figure of each pairing beside what Linux to Linux had over the same link, with other draws.

The bound is Linux's own: a median may lie outside the range of its repetitions by as much as that range is wide. Where
Linux always does the same, times and rates may differ by what a real host needs to answer, and counts not at all, or by
what the column says that the link's draws decide.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet.experiments.differential.columns import HOST_DELAY_S, RTT_S, Column
from hybridnet.experiments.differential.pairings import LINUX, MIXED, SIMULATED, Figures, Pairing
from hybridnet.observe.results import Check

RECORDED = Path(__file__).with_name("linux.json")
"""Linux's figures of the last recorded run: what the simulated ends are held against where Linux does not run."""
COUNTS = ("syns", "first_flight", "window_reductions")
LEAST = 4
"""Repetitions of Linux to Linux that tell a range."""
_RESOLUTION = HOST_DELAY_S / RTT_S


@dataclass(frozen=True)
class LinuxRange:
    """What Linux to Linux had, in all repetitions.

    Args:
        slack: so far may two figures lie apart that are the same.
    """

    low: float
    high: float
    middle: float
    slack: float

    @classmethod
    def of(cls, figure: str, values: Sequence[float], drawn: float = 0.0) -> LinuxRange:
        """Of these values. ``drawn``: how far apart the link's draws put a count."""
        middle = median(values)
        slack = drawn if figure in COUNTS else _RESOLUTION * abs(middle)
        return cls(min(values), max(values), middle, slack)

    @property
    def room(self) -> float:
        return max(self.high - self.low, self.slack)

    def beyond(self, value: float) -> float:
        """How far outside of the range a value is: negative below it, 0 within, positive above."""
        return min(0.0, value - self.low) + max(0.0, value - self.high)

    def away(self, value: float) -> float:
        """The same as a part of Linux's median; of 1 where that is 0."""
        return self.beyond(value) / (abs(self.middle) or 1.0)

    def holds(self, value: float) -> bool:
        return abs(self.beyond(value)) <= self.room


@dataclass(frozen=True)
class Cell:
    """One figure of one column with one pairing.

    Args:
        values: one of each repetition that counts; None: the wire did not tell it.
    """

    column: Column
    figure: str
    pairing: Pairing
    values: tuple[float | None, ...]
    linux: LinuxRange | None

    @property
    def told(self) -> list[float]:
        return [value for value in self.values if value is not None]

    @property
    def median(self) -> float:
        return median(self.told) if self.told else float("nan")

    @property
    def away(self) -> float:
        return self.linux.away(self.median) if self.linux and self.told else float("inf")

    @property
    def holds(self) -> bool:
        complete = bool(self.told) and len(self.told) == len(self.values)
        return complete and self.linux is not None and self.linux.holds(self.median)

    def __str__(self) -> str:
        known = self.linux
        beside = f"Linux {known.low:.4g} to {known.high:.4g}, {self.away:+.1%}" if known else "no Linux"
        return f"{self.column.name}, {self.figure}, {self.pairing}: {self.median:.4g}, {beside}"

    def to_json(self) -> dict[str, Any]:
        known = self.linux
        return {
            "column": self.column.name,
            "figure": self.figure,
            "pairing": str(self.pairing),
            "values": list(self.values),
            "median": self.median if self.told else None,
            "linux_low": known.low if known else None,
            "linux_high": known.high if known else None,
            "away": self.away if known and self.told else None,
            "holds": self.holds,
        }


class Recorded:
    """Linux's figures as a file: ``kernel``, and ``figures`` of column and figure."""

    def __init__(self, path: Path = RECORDED) -> None:
        found = json.loads(path.read_text(encoding="utf-8"))
        self.kernel = str(found["kernel"])
        self._figures: dict[str, dict[str, list[float]]] = found["figures"]

    def values(self, column: str, figure: str) -> list[float]:
        return self._figures.get(column, {}).get(figure, [])

    @staticmethod
    def to_json(kernel: str, cells: Iterable[Cell]) -> dict[str, Any]:
        """What `RECORDED` holds, of the cells of Linux to Linux."""
        figures: dict[str, dict[str, list[float]]] = {}
        for cell in cells:
            if cell.pairing == LINUX:
                figures.setdefault(cell.column.name, {})[cell.figure] = cell.told
        return {"kernel": kernel, "figures": figures}


def cells_of(
    columns: Sequence[Column],
    found: Mapping[tuple[str, Pairing], Sequence[Figures]],
    recorded: Recorded | None,
) -> list[Cell]:
    """All cells, from the figures of every repetition of column and pairing.

    Args:
        recorded: Linux's figures where `found` has none of Linux to Linux.
    """
    cells = []
    for column in columns:
        for figure in column.figures:
            values = {
                pairing: tuple(each[figure] for each in found[column.name, pairing])
                for pairing in (LINUX, *MIXED, SIMULATED)
                if (column.name, pairing) in found
            }
            own: list[float] = [value for value in values.get(LINUX, ()) if value is not None]
            known = recorded.values(column.name, figure) if recorded else own
            drawn = column.draws.get(figure, 0.0)
            linux = LinuxRange.of(figure, known, drawn) if len(known) >= LEAST else None
            cells += [Cell(column, figure, pairing, each, linux) for pairing, each in values.items()]
    return cells


def checks_of(columns: Sequence[Column], cells: Sequence[Cell]) -> list[Check]:
    """One promise for each column."""
    checks = []
    for column in columns:
        mine = [cell for cell in cells if cell.column is column]
        outside = [cell for cell in mine if not cell.holds]
        far = max(mine, key=lambda cell: abs(cell.away))
        checks.append(
            Check(
                f"{column.name}: {column.shows}",
                "; ".join(map(str, outside or [far])),
                None,
                "within Linux's range, or outside by no more than its width",
                not outside,
            )
        )
    return checks


def sum_line(cells: Sequence[Cell]) -> str:
    """How many cells, and which is the farthest from Linux."""
    judged = [cell for cell in cells if cell.linux and cell.told]
    outside = sum(not cell.holds for cell in judged)
    line = f"cells {len(cells)}, not judged {len(cells) - len(judged)}, outside of their bounds {outside}"
    if not judged:
        return line
    return f"{line}, farthest from Linux: {max(judged, key=lambda cell: (not cell.holds, abs(cell.away)))}"


def table_of(cells: Sequence[Cell]) -> Table:
    """One line for each column and figure: Linux's range, and each pairing's median with its distance."""
    table = Table(title="Beside Linux: medians, and how far outside of Linux's range", title_justify="left")
    pairings = [pairing for pairing in (*MIXED, SIMULATED) if any(cell.pairing == pairing for cell in cells)]
    for name in ("column", "figure", "Linux to Linux", *map(str, pairings)):
        table.add_column(name, justify="left" if name in ("column", "figure") else "right")
    rows: dict[tuple[str, str], dict[Pairing, Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.column.name, cell.figure), {})[cell.pairing] = cell
    for (column, figure), row in rows.items():
        known = next(iter(row.values())).linux
        shown = [_shown(row[pairing]) if pairing in row else "" for pairing in pairings]
        table.add_row(column, figure, f"{known.low:.4g} to {known.high:.4g}" if known else "", *shown)
    return table


def _shown(cell: Cell) -> str:
    away = f" {cell.away:+.1%}" if cell.linux and cell.away else ""
    return f"{cell.median:.4g}{away}{'' if cell.holds else ' !'}"
