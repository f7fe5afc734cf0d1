# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.experiments.maxinet.staircase import Second, Stay, StepResult, counted_seconds, step_result
from hybridnet.experiments.maxinet.verdicts import stalled_ns, stalls_in, step_verdict, without_stalls
from hybridnet.observe.results import Verdict


def snapshot(late_events: int = 0, kernel_drops: int = 0, stalled_ns: int = 0) -> dict[str, Any]:
    """Of an instance of which so many of a thousand events and more were 2 ms late, and which lost so many frames."""
    return {
        "name": "m1",
        "lateness": {"buckets": [(10, 1000), (2_000_000, late_events)]},
        "loop": {"stalls": 1 if stalled_ns else 0, "stalled_ns": stalled_ns},
        "peers": [],
        "portals": [{"kernel_drops": kernel_drops, "dropped": {}}],
    }


def windows_of(*snapshots: dict[str, Any]) -> list[Any]:
    return [([before], [after]) for before, after in itertools.pairwise(snapshots)]


def stalled(*lengths_ns: int) -> list[Any]:
    """Windows in which the computer kept an instance from running for so long each."""
    return windows_of(*(snapshot(stalled_ns=total) for total in itertools.accumulate(lengths_ns, initial=0)))


STEP = StepResult(2, 9e6, 1e6, 1e7, 1e7, 10**7, processor_busy=0.5)


def test_a_window_with_a_stall_in_it_is_left_out():
    windows = stalled(0, 900_000, 0)
    assert without_stalls(windows) == [windows[0], windows[2]]


def test_at_least_a_quarter_is_judged_and_that_is_where_least_was_stalled():
    windows = stalled(8, 7, 0, 5, 1, 3, 4, 2)
    assert without_stalls(windows) == [windows[2], windows[4]]
    windows = stalled(5, 5, 5)
    assert without_stalls(windows) == windows


def test_a_step_over_before_its_flows_were_started_is_broken():
    step = StepResult(32, 1e8, 1e8, 2e8, 2e8, 500_000_000, processor_busy=1.0)
    verdict = step_verdict([], step, [])
    assert verdict.word == "broken"
    assert "32 of each kind" in verdict.reasons[-1]


def test_a_busy_processor_saturates_an_arm_with_or_without_instances():
    busy = replace(STEP, processor_busy=0.96)
    assert step_verdict(windows_of(snapshot(), snapshot()), busy, []).word == "saturated"
    assert step_verdict(None, busy, []).word == "saturated"
    assert step_verdict(None, STEP, []).word == "trusted"


# Seconds of 16 + 16 flows with a demand of 134 Mbit/s, as a demo recorded them: 13 Mbit/s arrived in one second, and
# what was held up, in the next.
SCALE = replace(
    PAPER, name="met", steps=(16,), tcp_rate_bps=7_600_000, udp_rate_bps=775_000, seconds_per_step=5
)
RECORDED_MBPS = (118.0, 134.0, 13.0, 157.0, 134.0)


def verdict_on(*totals_mbps: float) -> Verdict:
    """On a step whose seconds brought so much each; the first is not counted."""
    seconds = [Second(at + 0.5, 1.0, 1e6 * total, 0.0, 0.9) for at, total in enumerate(totals_mbps)]
    counted = counted_seconds(seconds, Stay(0, 0.0, SCALE.seconds_per_step))
    return step_verdict(None, step_result(counted, SCALE, 0), counted)


def test_a_second_in_which_the_flows_stood_still_breaks_its_step():
    verdict = verdict_on(*RECORDED_MBPS)
    assert verdict.word == "broken"
    assert [reason.partition(",")[0] for reason in verdict.reasons] == [
        "in the second around 2.5 s 13.0 Mbit/s arrived",
        "in the second around 3.5 s 157.0 Mbit/s arrived",
    ]


@pytest.mark.parametrize(("excess", "word"), [(1.01, "trusted"), (1.03, "broken")])
def test_a_second_brings_at_most_two_per_cent_more_than_was_asked_for(excess: float, word: str):
    assert verdict_on(134.0, 134.0, 134.0 * excess, 134.0, 134.0).word == word


def test_what_happens_before_the_flows_have_settled_is_not_judged():
    assert verdict_on(13.0, 134.0, 134.0, 134.0, 134.0).word == "trusted"


def test_the_seconds_of_a_full_arm_may_differ():
    assert verdict_on(80.0, 42.0, 79.0, 61.0, 70.0).word == "trusted"


def test_what_came_late_in_a_stall_is_excused_and_elsewhere_is_not():
    stall = snapshot(late_events=50, stalled_ns=2_000_000)
    assert step_verdict(windows_of(snapshot(), stall, stall), STEP, []).word == "trusted"
    busy = snapshot(late_events=50)
    assert "2.00 ms late" in step_verdict(windows_of(snapshot(), busy, busy), STEP, []).reasons[0]


def test_what_was_lost_in_a_stall_is_not_excused():
    stall = snapshot(late_events=50, kernel_drops=3, stalled_ns=2_000_000)
    verdict = step_verdict(windows_of(snapshot(), stall, stall), STEP, [])
    assert len(verdict.reasons) == 1
    assert "3" in verdict.reasons[0]
    assert "late" not in verdict.reasons[0]


def test_stalls_are_counted_over_all_instances():
    first, last = snapshot(), snapshot(stalled_ns=3_000_000)
    assert stalls_in(([first, first], [last, last])) == 2
    assert stalled_ns(([first, first], [last, last])) == 6_000_000
