# SPDX-License-Identifier: MIT
"""Whether a constructor of a node, a link or an interface is running, in which a script's class may run commands before
anything is made.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["commands_wait", "is_constructing"]

_running = 0


@contextlib.contextmanager
def commands_wait() -> Iterator[None]:
    """Meanwhile, commands in nodes wait until the network is made: constructors run some, and get no output."""
    global _running
    _running += 1
    try:
        yield
    finally:
        _running -= 1


def is_constructing() -> bool:
    """Whether commands wait."""
    return _running > 0
