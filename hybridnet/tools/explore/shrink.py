# SPDX-License-Identifier: MIT
"""Delta debugging: the fewest events with which a fault still shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["shrink"]

Item = TypeVar("Item")


def shrink(items: Sequence[Item], shows: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Some of the items, in their order, with which the fault shows, and of which none can be left out.

    The algorithm is ddmin (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002): it leaves
    out one of n parts, as long as the fault shows without it, and then cuts finer. `shows(items)` is taken to hold.

    Example:
        >>> shrink(range(10), lambda few: 3 in few and 7 in few)
        [3, 7]
    """
    left = list(items)
    if left and shows([]):
        return []
    parts = 2
    while len(left) >= 2:
        size = -(-len(left) // parts)
        for begin in range(0, len(left), size):
            rest = left[:begin] + left[begin + size :]
            if shows(rest):
                left, parts = rest, max(parts - 1, 2)
                break
        else:
            if parts >= len(left):
                break
            parts = min(2 * parts, len(left))
    return left
