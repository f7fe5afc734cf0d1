# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

from hybridnet.experiments.maxinet.report import ArmRound, checks_of, compare
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.experiments.maxinet.staircase import StepResult
from hybridnet.results import Verdict

SCALE = replace(PAPER, name="auto", steps=(1, 16), tcp_rate_bps=20_000_000, udp_rate_bps=10_000_000)
TRUSTED, BROKEN = Verdict.of([]), Verdict.of(["instance m1 ran late"])


def arm(name: str, *totals_bps: float, verdicts: tuple[Verdict, ...] = ()) -> ArmRound:
    steps = [
        StepResult(flows, total / 2, total / 2, total, 30_000_000 * flows, 0.5)
        for flows, total in zip(SCALE.steps, totals_bps, strict=True)
    ]
    return ArmRound(name, steps, [], list(verdicts), 1.0, 0, 0.0, {}, {})


def one_round(hybrid_16: float, maxinet_16: float, verdict_16: Verdict = TRUSTED, patch_16: float = 50e6):
    return [
        arm("hybrid", 30e6, hybrid_16, verdicts=(TRUSTED, verdict_16)),
        arm("maxinet", 30e6, maxinet_16),
        arm("maxinet-patch", 30e6, patch_16),
        arm("tunnel", 30e6, 400e6),
    ]


def test_figures_are_medians_over_the_rounds():
    rounds = [one_round(400e6, 60e6), one_round(480e6, 80e6), one_round(470e6, 70e6)]
    step = compare(SCALE, rounds)[1]
    assert step.total_bps["hybrid"] == 470e6
    assert step.ratio_to("maxinet") == 470e6 / 70e6


def test_all_hold_when_the_demand_is_met_and_maxinet_is_six_times_slower():
    checks = checks_of(SCALE, compare(SCALE, [one_round(479e6, 70e6)]))
    assert all(check.holds for check in checks)
    assert any(check.measured == "6.8 x" for check in checks)


def test_a_hybrid_arm_below_three_times_maxinet_and_below_the_demand_fails():
    checks = checks_of(SCALE, compare(SCALE, [one_round(200e6, 70e6)]))
    assert not next(check for check in checks if check.what.startswith("16 + 16")).holds


def test_the_better_of_the_two_maxinet_arms_is_the_one_to_beat():
    step = compare(SCALE, [one_round(200e6, 60e6, patch_16=70e6)])
    check = next(check for check in checks_of(SCALE, step) if check.what.startswith("16 + 16"))
    assert "2.9 x maxinet-patch" in check.measured
    assert check.bound.startswith(">= 210.0 Mbit/s")
    assert not check.holds


def test_six_times_is_asked_only_where_the_demand_allows_it():
    least_allowed = 0.99 * 480e6 / 6
    allowed = checks_of(SCALE, compare(SCALE, [one_round(479e6, least_allowed - 1)]))
    not_allowed = checks_of(SCALE, compare(SCALE, [one_round(479e6, least_allowed + 1)]))
    assert any("widest step whose demand" in check.what for check in allowed)
    assert not any("widest step whose demand" in check.what for check in not_allowed)


def test_an_overloaded_step_is_left_out_and_no_wide_step_remains():
    checks = checks_of(SCALE, compare(SCALE, [one_round(100e6, 70e6, BROKEN)]))
    assert not any(check.what.startswith("16 + 16") for check in checks)
    assert not next(check for check in checks if check.what == "the widest step that counts").holds


def test_a_step_that_asks_for_more_than_the_machine_sources_is_labelled():
    scale = replace(SCALE, source_capacity_bps=100_000_000)
    narrow, wide = compare(scale, [one_round(400e6, 60e6, BROKEN)])
    assert narrow.label == "trusted"
    assert wide.label == "overloaded; demand beyond what this machine sources"


def test_one_round_in_three_that_is_not_trusted_is_left_out_of_the_medians():
    rounds = [one_round(400e6, 60e6), one_round(100e6, 10e6, BROKEN), one_round(440e6, 80e6)]
    step = compare(SCALE, rounds)[1]
    assert step.overloaded is None
    assert step.total_bps["hybrid"] == (400e6 + 440e6) / 2
    assert step.total_bps["maxinet"] == (60e6 + 80e6) / 2


def test_a_step_is_overloaded_when_half_of_its_rounds_say_so():
    rounds = [one_round(400e6, 60e6), one_round(100e6, 10e6, BROKEN)]
    assert compare(SCALE, rounds)[1].overloaded == "broken: instance m1 ran late"
