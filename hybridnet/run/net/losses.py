# SPDX-License-Identifier: MIT
"""Machines that are lost while a network runs, and what follows.

lost ──▶ "stop": a line says so; who watches this process, as `hybridnet run` does, ends it
   └──▶ "continue": the instances of that machine are missed, as those that end by themselves, and the others go on
"""

from __future__ import annotations

import threading

from hybridnet.errors import MachineError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.results import open_runs
from hybridnet.observe.results.on_loss import CONTINUE
from hybridnet.run.net.link_changes import Missed
from hybridnet.run.net.outages import Outages
from hybridnet.system.log import warn

__all__ = ["Losses"]


class Losses:
    """Follows what is lost, from `watch` to `close`.

    Args:
        outages: of the same run.
        on_loss: one of `hybridnet.observe.results.on_loss.ON_LOSS`.
    """

    def __init__(self, cluster: Machines, outages: Outages, on_loss: str) -> None:
        self._cluster, self._outages = cluster, outages
        self._goes_on = on_loss == CONTINUE
        self._threads: list[threading.Thread] = []

    def watch(self) -> None:
        """Begin to follow."""
        self._cluster.on_lost = self._begin

    def close(self) -> None:
        """Follow no longer. A second call does nothing."""
        self._cluster.on_lost = lambda machine: None
        while self._threads:
            self._threads.pop().join()

    @property
    def goes_on(self) -> bool:
        """Whether the run goes on without a machine that is lost."""
        return self._goes_on

    def missed(self) -> Missed:
        """What the run goes on without now: who tells it something, finds it as told once it is back."""
        machines = frozenset(self._cluster.lost()) if self._goes_on else frozenset()
        return Missed(machines, self._outages.missed(machines))

    def refuse(self) -> None:
        """Raise MachineError if a machine is lost and the run does not go on without it."""
        if not self._goes_on:
            for loss in self._cluster.lost().values():
                raise MachineError(loss.why)

    def _begin(self, machine: str) -> None:
        """Whoever tells of a loss must not be held up."""
        thread = threading.Thread(
            target=self._follow, args=(machine,), name=f"loss of {machine}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _follow(self, machine: str) -> None:
        lost = self._cluster.lost()
        if self._goes_on and set(self._cluster.machines) - set(lost):
            links = self._outages.lose(machine)
            if links is not None:
                warn(f"*** the others go on without machine {machine}; {links} links to it are down\n")
            return
        if machine in lost:  # else it has returned meanwhile
            warn(f"*** without machine {machine} the run ends\n")
            open_runs.lost(MachineError(lost[machine].why))
