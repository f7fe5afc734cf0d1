# SPDX-License-Identifier: MIT
"""What the kernel says of a process: whether it runs, sleeps, or was stopped, and by what."""

from __future__ import annotations

from pathlib import Path

__all__ = ["how_stopped", "is_frozen", "state_of"]

_STOPPED = {"T": "was stopped (SIGSTOP, or by its terminal)", "t": "was stopped by a debugger"}
_FROZEN = "was frozen by its control group"
_FROZEN_AT = ("do_freezer_trap", "get_signal")  # the first may be inlined into the second


def state_of(pid: int) -> str:
    """The letter of its main thread's state: proc_pid_stat(5). "" once it has ended."""
    try:
        return Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def how_stopped(pid: int) -> str:
    """How it was stopped, in words; "" where it was not, or has ended."""
    return _FROZEN if is_frozen(pid) else _STOPPED.get(state_of(pid), "")


def is_frozen(pid: int) -> bool:
    """Whether a control group of version 2 has put a process to sleep. Only root learns where it sleeps.

    The kernel freezes a process where it would take a signal (kernel/signal.c: get_signal, do_freezer_trap), and in a
    state that says no more than that it can be woken up.
    """
    try:
        return state_of(pid) == "S" and Path(f"/proc/{pid}/wchan").read_text() in _FROZEN_AT
    except OSError:
        return False
