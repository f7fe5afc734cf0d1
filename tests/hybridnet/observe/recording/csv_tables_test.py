# SPDX-License-Identifier: MIT
"""Every sample is in a table of its kind; the expected text is what RFC 4180 makes of the samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.observe.recording.csv_tables import write_csv
from hybridnet.observe.series import Key, SampleBuffer
from hybridnet.observe.series.writer import SeriesWriter


def written(folder: Path, *seeds: list[tuple[float, dict[Key, float]]]) -> Path:
    """A network's folder with the samples of seeds 1, 2, ..."""
    folder.mkdir(parents=True)
    writer = SeriesWriter(folder)
    for seed, samples in enumerate(seeds, start=1):
        buffer = SampleBuffer()
        for time_s, figures in samples:
            buffer.add(time_s, figures)
        writer.append(buffer.take()[0], seed)
    writer.finish()
    return folder


def of_link(name: str, packets: float, wait_ns: float) -> dict[Key, float]:
    return {
        ("links", name, "queue_packets"): packets,
        ("links", name, "queue_sojourn_p99_ns"): wait_ns,
    }


def test_a_kind_is_a_table_with_a_row_for_each_element_and_instant(tmp_path: Path) -> None:
    """1,250,000 ns are 0.00125 s."""
    samples = [(0.1 * n, of_link("b", 10 * n, 1_250_000) | of_link("a", n, 0)) for n in (1, 2)]
    run = written(tmp_path / "run" / "network-1", samples).parent
    [path] = write_csv(run)
    assert path == run / "csv" / "links.csv"
    assert path.read_bytes().decode() == (
        "seed,time_s,element,queue_packets,queue_sojourn_p99_s\r\n"
        "1,0.1,a,1,0\r\n"
        "1,0.2,a,2,0\r\n"
        "1,0.1,b,10,0.00125\r\n"
        "1,0.2,b,20,0.00125\r\n"
    )


def test_what_an_element_lacks_at_an_instant_is_empty(tmp_path: Path) -> None:
    samples = [
        (1.0, {("nodes", "r1", "dropped.ttl"): 3.0}),
        (2.0, {("nodes", "r1", "dropped.no_route"): 4.0, ("nodes", "r2", "dropped.ttl"): 5.5}),
    ]
    [path] = write_csv(written(tmp_path / "run", samples))
    assert path.read_text().splitlines() == [
        "seed,time_s,element,dropped.no_route,dropped.ttl",
        "1,1,r1,,3",
        "1,2,r1,4,",
        "1,2,r2,,5.5",
    ]


def test_all_kinds_seeds_and_networks_are_there_and_a_seed_may_be_chosen(tmp_path: Path) -> None:
    samples = [(1.0, of_link("a", 7, 0) | {("machines", "m1", "processor_busy"): 0.25})]
    for name in ("network-1", "network-2"):
        written(tmp_path / "run" / name, samples, samples)
    paths = write_csv(tmp_path / "run", tmp_path / "tables")
    assert [path.name for path in paths] == [
        f"network-{number}-{kind}.csv" for number in (1, 2) for kind in ("links", "machines")
    ]
    assert [line[:2] for line in paths[0].read_text().splitlines()[1:]] == ["1,", "2,"]
    assert paths[1].read_text().splitlines()[1:] == ["1,1,m1,0.25", "2,1,m1,0.25"]
    one = write_csv(tmp_path / "run", tmp_path / "of_two", seed=2)[1]
    assert one.read_text().splitlines()[1:] == ["2,1,m1,0.25"]


def test_no_sample_is_lost_or_changed(tmp_path: Path) -> None:
    """The sum of n² for n below 1000 is 332,833,500, and a third of it must be read back to the last bit."""
    third = [n * n / 3 for n in range(1000)]
    samples = [(n / 8, {("links", "a,b", "delivered_bytes"): value}) for n, value in enumerate(third)]
    [path] = write_csv(written(tmp_path / "run", samples))
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["delivered_bytes"]) for row in rows] == third
    assert sum(3 * float(row["delivered_bytes"]) for row in rows) == pytest.approx(332_833_500)
    assert [float(row["time_s"]) for row in rows] == [n / 8 for n in range(1000)]
    assert {row["element"] for row in rows} == {"a,b"}


def test_the_verb_prints_the_paths_and_refuses_what_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = written(tmp_path / "run", [(1.0, of_link("a", 7, 0))])
    assert main(["plot", str(run), "--csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [f"{run}/csv/links.csv"]
    assert main(["plot", str(run), "--csv", "--web"]) == 2
    with pytest.raises(UsageError, match="it has no seed 9; it has 1"):
        write_csv(run, seed=9)
    with pytest.raises(UsageError, match="no time series"):
        write_csv(tmp_path)
