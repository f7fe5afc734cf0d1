# SPDX-License-Identifier: MIT
"""When a core of the computers under an arm stood still: of that no program is to blame, and no load."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Self

from hybridnet.cluster import Cluster

Stall = tuple[float, float]
"""When the core was last known to run, and when it ran again: seconds on the clock of ``time.monotonic`` here."""


class StallWatch:
    """Watches every core of every computer while it is entered.

    Args:
        cluster: whose agents watch.
        machines: on the computers of these; local machines share one.
    """

    def __init__(self, cluster: Cluster, machines: Sequence[str]) -> None:
        self._cluster = cluster
        computers = {cluster.call(machine, "facts")["computer"]: machine for machine in machines}
        self._machines = list(computers.values())
        self._ahead_s: dict[str, float] = {}

    def __enter__(self) -> Self:
        for machine in self._machines:
            began_s = time.monotonic()
            there_s: float = self._cluster.call(machine, "watch_stalls")["monotonic_s"]
            self._ahead_s[machine] = there_s - (began_s + time.monotonic()) / 2
        return self

    def __exit__(self, *_: object) -> None:
        for machine in self._ahead_s:
            self._cluster.call(machine, "end_stall_watch")

    def take(self) -> list[Stall]:
        """The stalls since the last call, in the order of their beginnings."""
        stalls = [
            (began_ns / 1e9 - ahead_s, ended_ns / 1e9 - ahead_s)
            for machine, ahead_s in self._ahead_s.items()
            for _core, began_ns, ended_ns in self._cluster.call(machine, "take_stalls")
        ]
        return sorted(stalls)
