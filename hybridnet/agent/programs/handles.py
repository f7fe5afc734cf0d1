# SPDX-License-Identifier: MIT
"""Numbers by which the head names programs and terminals.

A machine that is lost may return, with another agent. Who still holds a number that its predecessor gave must not
reach another program by it.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator

__all__ = ["handles"]


def handles() -> Iterator[int]:
    """Numbers in ascending order that no other agent of the machine gives: they begin at random. All are below 2^53, so
    that browsers can hold them.
    """
    return itertools.count((secrets.randbits(31) << 20) + 1)
