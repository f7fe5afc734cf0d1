# SPDX-License-Identifier: MIT
"""Reads the time series of a run, also of one that was killed.

series = read_series(Path("runs/demo/network-1"))
time_s, sent = series.of("interfaces", "h1-eth0", "tx_bytes")
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pyarrow.compute
from pyarrow import parquet

from hybridnet.errors import UsageError
from hybridnet.observe.series.block import Key
from hybridnet.observe.series.writer import SERIES, parts_of

__all__ = ["SeriesTable", "has_series", "read_all_series", "read_series", "series_folders"]


class SeriesTable:
    """The series of one network, or of one seed of a simulation.

    Args:
        table: with the columns of `hybridnet.observe.series.writer.SCHEMA`.
    """

    def __init__(self, table: Any) -> None:
        order = [
            ("kind", "ascending"),
            ("element", "ascending"),
            ("name", "ascending"),
            ("time_s", "ascending"),
        ]
        plain = table.cast(
            pyarrow.schema(
                [
                    (name, _plain(kind))
                    for name, kind in zip(table.schema.names, table.schema.types, strict=True)
                ]
            )
        ).sort_by(order)
        self._times = plain["time_s"].to_numpy()
        self._values = plain["value"].to_numpy()
        self._places = _places(plain)

    def figures(self) -> list[Key]:
        """Of each figure its kind, element and name, in the order of the alphabet."""
        return list(self._places)

    def of(self, kind: str, element: str, name: str) -> tuple[Any, Any]:
        """One figure: its instants in seconds, ascending, and its values. Raises KeyError if there is none."""
        place = self._places[kind, element, name]
        return self._times[place], self._values[place]

    def each(self, kind: str, name: str) -> Iterator[tuple[str, Any, Any]]:
        """Of every element of a kind that has this figure: the element, instants and values."""
        for key in self._places:
            if (key[0], key[2]) == (kind, name):
                yield key[1], *self.of(*key)

    def has(self, kind: str, name: str) -> bool:
        """Whether any element has this figure."""
        return any((key[0], key[2]) == (kind, name) for key in self._places)


def series_folders(run: Path) -> list[Path]:
    """The folders of a run directory that have a time series: one for each network.

    Raises:
        UsageError: there is none.
    """
    if not run.is_dir():
        raise UsageError(
            f"{run}: there is no such run directory; `hybridnet run --series 100ms --out {run}` makes one"
        )
    found = _with_series(run)
    if not found:
        raise UsageError(f"{run}: it has no time series; run it with --series 100ms")
    return found


def has_series(run: Path) -> bool:
    """Whether a run directory has a time series."""
    return bool(_with_series(run))


def _with_series(run: Path) -> list[Path]:
    return [folder for folder in (run, *sorted(run.glob("network-*"))) if _files(folder)]


def read_series(folder: Path, seed: int | None = None) -> SeriesTable:
    """The series in a folder.

    Args:
        seed: of a simulation, which replication; None: the first.

    Raises:
        UsageError: there is none, or none of this seed, or the file cannot be read.
    """
    table = _read(folder)
    seeds = _seeds(table, folder)
    wanted = seeds[0] if seed is None else seed
    if wanted not in seeds:
        raise UsageError(f"{folder}: it has no seed {seed}; it has {', '.join(map(str, seeds))}")
    return _of_seed(table, wanted)


def read_all_series(folder: Path) -> dict[int, SeriesTable]:
    """The series in a folder by seed, ascending. Raises UsageError, as `read_series`."""
    table = _read(folder)
    return {seed: _of_seed(table, seed) for seed in _seeds(table, folder)}


def _read(folder: Path) -> Any:
    files = _files(folder)
    if not files:
        raise UsageError(f"{folder}: it has no time series; run it with --series 100ms")
    try:
        return pyarrow.concat_tables(
            [parquet.read_table(file) for file in files], promote_options="permissive"
        )
    except (OSError, pyarrow.ArrowException) as error:
        raise _unreadable(folder, error) from None


def _seeds(table: Any, folder: Path) -> list[int]:
    try:
        seeds: list[int] = sorted(table["seed"].unique().to_pylist())
    except (KeyError, pyarrow.ArrowException) as error:
        raise _unreadable(folder, error) from None
    if not seeds:
        raise UsageError(f"{folder}: its series has no sample; run it longer, or with a shorter --series")
    return seeds


def _of_seed(table: Any, seed: int) -> SeriesTable:
    return SeriesTable(table.filter(pyarrow.compute.equal(table["seed"], seed)))


def _unreadable(folder: Path, error: Exception) -> UsageError:
    return UsageError(f"{folder}: its series cannot be read: {error}; repeat the run")


def _files(folder: Path) -> list[Path]:
    return [folder / SERIES] if (folder / SERIES).is_file() else parts_of(folder)


def _plain(kind: Any) -> Any:
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind


def _places(table: Any) -> dict[Key, slice]:
    """Where each figure stands in a table that is sorted by them."""
    columns = [table[name].combine_chunks().dictionary_encode() for name in ("kind", "element", "name")]
    codes = [column.indices.to_numpy() for column in columns]
    words = [column.dictionary.to_pylist() for column in columns]
    changes = numpy.zeros(table.num_rows, dtype=bool)
    changes[:1] = True
    for code in codes:
        changes[1:] |= code[1:] != code[:-1]
    starts = numpy.flatnonzero(changes).tolist()
    return {
        (words[0][codes[0][start]], words[1][codes[1][start]], words[2][codes[2][start]]): slice(start, end)
        for start, end in zip(starts, [*starts[1:], table.num_rows], strict=True)
    }
