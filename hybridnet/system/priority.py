# SPDX-License-Identifier: MIT
"""Who goes first when a machine has more to do than it can: instances, then switches, then the hosts' programs.

Where the scheduler groups processes by session (autogroup), a nice value counts within the session only; then the group
of the process, which must be a session of its own, is given the same value.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path


class Priority(IntEnum):
    """Nice values: the lowest goes first."""

    INSTANCE = -20
    SWITCHES = -10
    AGENT = -5
    HOSTS = 0


def prefix(priority: Priority) -> list[str]:
    """What goes before a command so that it, and every thread it makes, starts with the priority."""
    return ["nice", "-n", str(int(priority))]


def raise_session(pid: int, priority: Priority) -> None:
    """Gives the scheduling group of process `pid`, which leads a session of its own, the priority as well."""
    group = Path(f"/proc/{pid}/autogroup")
    if group.exists():
        group.write_text(str(int(priority)))
