# SPDX-License-Identifier: MIT
"""Writes the time series of a run as CSV (RFC 4180), for spreadsheets and programs that read no Parquet.

There is a table for each kind of element, with a row for each element and instant, and a column for each figure.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy

from hybridnet.observe.series.table import SeriesTable, read_all_series, read_series, series_folders

__all__ = ["write_csv"]

_NANOSECONDS, _SECONDS = "_ns", "_s"


def write_csv(run: Path, out: Path | None = None, seed: int | None = None) -> list[Path]:
    """Write every sample of every series of a run. Columns: ``seed``, ``time_s`` (as of the series), ``element``, and
    the figures, whose names end with their unit. What the series has in nanoseconds is in seconds here. A figure that
    an element does not have at an instant is empty.

    Args:
        run: the run directory.
        out: the folder of the tables; None: ``csv`` in the run directory.
        seed: of a simulation, which replication; None: all.

    Returns:
        The paths of the tables.

    Raises:
        UsageError: the run has no series, or none of this seed.
    """
    folders = series_folders(run)
    target = run / "csv" if out is None else out
    written = []
    for folder in folders:
        prefix = "" if len(folders) == 1 else f"{folder.name}-"
        tables = read_all_series(folder) if seed is None else {seed: read_series(folder, seed)}
        target.mkdir(parents=True, exist_ok=True)
        for kind in sorted({key[0] for series in tables.values() for key in series.figures()}):
            written.append(target / f"{prefix}{kind}.csv")
            _write(written[-1], kind, tables)
    return written


def _write(path: Path, kind: str, tables: dict[int, SeriesTable]) -> None:
    names = sorted(
        {name for series in tables.values() for of_kind, _, name in series.figures() if of_kind == kind}
    )
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["seed", "time_s", "element", *map(_in_seconds, names)])
        for seed, series in tables.items():
            there: dict[str, set[str]] = {}
            for of_kind, element, name in series.figures():
                if of_kind == kind:
                    there.setdefault(element, set()).add(name)
            for element, own in there.items():
                found = {name: series.of(kind, element, name) for name in own}
                for time_s, cells in _rows(found, names):
                    writer.writerow([seed, _number(time_s), element, *cells])


def _rows(found: dict[str, tuple[Any, Any]], names: list[str]) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Of one element: each instant, and the cells of all figures of its kind."""
    times = numpy.unique(numpy.concatenate([instants for instants, _ in found.values()]))
    columns = [_column(times, *found[name], name) if name in found else [""] * len(times) for name in names]
    yield from zip(times.tolist(), zip(*columns, strict=True), strict=True)


def _column(times: Any, instants: Any, values: Any, name: str) -> list[str]:
    """The cells of a figure at all instants of its element."""
    cells = [""] * len(times)
    scaled = values / 1e9 if name.endswith(_NANOSECONDS) else values
    for place, value in zip(numpy.searchsorted(times, instants).tolist(), scaled.tolist(), strict=True):
        cells[place] = _number(value)
    return cells


def _in_seconds(name: str) -> str:
    return name.removesuffix(_NANOSECONDS) + _SECONDS if name.endswith(_NANOSECONDS) else name


def _number(value: float) -> str:
    """As short as it can be read back."""
    return repr(value).removesuffix(".0")
