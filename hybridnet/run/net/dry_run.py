# SPDX-License-Identifier: MIT
"""Reading a user's file for its topology: a network that the file starts is described, and not made."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from hybridnet.describe.topo import Topo

__all__ = ["StartedError", "describe_only", "describing"]

_describing: ContextVar[bool] = ContextVar("describing", default=False)


class StartedError(BaseException):
    """The file starts a network; its code ends there. No Exception, which the code might take for one of its own.

    Args:
        topo: the network's.
    """

    def __init__(self, topo: Topo) -> None:
        super().__init__("a network starts")
        self.topo = topo


@contextlib.contextmanager
def describing() -> Iterator[None]:
    """Let no network start within the block: its `Net.start` raises StartedError."""
    before = _describing.set(True)
    try:
        yield
    finally:
        _describing.reset(before)


def describe_only(topo: Topo) -> None:
    """A network is about to start. Raises StartedError where it must not."""
    if _describing.get():
        raise StartedError(topo)
