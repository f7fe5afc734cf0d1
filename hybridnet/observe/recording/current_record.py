# SPDX-License-Identifier: MIT
"""The record of the command that runs in this process.

Every network asks for it, so this imports nothing that takes time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridnet.observe.recording.run_record import RunRecord

__all__ = ["current", "recording"]

_current: list[RunRecord] = []


@contextlib.contextmanager
def recording(record: RunRecord) -> Iterator[RunRecord]:
    """Networks that start in this block are in this record."""
    _current.append(record)
    try:
        yield record
    finally:
        _current.remove(record)


def current() -> RunRecord | None:
    """The record in whose block this is; None: in none."""
    return _current[-1] if _current else None
