# SPDX-License-Identifier: MIT
"""Filters of captures, in the language of pcap-filter(7): the simulator's own compiler judges them, before anything is
made.
"""

from __future__ import annotations

from hybridnet.describe.options.tables import extension
from hybridnet.describe.values import text
from hybridnet.errors import HybridnetError, PlanError

__all__ = ["capture_filter"]


def capture_filter(value: object, what: str, *, error: type[HybridnetError]) -> str:
    """The text of a filter that the simulator will understand."""
    written = text(value, what, error=error)
    try:
        extension().check_capture_filter(written)
    except PlanError as problem:
        raise error(f"{what}: {problem}") from None
    return written
