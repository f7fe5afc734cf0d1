# SPDX-License-Identifier: MIT
"""Waiting until a network is as a test expects it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["wait_until"]

T = TypeVar("T")


def wait_until(condition: Callable[[], T], seconds: float = 10.0, every: float = 0.1) -> T:
    """Ask again and again until a condition is true.

    Args:
        condition: what is asked; while it returns something that is not true, or raises AssertionError, it is not.
        seconds: how long at most. It is asked once more when they are over.
        every: seconds between two questions.

    Returns:
        What it returned at last.

    Raises:
        AssertionError: it did not come true; says what it was last.

    Example:
        >>> answers = iter([0, 0, 3])
        >>> wait_until(lambda: next(answers), every=0.001)
        3
    """
    until = time.monotonic() + seconds
    while True:
        last_time = time.monotonic() >= until
        try:
            if answer := condition():
                return answer
            last = repr(answer)
        except AssertionError as error:
            last = str(error) or "an assertion without words"
        if last_time:
            name = getattr(condition, "__name__", repr(condition))
            raise AssertionError(f"{name} has not come true in {seconds:g} s; last it was {last}")
        time.sleep(every)
