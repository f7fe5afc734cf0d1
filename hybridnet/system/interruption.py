# SPDX-License-Identifier: MIT
"""Interrupting work of an agent: what builds a network stops when it is to be removed, and does not end it first.
What changes one is stopped by ^C likewise, and undone.

    interruption = Interruption()
    with undone_on_error(remove), interruption.heeded():    # in the thread that builds
        build()                                             # calls `heed`, or commands that do
    …
    interruption.ask()                                      # from any thread: the building raises

Removal is outside of such a block, so it is not interrupted.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from hybridnet.errors import MachineError

__all__ = ["Interruption", "heed"]

_own = threading.local()


class Interruption:
    """Asked for once, and from then on.

    Args:
        then: what becomes of what was under way.
    """

    def __init__(self, then: str = "the network is being removed") -> None:
        self.then = then
        self._asked = threading.Event()

    def ask(self) -> None:
        """What heeds it raises at its next look, now and later."""
        self._asked.set()

    @property
    def asked(self) -> bool:
        """Whether it was asked for."""
        return self._asked.is_set()

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """What this thread does inside heeds it."""
        before = getattr(_own, "interruption", None)
        _own.interruption = self
        try:
            yield
        finally:
            _own.interruption = before


def heed() -> None:
    """Raise MachineError if what this thread does was interrupted."""
    interruption: Interruption | None = getattr(_own, "interruption", None)
    if interruption is not None and interruption.asked:
        raise MachineError(f"interrupted: {interruption.then}")
