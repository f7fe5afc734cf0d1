# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from typing import Any

from hybridnet.experiments.overload.load import Load
from hybridnet.experiments.overload.report import MEMORY_MORE_BYTES, Outcome, checks_of, peak_of, table_of


def load(sent: int, received: int, receiver_drops: int = 0) -> Load:
    return Load(sent, sent, float(sent), received, float(received), receiver_drops)


def wire(**drops: int) -> dict[str, Any]:
    reasons = [
        "instance wa-wb: the kernel dropped 1 frames before a portal read them (limit 0): lower the load"
    ]
    return {
        "directions": {"a_to_b": {"dropped": {"queue_full": drops.pop("queue_full", 0)}}},
        "portal_drops": {"wa": drops, "wb": {}},
        "verdict": {"word": "broken", "reasons": reasons},
    }


# Of 10,000 frames in the ramp 1,000 are missing, of 16,000 under overload 8,000.
OUTCOME = Outcome(
    ramp=[load(4_000, 4_000), load(10_000, 9_000)],
    overload=load(18_000, 8_000),
    wire=wire(capture=9_000, queue_full=2_000),
    exit_code=4,
    memory_before=50 << 20,
    memory_most=60 << 20,
    throttled_s=25.0,
)


def holding(outcome: Outcome) -> list[bool]:
    return [check.holds for check in checks_of(outcome)]


def test_graceful_overload_holds_every_check() -> None:
    assert peak_of(OUTCOME.ramp) == 9_000
    assert holding(OUTCOME) == [True] * 6  # 8,000 are 89 % of the peak; 18,000 twice


def test_each_check_fails_alone() -> None:
    weak = replace(OUTCOME, overload=load(17_000, 7_100), wire=wire(capture=10_900))
    assert holding(weak) == [False, False, True, True, True, True]  # 1.89 times, and 79 %
    grown = replace(OUTCOME, memory_most=OUTCOME.memory_before + MEMORY_MORE_BYTES + 1)
    assert holding(grown) == [True, True, False, True, True, True]
    assert holding(replace(OUTCOME, wire=wire(capture=10_999))) == [True, True, True, False, True, True]
    trusted = wire(capture=11_000) | {"verdict": {"word": "trusted", "reasons": []}}
    assert holding(replace(OUTCOME, wire=trusted)) == [True, True, True, True, False, True]
    assert holding(replace(OUTCOME, exit_code=0)) == [True, True, True, True, True, False]


def test_what_the_receiver_lost_is_not_the_wires() -> None:
    lost = replace(OUTCOME, overload=load(18_000, 8_000, receiver_drops=500), wire=wire(capture=10_500))
    assert holding(lost)[3]


def test_overload_without_a_drop_is_none() -> None:
    none = replace(OUTCOME, ramp=[load(9_000, 9_000)], overload=load(18_000, 18_000), wire=wire())
    assert not holding(none)[3]


def test_the_table_has_each_load_of_the_ramp_and_then_the_overload() -> None:
    rows = list(zip(*(column.cells for column in table_of(OUTCOME).columns), strict=True))
    assert rows == [
        ("4,000/s", "4,000/s", "4,000/s", "0.0 %"),
        ("10,000/s", "10,000/s", "9,000/s", "10.0 %"),
        ("18,000/s", "18,000/s", "8,000/s", f"{100 * 10 / 18:.1f} %"),
    ]


def test_a_load_of_which_nothing_left_is_missing_nothing() -> None:
    silent = replace(OUTCOME, ramp=[], overload=load(0, 0))
    assert [list(column.cells) for column in table_of(silent).columns][-1] == ["0.0 %"]
