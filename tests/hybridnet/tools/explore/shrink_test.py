# SPDX-License-Identifier: MIT
"""Shrinking leaves what is needed, and no more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hybridnet.tools.explore.shrink import shrink


@pytest.mark.parametrize("needed", [{0}, {9}, {3, 7}, {0, 4, 9}, set(range(10))])
def test_what_is_needed_is_left_in_its_order(needed: set[int]) -> None:
    assert shrink(range(10), lambda few: needed <= set(few)) == sorted(needed)


def test_what_shows_without_anything_needs_nothing() -> None:
    assert shrink(range(10), lambda few: True) == []


def test_none_of_what_is_left_can_be_left_out() -> None:
    def shows(few: Sequence[int]) -> bool:  # an even number of them, and at least four
        return len(few) >= 4 and len(few) % 2 == 0

    left = shrink(range(12), shows)
    assert shows(left)
    assert not any(shows([*left[:at], *left[at + 1 :]]) for at in range(len(left)))
