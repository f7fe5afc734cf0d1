# SPDX-License-Identifier: MIT
"""A cluster of workers: machines of this computer, or those that the command line names.

The first of those on this computer has its host name: where MaxiNet has one computer, this is a worker itself.
"""

from __future__ import annotations

import atexit
import socket
from typing import Any

from hybridnet.compat.maxinet.worker import Worker
from hybridnet.compat.mininet.lenient_options import tolerate
from hybridnet.compat.mininet.machines import machines_of_the_run
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines import cluster as machines

__all__ = ["Cluster"]

USUAL_WORKERS = 2
"""Workers of a cluster that is not told how many."""


class Cluster:
    """The workers of experiments, which run one after the other.

    Args:
        ip, port, password: where MaxiNet's server is; there is none, and this is said.
        minWorkers: how many there must be.
        maxWorkers: how many are taken; None: as many as the command line names, else `minWorkers`, but two at least.

    Raises:
        MachineError: there are not so many, or one did not come up.
    """

    def __init__(
        self,
        ip: Any = None,
        port: Any = None,
        password: Any = None,
        minWorkers: int | None = None,
        maxWorkers: int | None = None,
        *more: Any,
    ) -> None:
        if ip is not None or port is not None or password is not None or more:
            tolerate("Cluster(ip=, port=, password=)", "there is no server; workers are hybridnet's machines")
        for what, given in (("minWorkers", minWorkers), ("maxWorkers", maxWorkers)):
            if given is not None and (type(given) is not int or given < 1):
                raise UsageError(f"Cluster: {what} {given!r} is not a number of workers; write 1, 2, 3 ...")
        self._own: machines.Cluster | None = None
        self.worker: list[Worker] = []
        self.experiment: Any = None
        self.machines = self._machines(minWorkers, maxWorkers)
        names = self.machines.machines[:maxWorkers]
        if len(names) < (minWorkers or 1):
            self.stop()
            raise MachineError(
                f"the cluster has {len(names)} workers ({', '.join(names)}), and the script needs {minWorkers}; "
                "name more with --machines or --ssh"
            )
        self.worker = [Worker(self.machines, name, wid) for wid, name in enumerate(names)]
        atexit.register(self.stop)

    def _machines(self, least: int | None, most: int | None) -> machines.Cluster:
        told = machines_of_the_run()
        if told is not None and (opened := told.cluster()) is not None:
            return opened
        names = list(told.names) if told is not None else []
        count = most or max(least or 0, USUAL_WORKERS)
        self._own = own = machines.Cluster.local(
            names[:most] or [f"m{number}" for number in range(1, count + 1)]
        )
        # Scripts look for the worker that is this computer, by its host name.
        own.call(own.machines[0], "exec", argv=["hostname", socket.gethostname()])
        return own

    def start(self) -> bool:
        """Nothing: the workers are there. Returns True."""
        return True

    def stop(self) -> None:
        """End the experiment that runs, and the workers, unless they are the run's. A second call does nothing."""
        atexit.unregister(self.stop)
        try:
            if self.experiment is not None:
                self.experiment.stop()
        finally:
            own, self._own = self._own, None
            if own is not None:
                own.close()

    def is_running(self) -> bool:
        """Whether it has workers."""
        return bool(self.worker)

    def workers(self) -> list[Worker]:
        """The workers, by number."""
        return self.worker

    def num_workers(self) -> int:
        """How many workers there are."""
        return len(self.worker)

    def get_worker(self, hostname: str | int) -> Worker:
        """The worker of that host name, or of that number. Raises UsageError if there is none."""
        for worker in self.worker:
            if hostname in (worker.wid, worker.machine, worker.hn()):
                return worker
        names = ", ".join(worker.hn() for worker in self.worker)
        raise UsageError(f"there is no worker {hostname!r}; the workers are {names}")

    @property
    def hostname_to_worker(self) -> dict[str, Worker]:
        """The workers by host name."""
        return {worker.hn(): worker for worker in self.worker}

    @property
    def hosts(self) -> list[str]:
        """The workers' host names."""
        return [worker.hn() for worker in self.worker]

    def get_available_workers(self) -> dict[str, object]:
        """None: the cluster has taken all."""
        return {}

    def add_worker(self) -> bool:
        """There is no other worker. Returns False."""
        return False

    def add_worker_by_hostname(self, hostname: str) -> bool:
        """Whether the cluster has that worker; there are no others."""
        return hostname in self.hosts

    def add_workers(self) -> int:
        """There are no other workers. Returns 0."""
        return 0

    def remove_worker(self, worker: Worker | str) -> None:
        """Leave a worker out of the experiments to come."""
        gone = worker if isinstance(worker, Worker) else self.get_worker(worker)
        self.worker.remove(gone)
        for wid, left in enumerate(self.worker):
            left.wid = wid

    def remove_workers(self) -> None:
        """Leave out all workers."""
        self.worker.clear()

    def remove_all_tunnels(self) -> None:
        """Nothing: cut links end with the experiment."""

    def get_worker_shares(self) -> list[float]:
        """The workers' shares of the nodes, which are equal."""
        return [1 / len(self.worker) for _ in self.worker]
