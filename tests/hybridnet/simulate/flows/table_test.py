# SPDX-License-Identifier: MIT
from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import pytest
from pyarrow import parquet

from hybridnet.errors import UsageError
from hybridnet.observe.results import RunDirectory
from hybridnet.simulate.flows import FlowRow, FlowTable

IDEAL_S = 0.001
T_19 = 2.093  # Student's t for 95 % and 19 degrees of freedom


def row(
    number: int,
    slowdown: float | None,
    *,
    size: int = 1000,
    seed: int = 1,
    state: str = "",
    counted: bool = True,
) -> FlowRow:
    completion_s = None if slowdown is None else slowdown * IDEAL_S
    return FlowRow(
        seed=seed,
        workload="test",
        start_s=number / 1000,
        source="h1",
        destination="h2",
        size_bytes=size,
        state=state or ("unfinished" if slowdown is None else "finished"),
        counted=counted,
        completion_s=completion_s,
        ideal_s=IDEAL_S,
        slowdown=slowdown,
        goodput_bps=None if completion_s is None else 8 * size / completion_s,
        received_bytes=0 if slowdown is None else size,
        retransmitted_segments=0,
        timeouts=0,
        lost_segments=0,
    )


def test_a_bin_has_the_mean_and_the_percentiles_of_its_flows() -> None:
    rows = [row(number, float(number)) for number in range(1, 102)]  # 1 ... 101
    [small, of_all] = FlowTable([*rows, row(200, 7.0, size=20_000)]).by_size([10_000, 20_000])[::2]
    assert small.slowdown is not None
    assert small.completion_s is not None
    assert (small.finished, small.label) == (101, "<= 10 kB")
    assert (small.slowdown.mean, small.slowdown.p50, small.slowdown.p95, small.slowdown.p99) == (
        51,
        51,
        96,
        100,
    )
    assert small.completion_s.p95 == pytest.approx(96 * IDEAL_S)
    assert (of_all.finished, of_all.label) == (102, "all")


def test_a_flow_of_just_a_bound_is_below_it_and_empty_bins_are_left_out() -> None:
    table = FlowTable([row(1, 1.0, size=10_000), row(2, 1.0, size=10_001), row(3, 1.0, size=20_000_000)])
    assert [(each.label, each.finished) for each in table.by_size()] == [
        ("<= 10 kB", 1), ("10 kB - 100 kB", 1), ("> 10 MB", 1), ("all", 3),
    ]  # fmt: skip


def test_flows_that_did_not_finish_are_counted_and_named() -> None:
    table = FlowTable([row(1, 2.0), row(2, None, size=5000), row(3, None, state="failed")])
    [bin_, of_all] = table.by_size()
    assert (bin_.finished, bin_.unfinished, bin_.failed) == (1, 1, 1)
    assert of_all.slowdown is not None
    assert of_all.slowdown.mean == 2.0
    [said] = [line for line in table.remarks() if "in no mean" in line]
    assert said.startswith("1 failed and 1 unfinished of 3 flows")
    assert "h1 to h2, 5000 B from 0.002000 s" in said
    assert [each["size_bytes"] for each in table.to_json()["incomplete"]] == [5000, 1000]  # type: ignore[attr-defined]


def test_flows_of_the_warm_up_are_kept_but_in_no_figure() -> None:
    table = FlowTable([row(1, 100.0, counted=False), row(2, None, counted=False), row(3, 2.0)], 2_500_000)
    mean = table.mean_slowdown()
    assert mean is not None
    assert mean.mean == 2.0
    assert table.by_size()[-1].finished == 1
    assert table.incomplete == []
    assert len(table.rows) == 3
    assert "2 flows started in the first 0.0025 s: not counted" in table.remarks()


def test_the_mean_slowdown_weighs_replications_alike() -> None:
    table = FlowTable([row(1, 1.0, seed=1), row(2, 3.0, seed=1), row(3, 4.0, seed=2)])
    mean = table.mean_slowdown()
    assert mean is not None
    assert mean.mean == fmean([2.0, 4.0])
    assert mean.half_width == pytest.approx(
        12.706 * stdev([2.0, 4.0]) / 2**0.5, rel=1e-3
    )  # Student's t, 1 degree


def test_figures_are_those_of_counted_flows_by_size() -> None:
    table = FlowTable([row(1, 9.0, counted=False), row(2, 2.0), row(3, 4.0), row(4, None, size=50_000)], 1)
    figures = table.figures()
    assert {element for element, _ in figures} == {"flows:0B-10kB", "flows:10kB-100kB", "flows:all"}
    of_all = {name: value for (element, name), value in figures.items() if element == "flows:all"}
    assert (of_all["finished"], of_all["not_finished"]) == (2, 1)
    assert (of_all["mean_slowdown"], of_all["p99_slowdown"]) == (3, pytest.approx(2 + 0.99 * 2))
    assert of_all["p50_completion_s"] == pytest.approx(3 * IDEAL_S)
    assert ("flows:10kB-100kB", "mean_slowdown") not in figures  # none of them finished


def test_several_workloads_are_told_apart() -> None:
    one, two = row(1, 2.0), replace(row(2, 4.0), workload="20 kB incast")
    table = FlowTable([one, two, two])
    assert {label: each.finished for label, each in table.by_workload().items()} == {
        "test": 1,
        "20 kB incast": 2,
    }
    assert [cells[:2] for cells in table.table()[1]][-3:] == [
        ["all", "3"],
        ["test", "1"],
        ["20 kB incast", "2"],
    ]
    assert table.figures()["flows:20-kB-incast", "mean_slowdown"] == 4
    assert {element for element, _ in FlowTable([one]).figures()} == {"flows:0B-10kB", "flows:all"}


def test_batch_means_are_those_of_equally_many_flows_one_behind_the_other() -> None:
    slowdowns = [1.0 + number % 7 for number in range(205)]  # 20 batches of 10, and 5 left
    means = [fmean(slowdowns[10 * batch : 10 * batch + 10]) for batch in range(20)]
    found = FlowTable([row(number, slowdown) for number, slowdown in enumerate(slowdowns)]).batch_means()
    assert found is not None
    assert found.mean == pytest.approx(fmean(means))
    assert found.half_width == pytest.approx(T_19 * stdev(means) / 20**0.5, rel=1e-3)


def test_batch_means_need_one_replication_and_enough_flows() -> None:
    assert FlowTable([row(number, 1.0) for number in range(99)]).batch_means() is None
    assert FlowTable([]).batch_means() is None
    with pytest.raises(UsageError, match="there are 2 replications; take mean_slowdown"):
        FlowTable([row(1, 1.0, seed=1), row(2, 1.0, seed=2)]).batch_means()


def test_bounds_that_do_not_go_up_are_refused() -> None:
    with pytest.raises(UsageError, match="do not go up"):
        FlowTable([]).by_size([10, 10])


def test_a_table_without_flows_says_so() -> None:
    table = FlowTable([])
    assert table.mean_slowdown() is None
    assert "no flow is counted" in table.remarks()[0]
    assert table.table()[1] == [["all", "0", "0", *["-"] * 9]]


def test_files_have_every_flow(tmp_path: Path) -> None:
    table = FlowTable([row(1, 2.0), row(2, None)])
    table.write(RunDirectory(tmp_path / "run"))
    with (tmp_path / "run" / "flows.csv").open() as file:
        first, second = csv.DictReader(file)
    assert (first["size_bytes"], first["completion_s"], first["slowdown"], first["state"]) == (
        "1000",
        "0.002",
        "2.0",
        "finished",
    )
    assert (second["completion_s"], second["state"]) == ("", "unfinished")
    assert parquet.read_table(tmp_path / "run" / "flows.parquet").column("goodput_bps").to_pylist() == [
        4e6,
        None,
    ]
    content = json.loads((tmp_path / "run" / "flows.json").read_text())
    assert [each["slowdown"] for each in content["rows"]] == [2.0, None]
    assert content["by_size"][-1]["unfinished"] == 1
