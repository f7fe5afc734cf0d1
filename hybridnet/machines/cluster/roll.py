# SPDX-License-Identifier: MIT
"""The roll of a cluster's machines: which have joined, which are lost and why, which have returned, which have left.

    expect ──▶ await_joined ──▶ join ──▶ (lose ──▶ admit) … ──▶ forget      of a machine that was there at the start
               await_joined ──▶ admit ──▶ (lose ──▶ admit) … ──▶ forget     of one that joins late

Each start of a machine has a future, which holds the error with which that start has ended. It tells a machine that is
lost from its successor: what ends late of an earlier start is not taken for the end of a later one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster.machines import Loss
from hybridnet.machines.cluster.presence import Presence
from hybridnet.system.daemon import LOOK_S
from hybridnet.system.log import warn

__all__ = ["Roll"]

JOIN_SECONDS = 60.0


class Roll:
    """Usable from any thread.

    Args:
        on_lost: called with a machine that had joined and is lost, at once.
    """

    def __init__(self, on_lost: Callable[[str], object]) -> None:
        self._on_lost = on_lost
        self._workers: dict[str, str] = {}  # the Dask address of each machine's agent
        self._ends: dict[str, Future[None]] = {}  # of each machine's last start that was joined, or is to be
        self._losses: dict[str, Loss] = {}
        self._changes = 0  # how often an agent has come or gone
        self._changed = threading.Condition()
        self._lock = threading.Lock()
        self._presence: Presence | None = None
        self._closed = False

    @property
    def machines(self) -> list[str]:
        """The names of those that have joined, in that order."""
        return list(self._workers)

    @property
    def losses(self) -> dict[str, Loss]:
        """The machines that are lost."""
        return dict(self._losses)

    def close(self) -> None:
        """The machines are about to end: from now on an end is no loss, and no machine can be asked."""
        self._closed = True

    def check(self, machine: str) -> None:
        """Raises UsageError: there is no such machine. Raises MachineError: all of them have ended."""
        if self._closed:
            raise MachineError(f"machine {machine}: the cluster is closed")
        if not isinstance(machine, str) or machine not in self._workers:
            raise UsageError(f"there is no machine {machine}; there are {', '.join(self._workers)}")

    def worker(self, machine: str) -> str:
        """The address of the worker that a machine's agent is, or was: of one that has joined."""
        return self._workers[machine]

    def agent(self, machine: str) -> tuple[str, Future[None]]:
        """The address of a machine's worker, and what is done once that has ended. Raises as `check`."""
        self.check(machine)
        # First: a worker that is read later is of the same start, or of a later one.
        ended = self._ends[machine]
        return self._workers[machine], ended

    def watch_presence(self, presence: Presence) -> None:
        """Have the machines that are there, and only those, asked whether they are."""
        self._presence = presence

    def expect(self, machine: str) -> Future[None]:
        """A machine is being started for the first time. Returns what holds the error once that start has ended."""
        ended = self._ends[machine] = Future()
        return ended

    def await_joined(
        self,
        machine: str,
        find: Callable[[], str],
        ended: Future[None],
        look: Callable[[], object] = lambda: None,
    ) -> str:
        """Wait until an agent has joined.

        Args:
            find: the address of its worker; empty while it has not.
            ended: of this start.
            look: called meanwhile; raises where there is nothing to wait for.

        Returns:
            The address.

        Raises:
            MachineError: it did not join in time, or has ended; or what `look` raises.
        """
        deadline = time.monotonic() + JOIN_SECONDS
        # Before each look: several wait at once, and none may miss what comes while it looks.
        seen = self._changes
        while not (address := find()) and not ended.done() and (left_s := deadline - time.monotonic()) > 0:
            # Nobody is told of a worker that joins before the scheduler knows that we listen.
            told = self._await_change(seen, min(left_s, LOOK_S))
            seen = self._changes
            if not told:
                look()
        if ended.done():
            ended.result()
        if not address:
            raise MachineError(
                f"machine {machine}: its agent did not join within {JOIN_SECONDS:g} s; "
                "can it reach this computer (firewall), and does its python have hybridnet?"
            )
        return address

    def _await_change(self, seen: int, patience_s: float) -> bool:
        """Wait until there were other than so many changes. Returns whether there were."""
        with self._changed:
            return self._changed.wait_for(lambda: self._changes != seen, patience_s)

    def join(self, machine: str, worker: str) -> None:
        """The machine's agent is this worker."""
        self._workers[machine] = worker

    def admit(self, machine: str, worker: str, ended: Future[None]) -> None:
        """From now on a machine that was lost, or joins late, is this agent, unless that has ended meanwhile, which
        raises its error.
        """
        with self._lock:
            if ended.done():
                ended.result()
            self._workers[machine] = worker
            self._ends[machine] = ended
            self._losses.pop(machine, None)
            if self._presence is not None:
                self._presence.watch(machine)

    def forget(self, machine: str) -> None:
        """A machine leaves: from now on it is none, and its end no loss."""
        with self._lock:
            for known in (self._workers, self._ends, self._losses):
                known.pop(machine, None)
            if self._presence is not None:
                self._presence.forget(machine)

    def worker_came(self) -> None:
        """Whoever waits looks again."""
        with self._changed:
            self._changes += 1
            self._changed.notify_all()

    def worker_went(self, worker: str) -> None:
        """The scheduler has lost the worker at this address."""
        for machine, address in list(self._workers.items()):
            if address == worker:
                self.lose(
                    machine, f"machine {machine}: its agent is gone; the machine's network is gone with it"
                )

    def start_ended(self, machine: str, ended: Future[None], words: str) -> None:
        """A start of a machine has ended, with these last words."""
        lines = [line for line in words.splitlines() if " - INFO - " not in line]
        # Of one that has run the end says enough, in one line; who waits for one that does not come up needs all.
        said = "; ".join(lines[-2:])[-300:] if machine in self._workers else "\n".join(lines)[-1500:]
        self.lose(machine, f"machine {machine}: its agent has ended; {said or 'it printed nothing'}", ended)
        self.worker_came()

    def lose(self, machine: str, why: str, ended: Future[None] | None = None) -> None:
        """A machine has ended.

        Args:
            why: begins with the machine's name.
            ended: of this start of it, which may be one that does not come up again; None: of the one that joined.
        """
        with self._lock:
            current = self._ends.get(machine)
            if ended is not None and ended is not current:
                if not ended.done():
                    ended.set_exception(MachineError(why))
                return
            if self._closed or current is None or current.done():
                return
            self._losses[machine] = Loss(why, time.monotonic())
            current.set_exception(MachineError(why))
            if self._presence is not None:
                self._presence.forget(machine)
        if machine in self._workers:  # else it did not come up, which is an error of who made it
            warn(f"*** {why}\n")
            self._on_lost(machine)
