# SPDX-License-Identifier: MIT
from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from hybridnet.errors import UsageError
from hybridnet.observe.series import SampleBuffer, writer
from hybridnet.observe.series.table import read_series, series_folders
from hybridnet.observe.series.writer import PARTS, SERIES, SeriesWriter

SENT, QUEUED = ("interfaces", "h1-eth0", "tx_bytes"), ("links", "r1-r2", "queue_packets")


def filled(first: int, end: int) -> SampleBuffer:
    """At instant i, i bytes were sent and -i packets waited."""
    buffer = SampleBuffer()
    for instant in range(first, end):
        buffer.add(float(instant), {SENT: instant, QUEUED: -instant})
    return buffer


def test_what_was_written_in_parts_is_one_file_at_the_end(tmp_path: Path) -> None:
    series = SeriesWriter(tmp_path)
    for first in (0, 10, 20):
        series.append(filled(first, first + 10).take()[0], seed=1)
        series.flush()
    assert series.finish() == tmp_path / SERIES
    assert not (tmp_path / PARTS).exists()
    times, values = read_series(tmp_path).of(*QUEUED)
    assert list(times) == [float(instant) for instant in range(30)]
    assert list(values) == [-float(instant) for instant in range(30)]


def test_before_the_end_the_parts_are_read_and_one_that_is_half_written_is_not(tmp_path: Path) -> None:
    series = SeriesWriter(tmp_path)
    series.append(filled(0, 10).take()[0], seed=1)
    series.flush()
    (tmp_path / PARTS / "00002.tmp").write_bytes(b"PAR1 and no more")
    assert read_series(tmp_path).figures() == [SENT, QUEUED]
    assert len(read_series(tmp_path).of(*SENT)[0]) == 10


def test_what_a_killed_process_had_written_is_there(tmp_path: Path) -> None:
    program = f"""
import time
from pathlib import Path
from hybridnet.observe.series import SampleBuffer
from hybridnet.observe.series.writer import SeriesWriter
buffer, series = SampleBuffer(), SeriesWriter(Path({str(tmp_path)!r}))
for instant in range(100):
    buffer.add(instant, {{{SENT!r}: instant}})
series.append(buffer.take()[0], seed=1)
series.flush()
print("written", flush=True)
buffer.add(100, {{{SENT!r}: 100}})
series.append(buffer.take()[0], seed=1)
time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"written\n"
    process.kill()
    process.communicate()
    assert len(read_series(tmp_path).of(*SENT)[0]) == 100


def test_a_part_is_written_when_there_are_many_rows_or_the_last_one_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = SeriesWriter(tmp_path)
    series.append(filled(0, 10).take()[0], seed=1)
    assert not (tmp_path / PARTS).exists()
    monkeypatch.setattr(writer, "PART_ROWS", 30)  # the 20 that wait, and 20 more
    series.append(filled(10, 20).take()[0], seed=1)
    assert len(list((tmp_path / PARTS).iterdir())) == 1
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + writer.PART_SECONDS)
    series.append(filled(20, 21).take()[0], seed=1)
    assert len(list((tmp_path / PARTS).iterdir())) == 2


def test_groups_of_rows_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "GROUP_ROWS", 40)
    series = SeriesWriter(tmp_path)
    for first in range(0, 100, 10):  # 20 rows each
        series.append(filled(first, first + 10).take()[0], seed=1)
        series.flush()
    path = series.finish()
    assert path is not None
    described = parquet.read_metadata(path)
    assert [described.row_group(each).num_rows for each in range(described.num_row_groups)] == [40] * 5


def test_seeds_are_told_apart(tmp_path: Path) -> None:
    series = SeriesWriter(tmp_path)
    series.append(filled(0, 3).take()[0], seed=1)
    series.append(filled(0, 5).take()[0], seed=2)
    series.finish()
    assert [len(read_series(tmp_path, seed).of(*SENT)[0]) for seed in (None, 1, 2)] == [3, 3, 5]
    with pytest.raises(UsageError, match="it has no seed 3; it has 1, 2"):
        read_series(tmp_path, 3)


def test_of_a_kind_each_element_is_found(tmp_path: Path) -> None:
    buffer = SampleBuffer()
    other = ("interfaces", "h2-eth0", "tx_bytes")
    buffer.add(0.0, {SENT: 1.0, other: 2.0, QUEUED: 3.0})
    series = SeriesWriter(tmp_path)
    series.append(buffer.take()[0], seed=1)
    series.finish()
    table = read_series(tmp_path)
    assert [(element, list(values)) for element, _, values in table.each("interfaces", "tx_bytes")] == [
        ("h1-eth0", [1.0]),
        ("h2-eth0", [2.0]),
    ]
    assert table.has("links", "queue_packets")
    assert not table.has("links", "tx_bytes")
    with pytest.raises(KeyError):
        table.of("links", "r1-r2", "nothing")


def test_a_folder_without_a_series_says_how_to_get_one(tmp_path: Path) -> None:
    for broken in (read_series, series_folders):
        with pytest.raises(UsageError, match="run it with --series 100ms"):
            broken(tmp_path)
    with pytest.raises(UsageError, match="there is no such run directory"):
        series_folders(tmp_path / "nowhere")
    (tmp_path / SERIES).write_bytes(b"no Parquet")
    with pytest.raises(UsageError, match="cannot be read"):
        read_series(tmp_path)
    parquet.write_table(pyarrow.table({"other": [1]}), tmp_path / SERIES)
    with pytest.raises(UsageError, match="cannot be read"):
        read_series(tmp_path)


def test_a_run_that_ended_before_its_first_sample_says_so(tmp_path: Path) -> None:
    series = SeriesWriter(tmp_path)
    series.append(filled(0, 1).take()[0], seed=1)
    series.finish()
    table = parquet.read_table(tmp_path / SERIES)
    parquet.write_table(table.slice(0, 0), tmp_path / SERIES)
    with pytest.raises(UsageError, match="its series has no sample; run it longer"):
        read_series(tmp_path)
