# SPDX-License-Identifier: MIT
"""One verb on one machine's agent: asked in the event loop of the Dask client, run in a thread of the agent's.

What the verb raises comes back as a value, so an exception of the call itself always means that the connection broke.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from distributed import Client, Worker

from hybridnet.errors import HybridnetError, MachineError
from hybridnet.machines.worker import PLUGIN, AgentPlugin

Outcome = tuple[Any, HybridnetError | None]


async def ask(client: Client, worker: str, verb: str, arguments: dict[str, Any]) -> Outcome:
    """What the verb returned, or what it raised.

    Raises:
        OSError, TimeoutError, KeyError: distributed's; the worker at this address is gone, or just going.
    """
    answers = await client.run(_perform, verb, arguments, workers=[worker])
    return cast(Outcome, answers[worker])


async def _perform(verb: str, arguments: dict[str, Any], dask_worker: Worker) -> Outcome:
    """Runs on the machine's worker."""
    agent = cast(AgentPlugin, dask_worker.plugins[PLUGIN]).agent
    try:
        running = asyncio.get_running_loop().run_in_executor(agent.threads, agent.perform, verb, arguments)
    except RuntimeError:  # the executor's, once it is shut down
        return None, MachineError(f"machine {agent.machine}: its agent is shutting down")
    try:
        return await running, None
    except HybridnetError as error:
        return None, error
