# SPDX-License-Identifier: MIT
"""What `match` finds different, and what it lets pass."""

from __future__ import annotations

import pytest

from hybridnet.testing.matching import MOST_LINES, match

FOUND = {"h1": {"address": "10.0.0.1", "received": 3, "rtts_ms": [1.0, 2.0]}, "h2": None}


@pytest.mark.parametrize(
    "expected",
    [
        FOUND,
        {},
        {"h1": {"received": 3}},
        {"h1": {"address": "10.0.*"}},
        {"h1": {"received": lambda count: count > 2}},
        {"h1": {"rtts_ms": [pytest.approx(1.0001, abs=0.01), 2]}},
        {"h2": None},
    ],
)
def test_what_is_said_holds_and_what_is_not_said_may_be_anything(expected: object) -> None:
    assert match(FOUND, expected)


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ({"h1": {"received": 4}}, "['h1']['received']: 3 instead of 4"),
        ({"h1": {"address": "10.1.*"}}, "['h1']['address']: '10.0.0.1' does not match '10.1.*'"),
        ({"h3": {}}, "['h3']: is not there; there are 'h1', 'h2'"),
        ({"h2": {}}, "['h2']: None is no mapping"),
        ({"h1": {"rtts_ms": [1]}}, "['h1']['rtts_ms']: has 2 items instead of 1"),
        ({"h1": {"rtts_ms": [1, 3]}}, "['h1']['rtts_ms'][1]: 2.0 instead of 3"),
        ({"h1": []}, "is no list"),
        ("text", "it: {'h1'"),
    ],
)
def test_what_is_different_is_said_with_its_place(expected: object, line: str) -> None:
    with pytest.raises(AssertionError) as raised:
        match(FOUND, expected)
    assert line in str(raised.value)


def test_a_function_is_named_by_its_name() -> None:
    def is_even(number: int) -> bool:
        return number % 2 == 0

    with pytest.raises(AssertionError, match="3, of which is_even is not true"):
        match(3, is_even)


def test_of_many_differences_some_are_said() -> None:
    with pytest.raises(AssertionError) as raised:
        match(dict.fromkeys(range(1000), 0), dict.fromkeys(range(1000), 1))
    assert len(str(raised.value).splitlines()) == 1 + MOST_LINES + 1
