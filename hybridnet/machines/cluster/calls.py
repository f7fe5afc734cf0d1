# SPDX-License-Identifier: MIT
"""One verb on one machine's agent: asked in the event loop of the Dask client, run in a thread of the agent's.

What the verb raises comes back as a value, so an exception of the call itself always means that the connection broke.
"""

from __future__ import annotations

from typing import Any, cast

from hybridnet.machines.workers.lean_dask import Client
from hybridnet.machines.workers.plugin import Outcome, hear, perform


async def ask(client: Client, worker: str, verb: str, arguments: dict[str, Any]) -> Outcome:
    """What the verb returned, or what it raised.

    Raises:
        OSError, TimeoutError, KeyError: distributed's; the worker at this address is gone, or just going.
    """
    answers = await client.run(perform, verb, arguments, workers=[worker])
    return cast(Outcome, answers[worker])


async def show_presence(client: Client, worker: str) -> None:
    """Ask whether the worker at this address is there, which tells its agent that the head is.

    Raises:
        OSError, TimeoutError, KeyError: distributed's; it is not, or just going.
    """
    await client.run(hear, workers=[worker])
