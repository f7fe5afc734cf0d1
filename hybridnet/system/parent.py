# SPDX-License-Identifier: MIT
"""A process that ends when the one that started it does: prctl(2), PR_SET_PDEATHSIG."""

from __future__ import annotations

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with_parent(signal_number: int = signal.SIGKILL) -> None:
    """Ask the kernel for a signal when the parent ends.

    Raises:
        OSError: the kernel refuses the signal's number.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"prctl(PR_SET_PDEATHSIG, {signal_number}): {os.strerror(error)}")
