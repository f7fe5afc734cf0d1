# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from hybridnet.experiments.tcp_friendly import experiment as tcp_friendly
from hybridnet.experiments.tcp_friendly.experiment import Point, checks_of, window_of
from hybridnet.observe.results.estimate import Estimate


def point(mss: int, loss: float, bytes_per_s: float, **changes: object) -> Point:
    made = Point(
        mss=mss,
        loss=loss,
        window=window_of(mss, loss),
        throughput=Estimate(bytes_per_s, 0.0, 10),
        settled=bytes_per_s if loss == 0 else None,
        rto_s=0.2,
        finished=10,
        runs=10,
        longest_gap_s=0.5,
        timeouts=1.0,
    )
    return replace(made, **changes)


def good_points() -> list[Point]:
    losses = (0.001, 0.005, 0.01, 0.02)
    lossy = [point(mss, loss, 0.0) for mss in (1460, 536) for loss in losses]
    between = [replace(each, throughput=Estimate((each.pftk + each.periodic) / 2, 0.0, 10)) for each in lossy]
    return [point(1460, 0, 1046 * 1024), point(536, 0, 1064 * 1024), *between]


def test_the_larger_window_is_for_large_segments_and_little_loss():
    assert window_of(1460, 0.0) == 65_535
    assert window_of(1460, 0.005) == 131_072
    assert window_of(1460, 0.006) == 65_535
    assert window_of(536, 0.001) == 65_535


def test_what_lies_between_the_formulas_holds():
    assert all(check.holds for check in checks_of(good_points()))


@pytest.mark.parametrize(
    ("index", "changes", "broken"),
    [
        (0, {"settled": 1019 * 1024.0}, "1460 B, no loss"),
        (2, {"finished": 9}, "every run finishes"),
        (2, {"longest_gap_s": 11.0}, "no run stalls"),
        (2, {"throughput": Estimate(1e7, 0.0, 10)}, "1460 B, 0.1 to 0.5 %"),
        (9, {"throughput": Estimate(1e3, 0.0, 10)}, "536 B, 0.5 to 2 %"),
    ],
)
def test_what_is_outside_of_a_bound_does_not(index, changes, broken):
    points = good_points()
    points[index] = replace(points[index], **changes)
    failed = [check.what for check in checks_of(points) if not check.holds]
    assert failed
    assert failed[0].startswith(broken)


def test_the_trace_is_that_of_figure_4_2():
    lines = tcp_friendly.figure_4_2().splitlines()
    flags = [line.split()[4] for line in lines]
    sizes = [line.partition("(")[2].partition(")")[0] for line in lines]
    assert flags[:2] == ["S", "S"]
    assert lines[0].endswith("win 65535 <mss 1460>")
    assert [size for size in sizes if size not in ("", "0")] == ["1", "1460", "1460", "1460", "200"]
    assert flags.count("F") == 2


@pytest.mark.slow
def test_a_quick_run_holds_and_leaves_its_figures(tmp_path):
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    tcp_friendly.add_arguments(parser)
    out = tmp_path / "run"
    checks = tcp_friendly.run(parser.parse_args(["--quick", "--json", "--out", str(out)]))
    assert [check.what for check in checks if not check.holds] == []
    assert {path.name for path in out.iterdir()} >= {
        "manifest.json",
        "throughput.csv",
        "throughput.png",
        "cwnd.png",
        "figure-4-2.txt",
        "checks.json",
    }
