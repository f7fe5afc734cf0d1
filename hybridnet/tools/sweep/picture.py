# SPDX-License-Identifier: MIT
"""Pictures and a table of a whole sweep: each figure over the values of one setting, a line for each of the others.

sweep.json ─▶ of each figure: Curves ─▶ DIR/plots/FIGURE.png
sweep.parquet ─▶ DIR/csv/sweep.csv
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet.describe.quantities import parse_delay
from hybridnet.errors import UnitError, UsageError
from hybridnet.observe.recording.plot import MOST_LINES, draw_figure, say_what_is_missing
from hybridnet.observe.results.estimate import Estimate
from hybridnet.observe.results.run_directory import naming, read_array
from hybridnet.tools.sweep.table import POINTS, TABLE, Row, shown_figures

__all__ = ["Curves", "curves_of", "is_sweep", "plot_sweep", "write_sweep_csv"]

MOST_PICTURES = 24
_WIDE = 20.0
"""From this ratio of its greatest to its least value on, an axis is logarithmic."""


@dataclass(frozen=True)
class Curves:
    """One figure of a sweep.

    Args:
        figure: its name.
        axis: the setting along the axis, with its unit.
        places: where each of its values is on the axis.
        labels: the values as they were written, where they are no numbers; None: the axis has numbers.
        lines: by the values of the other settings, the figure at each place; None: there is none.
    """

    figure: str
    axis: str
    places: list[float]
    labels: list[str] | None
    lines: dict[str, list[Estimate | None]]


def is_sweep(directory: Path) -> bool:
    """Whether it is what `hybridnet sweep` has written."""
    return (directory / TABLE).is_file()


def curves_of(rows: Sequence[Row], figures: Sequence[str]) -> list[Curves]:
    """Each figure over the setting that has the most values.

    Raises:
        UsageError: nothing varies.
    """
    values: dict[str, list[str]] = {}
    for row in rows:
        for name, value in row.values.items():
            if value not in values.setdefault(name, []):
                values[name].append(value)
    axis = max(values, key=lambda name: (len(values[name]), _numbers(values[name]) is not None), default=None)
    if axis is None or len(values[axis]) < 2:
        raise UsageError(
            "sweep: each setting has one value, so there is nothing to draw it over; its table says all"
        )
    numbers = _numbers(values[axis])
    places, unit = numbers or ([float(number) for number in range(len(values[axis]))], "")
    others = [name for name, of in values.items() if name != axis and len(of) > 1]
    found = []
    for figure in figures:
        lines: dict[str, list[Estimate | None]] = {}
        for row in rows:
            line = lines.setdefault(
                ", ".join(f"{name} {row.values[name]}" for name in others) or figure, [None] * len(places)
            )
            line[values[axis].index(row.values[axis])] = row.figures.get(figure)
        found.append(Curves(figure, axis + unit, places, None if numbers else values[axis], lines))
    return found


def plot_sweep(
    directory: Path, out: Path | None = None, named: Sequence[str] | None = None, form: str = "png"
) -> list[Path]:
    """Draw each figure of a sweep, with its 95 % intervals.

    Args:
        directory: of the sweep.
        out: the folder of the pictures; None: ``plots`` in the sweep's directory.
        named: parts of the names of figures; None: those that the sweep has printed.
        form: png, svg or pdf.

    Returns:
        The paths of the pictures.

    Raises:
        UsageError: no figure has such a name, more have it than anybody looks at, or nothing varies.
    """
    rows = [
        Row(each["values"], {name: Estimate(**figure) for name, figure in each["figures"].items()})
        for each in read_array(directory / TABLE)
    ]
    figures = shown_figures(rows, named)
    if not figures:
        of = "" if named is None else f" with {' or '.join(map(repr, named))} in its name"
        raise UsageError(f"{directory}: it has no figure{of}; {TABLE} there has all names")
    if len(figures) > MOST_PICTURES:
        raise UsageError(
            f"{directory}: {len(figures)} figures are more than {MOST_PICTURES} pictures; choose with --show, "
            f"such as --show '{figures[0]}'"
        )
    target = directory / "plots" if out is None else out
    target.mkdir(parents=True, exist_ok=True)
    drawn = []
    for curves in curves_of(rows, figures):
        drawn.append(target / f"{_file_name(curves.figure)}.{form}")
        _draw(curves, drawn[-1])
    return drawn


def write_sweep_csv(directory: Path, out: Path | None = None) -> Path:
    """Write every figure of every point as CSV (RFC 4180): what was set, ``seed``, ``figure``, ``value``.

    Args:
        directory: of the sweep.
        out: the folder of the table; None: ``csv`` in the sweep's directory.
    """
    from pyarrow import parquet

    table = parquet.read_table(directory / POINTS)
    target = (directory / "csv" if out is None else out) / "sweep.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with naming(target), target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([name.removeprefix("set_") for name in table.column_names])
        for batch in table.to_batches():
            writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    return target


def _numbers(values: Sequence[str]) -> tuple[list[float], str] | None:
    """The values as numbers and what to write behind the setting's name; None: some are neither numbers nor times."""
    try:
        numbers = [float(value) for value in values]
        unit = ""
    except ValueError:
        try:
            numbers = [parse_delay(value, "value") / 1e6 for value in values]
            unit = " (ms)"
        except UnitError:
            return None
    return (numbers, unit) if all(map(math.isfinite, numbers)) else None


def _file_name(figure: str) -> str:
    return re.sub(r"[^\w.>-]+", "-", figure).strip("-")


def _draw(curves: Curves, path: Path) -> None:
    def draw(axes: Any) -> None:
        shown = dict(list(curves.lines.items())[:MOST_LINES])
        for name, line in shown.items():
            _draw_line(axes, curves.places, line, name)
        if curves.labels is not None:
            axes.set_xticks(curves.places, curves.labels)
        elif min(curves.places) > 0 and max(curves.places) >= _WIDE * min(curves.places):
            axes.set_xscale("log")
            axes.set_xticks(curves.places, [f"{place:g}" for place in curves.places])
            axes.minorticks_off()
        axes.set_xlabel(curves.axis)
        axes.set_ylabel(curves.figure)
        if all(each.mean >= 0 for line in shown.values() for each in line if each is not None):
            axes.set_ylim(bottom=0)
        axes.set_title(f"{curves.figure}: mean and 95 % interval", fontsize=10, loc="left")
        say_what_is_missing(axes, len(curves.lines) - len(shown))

    draw_figure(path, [draw])


def _draw_line(axes: Any, places: Sequence[float], line: Sequence[Estimate | None], name: str) -> None:
    points = sorted((place, each) for place, each in zip(places, line, strict=True) if each is not None)
    over = {"x": [place for place, _ in points], "y": [each.mean for _, each in points]}
    axes.errorbar(
        **over, yerr=[each.half_width for _, each in points], label=name, marker=".", linewidth=1.0, capsize=3
    )
