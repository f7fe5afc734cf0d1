# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
from typing import Any

from experiments.maxinet_parts.measure import step_verdict, without_stalls
from experiments.maxinet_parts.staircase import StepResult

WINDOWS: list[Any] = [(0.0, 1.0, "first"), (1.0, 2.0, "second"), (2.0, 3.0, "third")]


def test_a_window_with_a_stall_in_it_is_left_out():
    assert without_stalls(WINDOWS, [(1.4, 1.5)]) == ["first", "third"]


def test_a_stall_across_two_windows_leaves_out_both():
    assert without_stalls(WINDOWS, [(0.9, 1.1)]) == ["third"]


def test_when_every_window_has_the_same_stall_all_are_judged():
    assert without_stalls(WINDOWS, [(0.0, 3.0)]) == ["first", "second", "third"]


def test_at_least_a_quarter_is_judged_and_that_is_the_one_with_the_shortest_stalls():
    windows: list[Any] = [(float(at), at + 1.0, at) for at in range(8)]
    assert without_stalls(windows, [(0.5, 5.5)]) == [6, 7]
    assert without_stalls(windows, [(0.5, 5.5), (6.3, 6.301)]) == [6, 7]
    assert without_stalls(windows, [(at + 0.5, at + 0.5 + 0.01 * (8 - at)) for at in range(8)]) == [6, 7]


def test_a_step_over_before_its_flows_were_started_is_not_trusted():
    step = StepResult(
        flows=32, tcp_bps=1e8, udp_bps=1e8, total_bps=2e8, demand_bps=500_000_000, processor_busy=1.0
    )
    verdict = step_verdict([], [], step)
    assert not verdict.trusted
    assert "32 of each kind" in verdict.reasons[0]


STEP = StepResult(flows=2, tcp_bps=1e7, udp_bps=1e6, total_bps=1e7, demand_bps=10**7, processor_busy=0.5)


def snapshot(late_events: int = 0, kernel_drops: int = 0) -> dict[str, Any]:
    """Of an instance of which so many of a thousand events and more were 2 ms late, and which lost so many frames."""
    return {
        "name": "m1",
        "lateness": {"buckets": [(10, 1000), (2_000_000, late_events)]},
        "peers": [],
        "portals": [{"kernel_drops": kernel_drops, "dropped": {}}],
    }


def timed(*snapshots: dict[str, Any]) -> list[Any]:
    """Windows of a second between these snapshots."""
    return [
        (float(at), at + 1.0, ([before], [after]))
        for at, (before, after) in enumerate(itertools.pairwise(snapshots))
    ]


def test_what_came_late_in_a_stall_is_excused_and_elsewhere_is_not():
    windows = timed(snapshot(), snapshot(late_events=50), snapshot(late_events=50))
    assert step_verdict(windows, [(0.4, 0.5)], STEP).trusted
    assert "2.00 ms late" in step_verdict(windows, [], STEP).reasons[0]


def test_what_was_lost_in_a_stall_is_not_excused():
    windows = timed(snapshot(), snapshot(late_events=50, kernel_drops=3), snapshot(50, 3))
    verdict = step_verdict(windows, [(0.4, 0.5)], STEP)
    assert len(verdict.reasons) == 1
    assert "3" in verdict.reasons[0]
    assert "late" not in verdict.reasons[0]
