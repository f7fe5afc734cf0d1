# SPDX-License-Identifier: MIT
"""What a cluster's machines may be called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet.describe.values import machine_name, shown
from hybridnet.errors import UsageError

__all__ = ["distinct", "several"]


def distinct(names: Sequence[str]) -> list[str]:
    """The names of machines, as a list.

    Raises:
        UsageError: one cannot be a name, two are the same, or there is none.
    """
    for name in several(names, "machines"):
        machine_name(name, "machine")
    if len(set(names)) != len(names):
        raise UsageError(f"the machines' names repeat: {', '.join(names)}")
    return list(names)


def several(given: Any, what: str) -> list[Any]:
    """A list or tuple with something in it; text is none, although Python can go through its letters.

    Args:
        what: they are, in the message of an error.

    Raises:
        UsageError: it is nothing of the kind.
    """
    if not isinstance(given, list | tuple):
        raise UsageError(f"{what} {shown(given)} are not a list; write for example ['m1', 'm2']")
    if not given:
        raise UsageError("a cluster needs at least one machine")
    return list(given)
