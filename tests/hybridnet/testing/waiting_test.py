# SPDX-License-Identifier: MIT
"""How long `wait_until` waits, and what it says when that was in vain."""

from __future__ import annotations

from itertools import count

import pytest

from hybridnet.testing.waiting import wait_until


def test_it_returns_what_came_true() -> None:
    numbers = count()
    assert wait_until(lambda: next(numbers) // 3 * "yes", every=0.001) == "yes"


def test_an_assertion_that_fails_is_not_true_yet() -> None:
    numbers = count()

    def third() -> bool:
        assert next(numbers) == 3
        return True

    assert wait_until(third, every=0.001)


def test_in_vain_it_says_what_was_last() -> None:
    with pytest.raises(AssertionError, match=r"has not come true in 0 s; last it was 0"):
        wait_until(lambda: 0, seconds=0)

    def never() -> bool:
        raise AssertionError("h1 has no answer")

    with pytest.raises(
        AssertionError, match=r"never has not come true in 0\.01 s; last it was h1 has no answer"
    ):
        wait_until(never, seconds=0.01, every=0.001)


def test_other_errors_are_the_tests_own() -> None:
    with pytest.raises(ZeroDivisionError):
        wait_until(lambda: 1 // 0)
