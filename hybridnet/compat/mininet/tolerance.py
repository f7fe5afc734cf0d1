# SPDX-License-Identifier: MIT
"""What Mininet takes and hybridnet does not: tolerated here, with one warning for each, never silently."""

from __future__ import annotations

from hybridnet.system.log import warn

__all__ = ["tolerate"]

_told: set[str] = set()


def tolerate(what: str, instead: str) -> None:
    """Warn once of `what`, and say what happens instead."""
    if what not in _told:
        _told.add(what)
        warn(f"*** hybridnet: {what}: {instead}\n")
