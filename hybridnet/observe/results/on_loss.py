# SPDX-License-Identifier: MIT
"""What becomes of a run that loses a machine: it stops, or the others go on.

`hybridnet run --on-loss` says it for every network that starts in this process, also of scripts; `Net(on_loss=...)` for
one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["CONTINUE", "ON_LOSS", "STOP", "on_loss", "wanted"]

STOP, CONTINUE = "stop", "continue"
ON_LOSS = (STOP, CONTINUE)

_wanted = STOP


def wanted() -> str:
    """Of a network that starts now and does not say it itself: one of `ON_LOSS`."""
    return _wanted


@contextlib.contextmanager
def on_loss(what: str) -> Iterator[None]:
    """Networks that start within, and do not say it themselves, do this.

    Example:
        >>> with on_loss(CONTINUE):
        ...     wanted()
        'continue'
        >>> wanted()
        'stop'
    """
    global _wanted
    before, _wanted = _wanted, what
    try:
        yield
    finally:
        _wanted = before
