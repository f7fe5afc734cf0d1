# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from experiments.maxinet_parts.measure import step_verdict, without_stalls
from experiments.maxinet_parts.staircase import StepResult

WINDOWS: list[Any] = [(0.0, 1.0, "first"), (1.0, 2.0, "second"), (2.0, 3.0, "third")]


def test_a_window_with_a_stall_in_it_is_left_out():
    assert without_stalls(WINDOWS, [(1.4, 1.5)]) == ["first", "third"]


def test_a_stall_across_two_windows_leaves_out_both():
    assert without_stalls(WINDOWS, [(0.9, 1.1)]) == ["third"]


def test_when_every_window_has_a_stall_all_are_judged():
    assert without_stalls(WINDOWS, [(0.0, 3.0)]) == ["first", "second", "third"]


def test_when_less_than_a_quarter_has_none_all_are_judged():
    windows: list[Any] = [(float(at), at + 1.0, at) for at in range(8)]
    assert without_stalls(windows, [(0.5, 5.5)]) == [6, 7]
    assert without_stalls(windows, [(0.5, 6.5)]) == list(range(8))


def test_a_step_over_before_its_flows_were_started_is_not_trusted():
    step = StepResult(
        flows=32, tcp_bps=1e8, udp_bps=1e8, total_bps=2e8, demand_bps=500_000_000, processor_busy=1.0
    )
    verdict = step_verdict([], [], step)
    assert not verdict.trusted
    assert "32 of each kind" in verdict.reasons[0]
