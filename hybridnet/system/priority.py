# SPDX-License-Identifier: MIT
"""Who goes first when a machine has more to do than it can: instances, then agents, then switches, then the hosts'
programs.

Where the scheduler groups processes by session (autogroup), a nice value counts within the session only; then the group
of the process, which must be a session of its own, is given the same value.

What goes first has bounds. An agent has more weight, but the flows keep their share while it works. Only two things
run in real time, and both are short: the work of the head's thread that carries calls, and the way of a program from
the agent to its first instruction. Whatever else these threads start is an ordinary process of niceness 0.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path

REAL_TIME = 1  # of SCHED_RR: above every ordinary thread, below every instance

LEAVE_REAL_TIME = ["chrt", "--other", "0"]
"""What goes before a command that is started within `starting()`, so that it runs as an ordinary program."""


class Priority(IntEnum):
    """Nice values: the lowest goes first."""

    INSTANCE = -20
    AGENT = -15
    SWITCHES = -10
    HOSTS = 0


def prefix(priority: Priority) -> list[str]:
    """Return the prefix that starts a command, and every thread it makes, with the priority."""
    return ["nice", "-n", str(int(priority))]


def raise_session(pid: int, priority: Priority) -> None:
    """Give the priority also to the scheduling group of process `pid`, which leads a session of its own. Without
    the right to do so, leave it as it is.
    """
    group = Path(f"/proc/{pid}/autogroup")
    if group.exists():
        with contextlib.suppress(PermissionError):
            group.write_text(str(int(priority)))


def raise_thread(priority: Priority) -> None:
    """Give the calling thread the priority, but nothing that it starts. Without the right to, change nothing."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), priority)


def run_in_real_time() -> None:
    """Put the calling thread before every ordinary one, but nothing that it starts. Without the right to, it stays
    as it is.
    """
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(REAL_TIME))


def leave_real_time(pid: int) -> None:
    """Make process `pid`, which was started within `starting()`, an ordinary one, if it still exists."""
    with contextlib.suppress(ProcessLookupError):
        os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Let the processes that the calling thread starts within run in real time until they leave it: see
    `LEAVE_REAL_TIME`.

    On its way into a host and a session of its own, a process already competes with the flows. Behind 64 of them each
    step waits for tens of milliseconds, and the agent waits for the first of them.
    """
    thread = threading.get_native_id()
    policy, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    niceness = os.getpriority(os.PRIO_PROCESS, thread)
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME))
        os.setpriority(os.PRIO_PROCESS, thread, Priority.HOSTS)
    try:
        yield
    finally:
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, policy, parameter)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)
