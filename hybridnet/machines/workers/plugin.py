# SPDX-License-Identifier: MIT
"""The agent inside its Dask worker: what both ends of a call know of it.

The head sends `perform` by its name. Head and agents both import this module, so it imports neither the rest of the
agent nor the rest of the cluster.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from hybridnet.errors import HybridnetError, MachineError
from hybridnet.machines.workers.lean_dask import Worker, WorkerPlugin

if TYPE_CHECKING:
    from hybridnet.agent.machine.agent import Agent

Outcome = tuple[Any, HybridnetError | None]
"""What a verb returned, or what it raised."""

PLUGIN = "hybridnet-agent"


def progress_topic(run: str) -> str:
    """The Dask topic on which the agents of a run tell how far they are."""
    return f"hybridnet-progress-{run}"


class AgentPlugin(WorkerPlugin):
    """Carries the agent into a worker, and takes it down with it."""

    name = PLUGIN

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def setup(self, worker: Worker) -> None:
        """Progress goes to the head as a Dask event of the run's topic."""
        topic = progress_topic(self.agent.journal.run)
        self.agent.on_progress = lambda text: worker.log_event(
            topic, {"machine": self.agent.machine, "text": text}
        )


async def hear(dask_worker: Worker) -> None:
    """Run on the machine's worker: its agent hears of the head. It takes no thread, so busy ones do not hold it up."""
    cast(AgentPlugin, dask_worker.plugins[PLUGIN]).agent.last_heard = time.monotonic()


async def perform(verb: str, arguments: Mapping[str, object], dask_worker: Worker) -> Outcome:
    """Run on the machine's worker: the verb, in a thread of the agent's."""
    agent = cast(AgentPlugin, dask_worker.plugins[PLUGIN]).agent
    try:
        running = asyncio.get_running_loop().run_in_executor(
            agent.threads_for(verb), agent.perform, verb, arguments
        )
    except RuntimeError:  # the executor's, once it is shut down
        return None, MachineError(f"machine {agent.machine}: its agent is shutting down")
    try:
        return await running, None
    except HybridnetError as error:
        return None, error
