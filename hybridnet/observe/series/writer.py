# SPDX-License-Identifier: MIT
"""Writes a time series while a network runs, so that a kill costs at most its last seconds.

    append ─▶ rows in memory ─▶ series.parts/00001.parquet, 00002 … ─ finish ─▶ series.parquet

A Parquet file can be read only once its end is written. So what has come is written every few seconds as a small file
of its own, under its name only when it is complete. `finish` joins them, a group of rows at a time, and removes them.
`hybridnet.observe.series.table` reads either.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pyarrow
from pyarrow import parquet

from hybridnet.observe.series.block import Block

__all__ = ["PARTS", "SCHEMA", "SERIES", "SeriesWriter", "parts_of"]

SERIES = "series.parquet"
PARTS = "series.parts"
PART_SECONDS = 5.0
PART_ROWS = 200_000
GROUP_ROWS = 1_000_000

_TEXT = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
SCHEMA = pyarrow.schema(
    [
        ("seed", pyarrow.int64()),
        ("time_s", pyarrow.float64()),
        ("kind", _TEXT),
        ("element", _TEXT),
        ("name", _TEXT),
        ("value", pyarrow.float64()),
    ]
)


class SeriesWriter:
    """The series of one network.

    Args:
        folder: where its files go; it is there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: list[Any] = []
        self._rows = 0
        self._parts = 0
        self._written_at = time.monotonic()

    def append(self, blocks: Iterable[Block], seed: int) -> None:
        """Add samples; writes them when there are many, or when the last part is some seconds old."""
        for block in blocks:
            if block.keys and block.times:
                self._waiting.append(_table(block, seed))
                self._rows += len(block.values)
            if self._rows >= PART_ROWS:
                self.flush()
        if time.monotonic() - self._written_at >= PART_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        self._written_at = time.monotonic()
        if not self._waiting:
            return
        table = pyarrow.concat_tables(self._waiting).unify_dictionaries()
        self._waiting, self._rows = [], 0
        self._parts += 1
        parts = self._folder / PARTS
        parts.mkdir(exist_ok=True)
        target = parts / f"{self._parts:05d}.parquet"
        parquet.write_table(table, target.with_suffix(".tmp"))
        target.with_suffix(".tmp").replace(target)

    def finish(self) -> Path | None:
        """Write the one file. Returns its path; None if nothing was sampled."""
        self.flush()
        return join_parts(self._folder)


def parts_of(folder: Path) -> list[Path]:
    """The complete parts of a series that was not finished, in their order."""
    return sorted((folder / PARTS).glob("*.parquet"))


def join_parts(folder: Path) -> Path | None:
    """Make one file of the parts in a folder, and remove them. Returns its path; None without parts."""
    if not (parts := parts_of(folder)):
        return None
    target = folder / SERIES
    unfinished = target.with_suffix(".tmp")
    with parquet.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer:
        for group in _groups(parts):
            writer.write_table(group, row_group_size=GROUP_ROWS)
    os.replace(unfinished, target)
    shutil.rmtree(folder / PARTS)
    return target


def _groups(parts: list[Path]) -> Iterator[Any]:
    """The tables of the parts, joined until there are enough rows for a group."""
    joined: list[Any] = []
    for part in parts:
        joined.append(parquet.read_table(part).cast(SCHEMA))
        if sum(table.num_rows for table in joined) >= GROUP_ROWS:
            yield pyarrow.concat_tables(joined).unify_dictionaries().combine_chunks()
            joined = []
    if joined:
        yield pyarrow.concat_tables(joined).unify_dictionaries().combine_chunks()


def _table(block: Block, seed: int) -> Any:
    instants, figures = len(block.times), len(block.keys)
    columns: list[Any] = [
        pyarrow.array(numpy.full(instants * figures, seed, dtype=numpy.int64)),
        pyarrow.array(numpy.repeat(numpy.frombuffer(block.times), figures)),
    ]
    for part in range(3):
        places: dict[str, int] = {}
        codes = [places.setdefault(key[part], len(places)) for key in block.keys]
        indices = numpy.tile(numpy.array(codes, dtype=numpy.int32), instants)
        columns.append(pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(list(places))))
    columns.append(pyarrow.array(numpy.frombuffer(block.values)))
    return pyarrow.Table.from_arrays(columns, schema=SCHEMA)
