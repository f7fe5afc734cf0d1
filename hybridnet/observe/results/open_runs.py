# SPDX-License-Identifier: MIT
"""Who wants to end with the verdicts of this process: what runs reports here, and the command line looks.

with Watch() as watch:
    ...                     # networks start and stop
    watch.stop_running()    # those that nobody stopped
print(together(watch.verdicts))

Who watches also hears when what runs cannot go on.
"""

from __future__ import annotations

from collections.abc import Callable

from hybridnet.errors import HybridnetError
from hybridnet.observe.results.verdict import Verdict
from hybridnet.system.ending import Endings

__all__ = ["Watch", "began", "ended", "lost"]

Stop = Callable[[], object]

_watches: list[Watch] = []


class Watch:
    """What began and ended in this process while it watched.

    Args:
        on_loss: told what is lost, so that what runs cannot go on; in another thread.
    """

    def __init__(self, on_loss: Callable[[HybridnetError], object] = lambda error: None) -> None:
        self.on_loss = on_loss
        self.verdicts: list[Verdict] = []  # of what has ended, in that order
        self._running: list[Stop] = []

    def stop_running(self) -> int:
        """Stop what still runs, the last to begin first, whatever one of them raises. Returns how many that were."""
        running = list(self._running)
        Endings(*running).close()
        return len(running)

    def __enter__(self) -> Watch:
        _watches.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _watches.remove(self)


def began(stop: Stop) -> None:
    """Something runs from now on, until `ended` is called; `stop` ends it."""
    for watch in _watches:
        watch._running.append(stop)


def lost(error: HybridnetError) -> None:
    """What runs cannot go on, and this is why. Those who watch end it; where nobody does, its next use raises it."""
    for watch in list(_watches):
        watch.on_loss(error)


def ended(stop: Stop, verdict: Verdict) -> None:
    """What began with this `stop` has ended, and this is what it was worth."""
    for watch in _watches:
        if stop in watch._running:
            watch._running.remove(stop)
        watch.verdicts.append(verdict)
