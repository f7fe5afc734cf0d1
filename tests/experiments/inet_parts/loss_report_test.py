# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

from experiments.inet_parts.loss_report import LossRun, checks_of

RUN = LossRun("pcap", 12_500, 1, 125_000, 10.0, 125_000, 0, 0, 0)


def holding(*runs: LossRun) -> list[bool]:
    return [check.holds for check in checks_of(runs)]


def test_what_is_missing_and_dropped_nowhere_else_was_lost_in_capture() -> None:
    run = replace(
        RUN, received=124_900, receiver_drops=30, simulator_drops={"queue_full": 20, "portal_backlog": 10}
    )
    assert run.missing == 100
    assert run.lost_in_capture == 40
    assert holding(run) == [False, True]


def test_drops_after_the_capture_are_not_held_against_it() -> None:
    assert holding(replace(RUN, received=124_900, receiver_drops=100)) == [True, True]


def test_the_kernels_own_counter_alone_fails_it() -> None:
    assert holding(replace(RUN, kernel_drops=1)) == [False, True]


def test_a_sender_that_was_too_slow_proves_nothing() -> None:
    assert holding(replace(RUN, seconds=10.2)) == [True, False]


def test_runs_of_all_rounds_count_together() -> None:
    checks = checks_of([RUN, replace(RUN, number=2, kernel_drops=3), replace(RUN, backend="packet")])
    assert [check.holds for check in checks] == [False, True, True, True]
    assert checks[0].measured.startswith("3 of 250,000")
