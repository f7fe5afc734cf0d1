# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

from hybridnet.experiments.inet_loss.report import LossRun, checks_of, table_of

RUN = LossRun("pcap", 12_500, 1, sent=125_000, sent_pps=12_500.0, captured=125_000, received=125_000)


def holding(*runs: LossRun) -> list[bool]:
    return [check.holds for check in checks_of(runs)]


def test_what_was_sent_and_not_captured_was_lost_in_capture_wherever() -> None:
    run = replace(
        RUN, captured=124_960, received=124_900, lost_in_capture={"socket_buffer_full": 30, "unknown": 10}
    )
    assert (run.lost, run.missing) == (40, 100)
    assert holding(run) == [False, True, True]
    assert checks_of([run])[0].measured == (
        "40 of 125,000 (0.0320 %) (30 socket_buffer_full, 10 unknown); 100 missing at the receiver"
    )


def test_drops_behind_the_capture_are_not_held_against_it() -> None:
    assert holding(replace(RUN, received=124_900, receiver_drops=60, simulator_drops={"queue_full": 40})) == [
        True,
        True,
        True,
    ]


def test_counters_that_contradict_each_other_are_told() -> None:
    checks = checks_of([replace(RUN, unbalanced=("written = received: 3 != 2",))])
    assert [check.holds for check in checks] == [True, False, True]
    assert checks[1].measured == "written = received: 3 != 2"


def test_a_sender_that_was_too_slow_proves_nothing() -> None:
    assert holding(replace(RUN, sent_pps=12_300.0)) == [True, True, False]


def test_runs_of_all_rounds_count_together() -> None:
    lost = replace(RUN, number=2, captured=124_997, lost_in_capture={"interface": 3})
    checks = checks_of([RUN, lost, replace(RUN, backend="packet")])
    assert [check.holds for check in checks] == [False, True, True, True, True, True]
    assert checks[0].measured.startswith("3 of 250,000")


def test_the_table_says_by_what_and_where_frames_were_lost() -> None:
    lossy = replace(
        RUN,
        captured=124_990,
        received=124_950,
        lost_in_capture={"socket_buffer_full": 10},
        simulator_drops={"queue_full": 30, "loss_model": 7},
        receiver_drops=3,
        verdict="trusted",
    )
    [clean, told] = zip(*(column.cells for column in table_of([RUN, lossy]).columns), strict=True)
    assert clean == ("pcap", "12,500/s", "125,000", "125,000", "0", "0", "0", "")
    assert told == (
        "pcap", "12,500/s", "125,000", "124,950", "10 (10 socket_buffer_full)", "30 queue_full, 7 loss_model",
        "3", "trusted",
    )  # fmt: skip
