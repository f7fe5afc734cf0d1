# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from hybridnet.observe.results import Limits
from hybridnet.observe.results.incidents import incident_lines
from hybridnet.observe.results.verdict import Word, judge_marks
from tests.hybridnet.run.net.support import counters

S = 1_000_000_000


def incident(from_s: float, to_s: float | None, how: str = "was stopped") -> dict[str, Any]:
    to_ns = None if to_s is None else int(to_s * S)
    return {"part": "ovs-vswitchd", "how": how, "from_ns": int(from_s * S), "to_ns": to_ns}


def test_what_was_over_before_the_beginning_or_came_after_the_end_is_not_told():
    rows = [incident(1, 2), incident(9, None)]
    assert incident_lines("machine m1", rows, 3 * S, 8 * S) == []


def test_what_was_over_at_the_end_says_when_and_for_how_long():
    [line] = incident_lines("machine m1", [incident(5, 7.5)], 3 * S, 8 * S)
    assert line.startswith("machine m1: ovs-vswitchd was stopped after 2.00 s, for 2.50 s: ")


def test_what_began_before_is_told_of_its_whole_length():
    [line] = incident_lines("machine m1", [incident(1, 4)], 3 * S, 8 * S)
    assert "was stopped before this began, for 3.00 s" in line


def test_what_goes_on_says_so():
    [line] = incident_lines("machine m1", [incident(5, None, "was killed by SIGKILL")], 3 * S, 8 * S)
    assert "was killed by SIGKILL after 2.00 s, and is so still" in line


def test_an_incident_breaks_a_verdict_in_which_every_limit_held():
    before = {"m1": counters(time_ns=3 * S)}
    after = {"m1": counters(time_ns=8 * S, incidents=[incident(5, 7)])}
    verdict = judge_marks(before, after, Limits())
    assert verdict.word is Word.BROKEN
    assert verdict.reasons[0].startswith("machine m1: ovs-vswitchd was stopped after 2.00 s")
    assert judge_marks(after, {"m1": counters(time_ns=9 * S, incidents=[incident(5, 7)])}, Limits()).word == (
        Word.TRUSTED
    )
