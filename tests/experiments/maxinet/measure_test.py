# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
from typing import Any

from hybridnet.experiments.maxinet.measure import stalled_ns, stalls_in, step_verdict, without_stalls
from hybridnet.experiments.maxinet.staircase import StepResult


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


STEP = StepResult(flows=2, tcp_bps=1e7, udp_bps=1e6, total_bps=1e7, demand_bps=10**7, processor_busy=0.5)


def test_a_window_with_a_stall_in_it_is_left_out():
    windows = stalled(0, 900_000, 0)
    assert without_stalls(windows) == [windows[0], windows[2]]


def test_at_least_a_quarter_is_judged_and_that_is_where_least_was_stalled():
    windows = stalled(8, 7, 0, 5, 1, 3, 4, 2)
    assert without_stalls(windows) == [windows[2], windows[4]]
    windows = stalled(5, 5, 5)
    assert without_stalls(windows) == windows


def test_a_step_over_before_its_flows_were_started_is_broken():
    step = StepResult(
        flows=32, tcp_bps=1e8, udp_bps=1e8, total_bps=2e8, demand_bps=500_000_000, processor_busy=1.0
    )
    verdict = step_verdict([], step)
    assert verdict.word == "broken"
    assert "32 of each kind" in verdict.reasons[0]


def test_what_came_late_in_a_stall_is_excused_and_elsewhere_is_not():
    stall = snapshot(late_events=50, stalled_ns=2_000_000)
    assert step_verdict(windows_of(snapshot(), stall, stall), STEP).word == "trusted"
    busy = snapshot(late_events=50)
    assert "2.00 ms late" in step_verdict(windows_of(snapshot(), busy, busy), STEP).reasons[0]


def test_what_was_lost_in_a_stall_is_not_excused():
    stall = snapshot(late_events=50, kernel_drops=3, stalled_ns=2_000_000)
    verdict = step_verdict(windows_of(snapshot(), stall, stall), STEP)
    assert len(verdict.reasons) == 1
    assert "3" in verdict.reasons[0]
    assert "late" not in verdict.reasons[0]


def test_stalls_are_counted_over_all_instances():
    first, last = snapshot(), snapshot(stalled_ns=3_000_000)
    assert stalls_in(([first, first], [last, last])) == 2
    assert stalled_ns(([first, first], [last, last])) == 6_000_000
