# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.experiments.differential.columns import COLUMNS, Column
from hybridnet.experiments.differential.pairings import LINUX, MIXED, SIMULATED
from hybridnet.experiments.differential.ranges import (
    LEAST,
    LinuxRange,
    Recorded,
    cells_of,
    checks_of,
    sum_line,
    table_of,
)

COLUMN = Column("a column", "what it shows", ("throughput_mbps",))


def found(linux: list[float | None], simulated: list[float | None]):
    return {
        ("a column", pairing): [{"throughput_mbps": value} for value in values]
        for pairing, values in ((LINUX, linux), (SIMULATED, simulated))
    }


def test_a_median_may_lie_outside_of_linuxs_range_by_the_width_of_it() -> None:
    linux = LinuxRange.of("throughput_mbps", [8.0, 9.0, 10.0])  # 2 wide
    assert [linux.holds(value) for value in (5.9, 6.0, 9.5, 12.0, 12.1)] == [False, True, True, True, False]
    assert [linux.beyond(value) for value in (7.0, 9.5, 11.0)] == [-1.0, 0.0, 1.0]
    assert linux.away(12.0) == pytest.approx(2 / 9)


def test_where_linux_always_does_the_same_a_count_must_be_the_same() -> None:
    assert LinuxRange.of("syns", [2.0, 2.0]).holds(2.0)
    assert not LinuxRange.of("syns", [2.0, 2.0]).holds(3.0)


def test_a_count_may_differ_by_what_the_draws_of_the_link_decide() -> None:
    drawn = Column("a column", "", ("syns",), draws={"syns": 1.0})
    figures = {("a column", LINUX): [{"syns": 8.0}] * LEAST, ("a column", SIMULATED): [{"syns": 9.0}]}
    assert [cell.holds for cell in cells_of([drawn], figures, None)] == [True, True]
    figures["a column", SIMULATED] = [{"syns": 10.0}]
    assert [cell.holds for cell in cells_of([drawn], figures, None)] == [True, False]


def test_and_a_time_may_differ_by_the_answer_of_a_real_host() -> None:
    linux = LinuxRange.of("response_ms", [100.0, 100.0])  # 1 ms of a round trip of 40 ms: 2.5 ms
    assert [linux.holds(value) for value in (97.4, 97.6, 102.4, 102.6)] == [False, True, True, False]


def test_the_column_that_is_too_far_fails_and_is_named() -> None:
    cells = cells_of([COLUMN], found([8.0, 9.0, 9.0, 10.0], [3.0, 4.0, 5.0]), None)
    assert [(cell.pairing, cell.holds) for cell in cells] == [(LINUX, True), (SIMULATED, False)]
    [check] = checks_of([COLUMN], cells)
    assert not check.holds
    assert "simulated to simulated: 4, Linux 8 to 10, -44.4%" in check.measured
    assert sum_line(cells) == (
        "cells 2, not judged 0, outside of their bounds 1, farthest from Linux: "
        "a column, throughput_mbps, simulated to simulated: 4, Linux 8 to 10, -44.4%"
    )
    assert list(table_of(cells).columns[-1].cells) == ["4 -44.4% !"]


def test_what_the_wire_did_not_tell_does_not_hold() -> None:
    cells = cells_of([COLUMN], found([8.0, 8.0, 9.0, 9.0], [8.5, None, 8.5]), None)
    assert [cell.holds for cell in cells] == [True, False]
    assert not checks_of([COLUMN], cells_of([COLUMN], found([8.0, 8.0, 9.0, 9.0], [None]), None))[0].holds


def test_without_linux_the_recorded_figures_are_the_range(tmp_path: Path) -> None:
    path = tmp_path / "linux.json"
    path.write_text(
        json.dumps(Recorded.to_json("6.1", cells_of([COLUMN], found([8.0, 9.0, 9.0, 10.0], [1.0]), None)))
    )
    alone = {key: value for key, value in found([], [4.0]).items() if key[1] == SIMULATED}
    [cell] = cells_of([COLUMN], alone, Recorded(path))
    assert (cell.linux.low, cell.linux.high) == (8.0, 10.0)
    assert not cell.holds


def test_every_column_has_a_name_of_its_own_and_is_recorded() -> None:
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)
    recorded = Recorded()
    lacking = [
        (column.name, figure)
        for column in COLUMNS
        for figure in column.figures
        if len(recorded.values(column.name, figure)) < LEAST
    ]
    assert not lacking


def test_a_line_has_linux_and_each_pairing() -> None:
    values = {("a column", pairing): [{"throughput_mbps": 9.0}] for pairing in (LINUX, *MIXED, SIMULATED)}
    headers = [str(column.header) for column in table_of(cells_of([COLUMN], values, None)).columns]
    assert headers[2:] == [
        "Linux to Linux",
        "Linux to simulated",
        "simulated to Linux",
        "simulated to simulated",
    ]


def test_three_repetitions_tell_no_range() -> None:
    cells = cells_of([COLUMN], found([8.0, 9.0, 10.0], [9.0]), None)
    assert [cell.linux for cell in cells] == [None, None]
    assert sum_line(cells) == "cells 2, not judged 2, outside of their bounds 0"
    assert not checks_of([COLUMN], cells)[0].holds
