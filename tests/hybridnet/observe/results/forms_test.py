# SPDX-License-Identifier: MIT
"""What verdicts say of background flows that were fluid for a while."""

from __future__ import annotations

from typing import Any

from hybridnet.observe.results.forms import fluid_times
from hybridnet.observe.results.verdict import Limits, Word, judge

SECOND = 1_000_000_000


def snapshot(at_s: float, **row: int) -> Any:
    fluids = [{"name": "a-b", "allowed_ppm": 20_000, **row}] if row else []
    return {
        "name": "m1",
        "time_ns": round(at_s * SECOND),
        "lateness": {"buckets": []},
        "fluids": fluids,
        "peers": [],
        "portals": [],
    }


def between(first: Any, last: Any) -> Any:
    return judge([([first], [last])], Limits())


def test_a_class_that_was_packets_all_the_time_is_not_spoken_of() -> None:
    last = snapshot(10, as_fluid_ns=0, changes_of_form=0)
    assert list(fluid_times([(snapshot(0), last)])) == []
    assert between(snapshot(0), last).notes == []


def test_the_note_says_for_how_long_and_how_much_it_carried_more() -> None:
    first = snapshot(2, as_fluid_ns=SECOND, changes_of_form=1)
    last = snapshot(12, as_fluid_ns=4 * SECOND, changes_of_form=3, difference_ppm=-4_000)
    verdict = between(first, last)
    assert verdict.word is Word.TRUSTED
    # Three of ten seconds; 4,000 parts per million are 0.4 %.
    assert verdict.notes == [
        "instance m1 kept pace: fluid a-b was one for 30 % of the time (2 changes), and packets else; as a fluid it "
        "carried 0.4 % less (allowed: 2 %)"
    ]


def test_what_was_not_measured_is_said() -> None:
    verdict = between(snapshot(0), snapshot(10, as_fluid_ns=9 * SECOND, changes_of_form=1))
    assert verdict.word is Word.TRUSTED
    assert "how much it carried more or less was not measured" in verdict.notes[0]


def test_more_than_is_allowed_breaks_the_run() -> None:
    last = snapshot(10, as_fluid_ns=SECOND, changes_of_form=2, difference_ppm=30_000)
    verdict = between(snapshot(0), last)
    assert verdict.word is Word.BROKEN
    assert "as a fluid it carried 3 % more (allowed: 2 %): lower the load" in verdict.reasons[0]


def test_a_class_that_is_a_fluid_by_choice_is_not_spoken_of() -> None:
    last = snapshot(10)
    last["fluids"] = [{"name": "a-b", "offered_bytes": 1}]
    assert between(snapshot(0), last).notes == []
