# SPDX-License-Identifier: MIT
"""The network namespace of a thread: what it opens there stays there, wherever the thread is afterwards."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator

__all__ = ["enter_network", "in_network"]

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def enter_network(descriptor: int) -> None:
    """Take this thread into the network namespace of a descriptor. Raises OSError."""
    if _libc.setns(descriptor, CLONE_NEWNET) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"enter a network namespace: {os.strerror(error)}")


@contextlib.contextmanager
def in_network(descriptor: int | None) -> Iterator[None]:
    """Within the block this thread is in the network namespace of a descriptor; None: where it is. Raises OSError."""
    if descriptor is None:
        yield
        return
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        enter_network(descriptor)
        try:
            yield
        finally:
            enter_network(home)
    finally:
        os.close(home)
