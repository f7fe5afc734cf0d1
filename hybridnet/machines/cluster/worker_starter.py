# SPDX-License-Identifier: MIT
"""How machines are started beside the workers of a Dask scheduler; see `hybridnet.machines.cluster.starters`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Mapping
from typing import Any

from hybridnet.errors import MachineError
from hybridnet.machines.cluster.calls import present_workers
from hybridnet.machines.cluster.names import distinct
from hybridnet.machines.cluster.starters import MeetingAt, Starter
from hybridnet.machines.workers.existing import clean_beside, end_beside, launch_beside
from hybridnet.machines.workers.lean_dask import Client
from hybridnet.machines.workers.lines import FirstLine
from hybridnet.system.journal import STATE_OF_ROOT, Journal, state_directory

__all__ = ["WorkerStarter"]

END_BESIDE_S = 40.0


class WorkerStarter(Starter):
    """Machines beside the workers of an existing Dask scheduler.

    Args:
        client: of that scheduler.
        workers: the worker that each machine is beside, by the machine's name: its Dask name.
        any_worker: a machine that joins late takes the first worker that waits; False: the one of its own name.
        silence_s: as for `SshStarter`.
    """

    def __init__(
        self,
        journal: Journal,
        client: Client,
        workers: Mapping[str, str],
        silence_s: float,
        *,
        any_worker: bool = False,
    ) -> None:
        super().__init__(journal)
        self._any_worker = any_worker
        self._client, self._workers, self._silence_s = client, dict(workers), silence_s
        self._state = str(state_directory() if os.geteuid() == 0 else STATE_OF_ROOT)
        self._beside: dict[str, str] = {}  # the addresses of workers that were asked to launch one
        self._addresses: dict[str, str] = {}

    def launch(self, machine: str) -> str:
        """See `Starter`."""
        dask_name = self._next_name(machine, f"{machine}-{self._journal.run}")
        first: FirstLine = {
            "run": self._journal.run,
            "machine": machine,
            "state": self._state,
            "own_network": False,
            "worker_name": dask_name,
            "silence_s": self._silence_s,
        }
        there = self._beside[machine] = self._worker_beside(machine)
        self._addresses[machine] = self._client.run(launch_beside, first, workers=[there])[there]
        return dask_name

    def start_agent(self, machine: str, meeting: MeetingAt) -> str:
        """See `Starter`; the worker has done it already."""
        return self._addresses[machine]

    def make_place(self, machine: str) -> None:
        """See `Starter`: beside a worker that no machine of the run is beside."""
        distinct([machine])
        if machine in self._workers:
            return
        present = present_workers(self._client).values()
        taken = {*self._workers.values(), *(str(info["name"]) for info in present if _is_agent(info))}
        waiting = [name for name in (str(info["name"]) for info in present) if name not in taken]
        found = waiting if self._any_worker else [worker for worker in waiting if worker == machine]
        if not found:
            wanted = "" if self._any_worker else f" named {machine}"
            raise MachineError(
                f"there is no place for a machine {machine}: no Dask worker{wanted} waits beside those of the run "
                f"({', '.join(self._workers.values())}); start one"
            )
        self._workers[machine] = found[0]

    def retire(self, machine: str) -> None:
        """See `Starter`: its worker waits again."""
        super().retire(machine)
        for known in (self._beside, self._workers, self._addresses):
            known.pop(machine, None)

    def give_up(self, machine: str) -> None:
        """See `Starter`."""
        if machine in self._beside:
            self._end_beside(self._beside[machine])

    def end(self, lost: Collection[str]) -> None:
        """See `Starter`."""
        for there in self._beside.values():
            self._end_beside(there)

    def _clean(self, machine: str) -> None:
        there = self._worker_beside(machine)
        try:
            self._client.run(clean_beside, self._state, self._journal.run, machine, workers=[there])
        except (OSError, TimeoutError, KeyError) as error:
            raise MachineError(
                f"machine {machine} cannot return before what is left of it has ended, and its Dask worker "
                f"{self._workers[machine]} does not answer: {error}; start that worker again"
            ) from None

    def _worker_beside(self, machine: str) -> str:
        """The address of the worker that a machine is beside."""
        name = self._workers[machine]
        for address, info in present_workers(self._client).items():
            if str(info["name"]) == name:
                return address
        raise MachineError(
            f"machine {machine}: its Dask worker {name} has left the scheduler; start that worker again"
        )

    def _end_beside(self, address: str) -> None:
        # A worker that is gone has taken its agent along.
        with contextlib.suppress(OSError, TimeoutError, KeyError):
            self._client.run(end_beside, self._journal.run, END_BESIDE_S, workers=[address])


def _is_agent(info: Mapping[str, Any]) -> bool:
    """Whether a worker is the agent of a machine, of whatever run."""
    return any(resource.startswith("machine:") for resource in info.get("resources") or {})
