# SPDX-License-Identifier: MIT
"""Which failures say nothing."""

from __future__ import annotations

import pytest

from hybridnet.observe.results.verdict import Verdict, Word
from hybridnet.testing.judged import why_inconclusive

TRUSTED = Verdict(Word.TRUSTED, [])
SATURATED = Verdict(Word.SATURATED, ["m1: its processors were busy"])
BROKEN = Verdict(Word.BROKEN, ["instance m1 was late"])


@pytest.mark.parametrize(
    ("failed", "verdicts", "why"),
    [
        (True, [], None),
        (True, [TRUSTED], None),
        (True, [SATURATED], "saturated: m1: its processors were busy"),
        (True, [TRUSTED, BROKEN], "broken: instance m1 was late"),
        (False, [BROKEN], None),
    ],
)
def test_a_failure_says_nothing_where_a_verdict_is_not_trusted(
    failed: bool, verdicts: list[Verdict], why: str | None
) -> None:
    assert why_inconclusive(failed, verdicts) == why
