# SPDX-License-Identifier: MIT
"""Promises, and what is measured again."""

from __future__ import annotations

import pytest

from hybridnet.observe.results import Check, Verdict, Word
from hybridnet.observe.results.checks import all_hold, tried

TRUSTED = Verdict(Word.TRUSTED, [])
SATURATED = Verdict(Word.SATURATED, ["the processor was busy"])
BROKEN = Verdict(Word.BROKEN, ["119 ms were stolen"])


@pytest.mark.parametrize(
    ("verdicts", "least", "holds", "disturbed"),
    [
        ([TRUSTED, TRUSTED], Word.TRUSTED, True, False),
        ([TRUSTED, SATURATED], Word.TRUSTED, False, False),
        ([TRUSTED, SATURATED], Word.SATURATED, True, False),
        ([SATURATED, BROKEN], Word.TRUSTED, False, True),
        ([TRUSTED, BROKEN], Word.SATURATED, False, True),
    ],
)
def test_a_promise_about_verdicts_says_whether_the_computer_broke_one(
    verdicts: list[Verdict], least: Word, holds: bool, disturbed: bool
) -> None:
    check = Check.of_verdicts("verdict", verdicts, least=least)
    assert (check.holds, check.disturbed) == (holds, disturbed)


def test_a_promise_about_verdicts_quotes_the_first_that_breaks_it() -> None:
    assert Check.of_verdicts("verdict", [TRUSTED, BROKEN]).measured == "broken: 119 ms were stolen"


def check(*, holds: bool, disturbed: bool = False) -> Check:
    return Check("goodput", "1", None, "2", holds, disturbed)


KEPT, NOT_KEPT, DISTURBED = check(holds=True), check(holds=False), check(holds=False, disturbed=True)


@pytest.mark.parametrize(
    ("outcomes", "tries", "made"),
    [
        ([[KEPT]], 3, 1),
        ([[NOT_KEPT]], 3, 1),  # the computer is not to blame
        ([[NOT_KEPT, DISTURBED], [KEPT]], 3, 2),
        ([[DISTURBED], [NOT_KEPT]], 3, 2),
        ([[DISTURBED]] * 3, 2, 2),
        ([[DISTURBED]], 1, 1),
    ],
)
def test_only_what_a_verdict_calls_broken_is_measured_again(
    outcomes: list[list[Check]], tries: int, made: int
) -> None:
    done = tried(lambda number: outcomes[number - 1], tries)
    assert done == outcomes[:made]


def test_checks_are_read_as_they_were_written() -> None:
    assert Check.from_json(DISTURBED.to_json()) == DISTURBED
    assert not all_hold([KEPT, NOT_KEPT])
