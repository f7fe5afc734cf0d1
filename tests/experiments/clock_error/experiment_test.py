# SPDX-License-Identifier: MIT
"""clock-error: what captures say of delays and of order, and what is promised of them."""

from __future__ import annotations

import argparse
import contextlib
import csv
import struct
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.clock_error import experiment as clock_error
from hybridnet.experiments.clock_error.experiment import (
    AHEAD_US,
    CLOCKS,
    DRIFTS_PPM,
    NAMES,
    Point,
    checks_of,
    expected_ns,
    table_of,
)
from hybridnet.experiments.clock_error.network import DELAY_NS, FAR_PORT, NEAR_PORT, Errors, errors_of

MS = 1_000_000


ZEROS = {1: 10_000 * MS, 2: 17_000 * MS}
"""The instance of side 2 began 7 s after the other, by the clock that both have."""
BEGUN = 5 * MS
"""From which its captures count."""


def capture(file: Path, frames: list[tuple[int, int, int]]) -> None:
    """A capture of datagrams: (time, port, when it was sent) each, ns."""
    with file.open("wb") as out:
        out.write(struct.pack("=IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for time_ns, port, sent_ns in sorted(frames):
            ip = bytes([0x45]) + bytes(8) + bytes([17]) + bytes(10)
            frame = bytes(12) + b"\x08\x00" + ip + struct.pack("!HHHHqq", 1, port, 24, 0, 1, sent_ns)
            out.write(struct.pack("=IIII", *divmod(time_ns + BEGUN, 10**9), len(frame), len(frame)) + frame)


def captures(directory: Path, error_ns: int) -> None:
    """100 packets that cross the cut, 1 ms apart and wrong by so much, among 1200 that do not, 0.1 ms apart."""
    far = [8000 * MS + number * MS + MS // 20 for number in range(1, 101)]
    near = [1000 * MS + number * MS // 10 for number in range(1, 1201)]
    capture(directory / "near2.pcap", [(at, NEAR_PORT, at) for at in near])
    came = [(at + ZEROS[1] - ZEROS[2] + DELAY_NS + error_ns, FAR_PORT, at) for at in far]
    came += [(at + DELAY_NS, NEAR_PORT, at) for at in near]
    capture(directory / "sink2.pcap", came)


@pytest.mark.parametrize(("error_ns", "misplaced"), [(0, 0.0), (10_000, 0.0), (-MS, 1.0), (MS, 1.0)])
def test_captures_say_how_wrong_the_delay_was_and_what_came_out_of_order(
    tmp_path: Path, error_ns: int, misplaced: float
) -> None:
    captures(tmp_path, error_ns)
    errors = errors_of(tmp_path, 2, 10.0, ZEROS)
    assert errors == Errors(error_ns, (error_ns, error_ns), misplaced, 100)


def test_only_the_last_seconds_are_looked_at(tmp_path: Path) -> None:
    captures(tmp_path, 0)
    assert errors_of(tmp_path, 2, 0.05, ZEROS).packets == 51  # the first and the last of 50 ms


def point(clocks: str, ahead_us: int, to_ns: float, from_ns: float, misplaced: float = 0.0) -> Point:
    errors = {
        sink: Errors(delay_ns, (delay_ns, delay_ns), misplaced, 100)
        for sink, delay_ns in ((2, to_ns), (1, from_ns))
    }
    return Point(clocks, ahead_us, 0, ahead_us * 1e3, errors)


def test_what_goes_to_a_clock_that_is_ahead_comes_early_but_not_before_it_is_sent() -> None:
    assert expected_ns(point("told", 1000, 0, 0), 2) == -MS
    assert expected_ns(point("told", 1000, 0, 0), 1) == MS
    assert expected_ns(point("told", 10_000, 0, 0), 2) == -DELAY_NS


def test_measured_clocks_must_leave_no_error_and_told_ones_their_own() -> None:
    told = point("told", 1000, -0.95 * MS, 1.05 * MS, 1.0)
    assert [check.holds for check in checks_of([told, point("measured", 1000, 900, -900)])] == [True] * 3
    wrong = [point("told", 1000, 0, MS), point("measured", 1000, 60_000, 0, 0.06)]
    assert [check.holds for check in checks_of(wrong)] == [False, False, False]


def test_the_table_has_a_line_for_each_cause() -> None:
    table = table_of([point("told", 1000, -MS, MS, 1.0), point("measured", 1000, 900, -900)])
    assert [list(column.cells) for column in table.columns] == [
        ["1000 us ahead"],
        ["-1000.0, 100%"],
        ["+1000.0, 100%"],
        ["+0.9, 0%"],
        ["-0.9, 0%"],
    ]


class Machines:
    """A cluster whose machines are on these computers."""

    def __init__(self, *computers: str) -> None:
        self.computers = dict(zip(NAMES, computers, strict=True))

    def call(self, machine: str, verb: str) -> dict[str, Any]:
        assert verb == "capacity"
        return {"computer": self.computers[machine]}


def arguments(out: Path, machines: Machines, *words: str) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--json", action="store_true")
    clock_error.add_arguments(parser)
    parsed = parser.parse_args(["--out", str(out), *words])
    parsed.cluster = lambda names: contextlib.nullcontext(machines)
    return parsed


def test_each_error_of_a_clock_is_tried_with_clocks_that_are_told_and_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def measure(
        cluster: object, clocks: str, ahead_us: int, drift_ppm: int, seconds: float, scratch: Path
    ) -> Point:
        injected_ns = ahead_us * 1e3 + drift_ppm * 1e3
        wrong = 0.0 if clocks == "measured" else injected_ns
        errors = {sink: Errors(round(sign * wrong), (0, 0), 0.25, 7) for sink, sign in ((2, -1), (1, 1))}
        return Point(clocks, ahead_us, drift_ppm, injected_ns, errors)

    monkeypatch.setattr(clock_error, "measure", measure)
    rounds = 2
    clock_error.run(arguments(tmp_path / "run", Machines("a", "a"), "--rounds", str(rounds)))
    with (tmp_path / "run" / "points.csv").open() as file:
        rows = list(csv.DictReader(file))
    causes = [(ahead, 0) for ahead in AHEAD_US] + [(0, drift) for drift in DRIFTS_PPM]
    tried = [(int(row["ahead_us"]), int(row["drift_ppm"]), row["clocks"], row["sink"]) for row in rows]
    assert tried == rounds * [
        (*cause, clocks, sink) for cause in causes for clocks in CLOCKS for sink in "21"
    ]
    for row in rows:
        told = int(row["injected_ns"]) if row["clocks"] == "told" else 0
        assert int(row["delay_ns"]) == (told if row["sink"] == "1" else -told)
        assert (row["misplaced"], row["packets"]) == ("0.25", "7")
    assert (tmp_path / "run" / "clock_error.png").read_bytes().startswith(b"\x89PNG")


def test_machines_of_two_computers_have_no_common_clock_to_measure_by(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"on two computers.*take machines of one computer"):
        clock_error.run(arguments(tmp_path / "run", Machines("a", "b"), "--quick"))
