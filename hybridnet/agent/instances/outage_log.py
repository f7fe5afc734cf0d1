# SPDX-License-Identifier: MIT
"""Which instances of a machine were missing, from when to when, and who waits to hear of it."""

from __future__ import annotations

import threading
import time

from hybridnet.observe.results.machines import Outage

__all__ = ["OutageLog"]


class OutageLog:
    """The starts and the outages of the instances of one machine. Any thread may call it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # guards what follows
        self._starts: dict[str, int] = {}
        self._outages: list[Outage] = []
        self._watch: object | None = None

    def begin(self, name: str) -> None:
        """An instance starts, and is watched from now on."""
        with self._changed:
            self._starts[name] = self._starts.get(name, 0) + 1
            if self._watch is None:
                self._watch = object()

    def miss(self, name: str, how: str) -> None:
        """An instance has ended, in this way, and is missing."""
        with self._changed:
            self._outages.append(
                {"instance": name, "from_ns": time.monotonic_ns(), "to_ns": None, "how": how}
            )
            self._changed.notify_all()

    def have_back(self, name: str) -> None:
        """An instance that was missing runs again."""
        with self._changed:
            for outage in self._outages:
                if outage["instance"] == name and outage["to_ns"] is None:
                    outage["to_ns"] = time.monotonic_ns()

    def counts(self) -> tuple[dict[str, int], list[Outage]]:
        """Of each instance how often it was started; and which was missing."""
        with self._changed:
            return dict(self._starts), [outage.copy() for outage in self._outages]

    def await_more(self, known: int, seconds: float) -> list[Outage] | None:
        """The outages after the first `known`, as soon as there are any, or after so many seconds. None: nobody watches
        here, or no longer.
        """
        with self._changed:
            watch = self._watch  # an object of its own, which no later watch is taken for
            if watch is None:
                return None
            self._changed.wait_for(lambda: len(self._outages) > known or self._watch is not watch, seconds)
            if self._watch is not watch:
                return None
            return [outage.copy() for outage in self._outages[known:]]

    def stop_watching(self) -> None:
        """`await_more` waits no longer, until an instance begins again."""
        with self._changed:
            self._watch = None
            self._changed.notify_all()

    def forget(self) -> None:
        """Nothing has started, and nothing is watched."""
        with self._changed:
            self._starts, self._outages, self._watch = {}, [], None
            self._changed.notify_all()
