# SPDX-License-Identifier: MIT
"""What is asked over a Dask client: one verb of one machine's agent, and which workers there are.

A verb is asked in the client's event loop, and runs in a thread of the agent's.
What the verb raises comes back as a value, so an exception of the call itself always means that the connection broke.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from hybridnet.machines.workers.lean_dask import Client
from hybridnet.machines.workers.plugin import Outcome, hear, perform


async def ask(client: Client, worker: str, verb: str, arguments: Mapping[str, object]) -> Outcome:
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


def present_workers(client: Client) -> dict[str, dict[str, object]]:
    """What the scheduler says of each of its workers now, by the worker's address.

    `Client.scheduler_info` is not asked: it answers from a cache, which the client's own refresh replaces every two
    seconds by one without workers, also between the question and its answer.
    """
    scheduler = client.scheduler
    assert scheduler is not None  # there is one as long as the client is
    return cast(dict[str, dict[str, object]], client.sync(scheduler.identity, n_workers=-1)["workers"])
