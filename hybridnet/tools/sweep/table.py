# SPDX-License-Identifier: MIT
"""What a sweep gave: of each combination of values every figure with its interval over the seeds."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet.observe.results.estimate import Estimate, estimate, uncounted
from hybridnet.observe.results.run_directory import naming, read_object
from hybridnet.tools.sweep.sweep import Done

__all__ = ["Row", "figures_of_point", "table_of", "write_table"]

_APPLICATION = ":"
TABLE = "sweep.json"
"""What a sweep's directory has of its rows."""
POINTS = "sweep.parquet"
"""What it has of every figure of every point."""


@dataclass(frozen=True)
class Row:
    """One combination of values.

    Args:
        values: what was set.
        figures: over the seeds, by name.
    """

    values: Mapping[str, str]
    figures: Mapping[str, Estimate]

    def to_json(self) -> dict[str, object]:
        """As data."""
        return {
            "values": dict(self.values),
            "figures": {name: asdict(each) for name, each in self.figures.items()},
        }


def figures_of_point(folder: Path) -> dict[str, float]:
    """The figures of one run: what the script named as results; of a simulation the counters, too."""
    figures: dict[str, float] = {}
    if (results := folder / "results.json").is_file():
        figures |= read_object(results)
    if (counters := folder / "figures.csv").is_file():
        with counters.open(newline="", encoding="utf-8") as file:
            figures |= {
                f"{row['element']} {row['name']}": float(row["value"]) for row in csv.DictReader(file)
            }
    if (verdict := folder / "verdict.json").is_file():
        figures["broken"] = float(read_object(verdict).get("word") == "broken")
    return figures


def figures_of_points(done: Sequence[Done]) -> list[dict[str, float]]:
    """The figures of each point. What others dropped, and it did not, is 0 there."""
    figures = [figures_of_point(each.folder) for each in done]
    names = dict.fromkeys(name for each in figures for name in each)
    return [each | dict.fromkeys(uncounted(each, names), 0.0) for each in figures]


def table_of(done: Sequence[Done]) -> list[Row]:
    """The rows, in the order of the points. A figure that a seed lacks is estimated from the others."""
    order: dict[tuple[tuple[str, str], ...], list[dict[str, float]]] = {}
    for each, figures in zip(done, figures_of_points(done), strict=True):
        order.setdefault(tuple(each.point.values.items()), []).append(figures)
    rows = []
    for values, over_seeds in order.items():
        names = dict.fromkeys(name for figures in over_seeds for name in figures)
        over = {
            name: estimate([figures[name] for figures in over_seeds if name in figures]) for name in names
        }
        rows.append(Row(dict(values), over))
    return rows


def shown_figures(rows: Sequence[Row], named: Sequence[str] | None) -> list[str]:
    """The figures that fit on a terminal: those asked for, else results and what applications counted, if it varies.

    Args:
        named: parts of names; None: choose.
    """
    names = dict.fromkeys(name for row in rows for name in row.figures)
    if named is not None:
        return [name for name in names if any(part in name for part in named)]
    of_use = [
        name for name in names if (_APPLICATION in name.split(" ")[0] and ">" not in name) or " " not in name
    ]
    varying = [name for name in of_use if _varies([row.figures.get(name) for row in rows])]
    return varying or of_use


def _varies(over: Sequence[Estimate | None]) -> bool:
    means = {each.mean for each in over if each is not None}
    return len(means) > 1 or any(each is not None and each.half_width > 0 for each in over)


def write_table(directory: Path, done: Sequence[Done], rows: Sequence[Row]) -> None:
    """Write ``sweep.json``, the rows, and ``sweep.parquet``, every figure of every point; each whole, or not at all."""
    import pyarrow
    from pyarrow import parquet

    _replace(directory / TABLE, json.dumps([row.to_json() for row in rows], indent=1).encode() + b"\n")
    columns: dict[str, list[Any]] = {"seed": [], "figure": [], "value": []}
    settings = list(dict.fromkeys(name for each in done for name in each.point.values))
    set_columns: dict[str, list[Any]] = {name: [] for name in settings}
    for each, figures in zip(done, figures_of_points(done), strict=True):
        for figure, value in figures.items():
            for name in settings:
                set_columns[name].append(_number_or_text(each.point.values.get(name)))
            columns["seed"].append(each.point.seed)
            columns["figure"].append(figure)
            columns["value"].append(value)
    for name, values in set_columns.items():
        if any(isinstance(value, str) for value in values):  # a column has one type
            set_columns[name] = [str(value) for value in values]
    unfinished = directory / f"{POINTS}.tmp"
    with naming(directory / POINTS):
        parquet.write_table(
            pyarrow.table({**{f"set_{k}": v for k, v in set_columns.items()}, **columns}), unfinished
        )
        os.replace(unfinished, directory / POINTS)


def _number_or_text(text: str | None) -> float | str | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return text
    return number if number is None or math.isfinite(number) else text


def _replace(path: Path, content: bytes) -> None:
    unfinished = path.with_name(path.name + ".tmp")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
