# SPDX-License-Identifier: MIT
"""Locks that other users of the computer cannot turn against a run.

flock(2) asks for nothing but an open file: whoever can read a file or a directory, or has a namespace, can keep its
lock for ever. So a lock is one of a file that nobody else can open, or it is not waited for without a bound.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from hybridnet.system.interruption import heed
from hybridnet.system.log import warn

__all__ = ["PATIENCE_S", "lock_what_others_can_open", "locked_file"]

PATIENCE_S = 10.0
"""How long such a lock is waited for, unless more is said; ours are kept for a fraction of a second."""

_LOOK_S = 0.05


def lock_what_others_can_open(
    descriptor: int, what: str, kind: int = fcntl.LOCK_EX, patience_s: float = PATIENCE_S
) -> None:
    """Lock it until it is closed. Where somebody keeps the lock for longer than `patience_s`, say so, and go on
    without: then two runs that start at the same instant may disturb each other.

    Args:
        what: it is, for that warning.

    Raises:
        MachineError: the waiting was interrupted.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            heed()
        else:
            return
        if time.monotonic() > deadline:
            warn(
                f"*** Warning: a process keeps the lock of {what}, longer than hybridnet does (lslocks shows which); "
                "going on without it\n"
            )
            return
        time.sleep(_LOOK_S)


def locked_file(path: Path) -> int:
    """A descriptor of a file, made if it is missing, that only this user can open; locked until it is closed."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.fchmod(descriptor, 0o600)  # one of an earlier hybridnet is everybody's to read
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
