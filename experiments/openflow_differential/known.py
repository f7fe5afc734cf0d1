# SPDX-License-Identifier: MIT
"""Where Open vSwitch 3.1 is known to do something else than the specification, and how it shows in what it sends."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["THREE_TAGS", "clause_of"]

THREE_TAGS = (
    "OpenFlow 1.3.5, 5.12.1: tags are pushed onto any number of others; Open vSwitch keeps the outer two"
)
_TAG = b"\x81\x00"


def clause_of(by_specification: Iterable[bytes]) -> str:
    """What explains that a switch sends something else than these frames. Empty: nothing does."""
    if any(_TAG == frame[12:14] == frame[16:18] == frame[20:22] for frame in by_specification):
        return THREE_TAGS
    return ""
