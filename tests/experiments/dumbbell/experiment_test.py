# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from hybridnet.experiments.dumbbell import experiment as dumbbell
from hybridnet.experiments.dumbbell.experiment import STEPS, checks_of, table_of
from hybridnet.experiments.dumbbell.network import Step


def steps(speed: float = 10.0, share: float = 1.0) -> list[Step]:
    made = []
    for flows in STEPS:
        step = Step(flows, (1.0,) * flows, 30.0, 30.0 / speed, 30.0 / speed, 1000)
        made.append(replace(step, goodput_bps=(step.limit_bps * share / flows,) * flows))
    return made


def test_full_links_and_equal_flows_hold():
    assert all(check.holds for check in checks_of(steps(), steps(speed=0.5)))


@pytest.mark.parametrize(
    ("trains", "singles", "broken"),
    [
        (steps(speed=0.9), steps(), "faster than real time"),
        (steps(share=0.96), steps(share=0.96), "goodput is the demand"),
        (steps(), steps(share=0.96), "beside single segments"),
    ],
)
def test_what_is_outside_of_a_bound_does_not(trains, singles, broken):
    failed = [check.what for check in checks_of(trains, singles) if not check.holds]
    assert any(broken in what for what in failed)


def test_unfair_flows_do_not_hold():
    unfair = steps()
    rates = (unfair[-1].limit_bps,) + (0.0,) * 63
    unfair[-1] = replace(unfair[-1], goodput_bps=rates)
    failed = [check.what for check in checks_of(unfair, steps()) if not check.holds]
    assert failed == ["trains: Jain's index at 64 flows"]


@pytest.mark.slow
def test_a_quick_run_fills_the_links_and_leaves_its_figures(tmp_path):
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    dumbbell.add_arguments(parser)
    out = tmp_path / "run"
    checks = dumbbell.run(parser.parse_args(["--quick", "--json", "--out", str(out)]))
    assert [check.what for check in checks if not check.holds] == []
    assert {path.name for path in out.iterdir()} >= {"manifest.json", "steps.csv", "goodput.png"}


def test_the_table_has_a_line_for_each_mode_and_step():
    trains = [Step(2, (300e6, 100e6), 30.0, 10.0, 15.0, 6_000_000)]
    [line] = zip(*(column.cells for column in table_of({"trains": trains}).columns), strict=True)
    # Jain's index of 3 and 1: 4^2 / (2 * 10); 30 simulated seconds in 15 of processor; 6 million events in them
    limit = f"{400e6 / trains[0].limit_bps:.1%}"
    assert line == ("trains", "2", "400", limit, "0.800", f"{trains[0].speed:.1f}", "0.4")
