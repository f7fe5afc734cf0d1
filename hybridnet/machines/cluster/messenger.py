# SPDX-License-Identifier: MIT
"""Carries verbs to the agents and answers back, over a Dask scheduler: one of the run, or one that somebody else runs.

A verb goes to one worker, in the event loop of a Dask client; whoever waits for its answer also waits for the end of
the machine, so that nobody waits for an agent that is gone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import TYPE_CHECKING, Any

from hybridnet.errors import MachineError
from hybridnet.machines.workers.plugin import progress_topic
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal
from hybridnet.system.priority import run_in_real_time
from hybridnet.system.process_limits import allow_open_files

if TYPE_CHECKING:
    from hybridnet.machines.workers.lean_dask import Client
    from hybridnet.machines.workers.lines import Meeting

__all__ = ["Messenger"]

LOSS_KNOWN_S = 2.0  # after a connection broke


class Messenger:
    """Usable from any thread, between `start` or `use`, and `end`.

    Args:
        journal: of the run, whose name and directory it needs.
        on_worker: called when a worker has joined.
        on_gone: called with the address of a worker that has left.
        on_progress: called with a machine and what its agent says of its work.
    """

    def __init__(
        self,
        journal: Journal,
        on_worker: Callable[[], object],
        on_gone: Callable[[str], object],
        on_progress: Callable[[str, str], object],
    ) -> None:
        self._journal = journal
        self._on_worker, self._on_gone, self._on_progress = on_worker, on_gone, on_progress
        self._ending = Endings()
        self._client: Client | None = None
        self._pem: dict[str, str] = {}
        self._port = 0

    def start(self, host: str, patience_s: float = 0.0) -> None:
        """Start a scheduler, and its client, with a certificate of the run; see
        `hybridnet.machines.workers.certificates`.

        Args:
            host: the address at which it listens.
            patience_s: for how long a worker may be silent before Dask gives it up; 0: as Dask has it.
        """
        from hybridnet.machines.workers.certificates import make_certificate
        from hybridnet.machines.workers.dask_settings import (
            QuietClient,
            QuietScheduler,
            turn_down_housekeeping,
        )
        from hybridnet.machines.workers.lean_dask import SpecCluster
        from hybridnet.machines.workers.security import security_of

        logging.getLogger("distributed").setLevel(
            logging.CRITICAL
        )  # what matters is raised as an error of ours
        turn_down_housekeeping(patience_s)
        allow_open_files()
        self._pem = make_certificate(self._journal.run)
        security = security_of(self._pem)
        options = {"host": host, "port": 0, "protocol": "tls://", "security": security}
        options["local_directory"] = str(self._journal.directory / "dask")  # else something stays in /tmp
        spec = {"cls": QuietScheduler, "options": options}
        try:
            cluster = SpecCluster(
                workers={}, scheduler=spec, security=security, silence_logs=logging.CRITICAL
            )
        except (RuntimeError, OSError) as error:
            raise MachineError(
                f"the scheduler of the machines cannot be started at {host}: {error}"
            ) from None
        self._ending.add(cluster.close)
        self.use(QuietClient(cluster, security=security, set_as_default=False))
        self._port = int(cluster.scheduler_address.rpartition(":")[2])

    def use(self, client: Client) -> None:
        """Speak through this client, which `end` closes."""
        self._client = client
        self._ending.add(self._end_client)
        assert client.loop is not None
        self._loop: asyncio.AbstractEventLoop = client.loop.asyncio_loop  # type: ignore[attr-defined]
        self._loop.call_soon_threadsafe(run_in_real_time)  # calls come through it, whatever the hosts do
        client.subscribe_topic("all", self._on_event)
        client.subscribe_topic(progress_topic(self._journal.run), self._on_progress_event)

    def end(self) -> None:
        """Close the client, and the scheduler where it is ours. A second call ends what is left."""
        self._ending.close()

    @property
    def client(self) -> Client:
        """The Dask client. Raises MachineError once it is closed."""
        if self._client is None:
            raise MachineError("the cluster is closed")
        return self._client

    def meeting(self, head_address: str) -> Meeting:
        """See `hybridnet.machines.cluster.starters.MeetingAt`."""
        return {"scheduler": f"tls://{head_address}:{self._port}", "security": self._pem}

    def find(self, dask_name: str) -> str:
        """The address of the worker of this name; empty while there is none."""
        from hybridnet.machines.cluster.calls import present_workers

        workers = present_workers(self.client)
        return next((address for address, info in workers.items() if info["name"] == dask_name), "")

    def send(
        self, machine: str, worker: str, lost: Future[None], verb: str, arguments: Mapping[str, object]
    ) -> Callable[[], Any]:
        """Send a verb to the agent at a worker, which has ended once `lost` is done.

        Returns:
            What waits for the result and returns it.

        Raises:
            MachineError: the agent has ended. What waits raises it too, and any HybridnetError that the verb raises.
        """
        from hybridnet.machines.cluster.calls import ask

        if lost.done():
            lost.result()
        call = asyncio.run_coroutine_threadsafe(ask(self.client, worker, verb, arguments), self._loop)

        def answer() -> Any:
            either: list[Future[Any]] = [call, lost]
            wait(either, return_when=FIRST_COMPLETED)
            if lost.done() and not call.done():
                call.cancel()
                lost.result()
            try:
                result, error = call.result()
            except (OSError, TimeoutError, KeyError) as broken:  # distributed's, when the connection breaks
                wait([lost], LOSS_KNOWN_S)
                if lost.done():
                    lost.result()
                raise MachineError(
                    f"machine {machine}: its agent is gone while it ran {verb} ({broken})"
                ) from None
            if error is not None:
                raise error
            return result

        return answer

    def show_presence(self, worker: str) -> Future[None]:
        """Ask a worker whether it is there, which tells its agent that we are; see
        `hybridnet.machines.cluster.calls`."""
        from hybridnet.machines.cluster.calls import show_presence

        return asyncio.run_coroutine_threadsafe(show_presence(self.client, worker), self._loop)

    def _end_client(self) -> None:
        if (client := self._client) is None:
            return
        topics = ("all", progress_topic(self._journal.run)) if client.status == "running" else ()
        Endings(client.close, *(partial(client.unsubscribe_topic, topic) for topic in topics)).close()
        self._client = None

    def _on_event(self, event: tuple[float, dict[str, Any]]) -> None:
        message = event[1]
        if message.get("action") == "add-worker":
            self._on_worker()
        elif message.get("action") == "remove-worker":
            self._on_gone(message["worker"])

    def _on_progress_event(self, event: tuple[float, dict[str, str]]) -> None:
        self._on_progress(event[1]["machine"], event[1]["text"])
