# SPDX-License-Identifier: MIT
"""The agent's process: a Dask worker with one thread that carries the agent of one machine.

Started by `hybridnet.machines.workers.init`, which gives one JSON object on standard input: where the scheduler is, how
this machine is called and reached, the run's certificate and its key (never on a command line, never in a file). It
ends when it is told to, or when its scheduler is gone; in both cases the agent first removes everything that it made.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from hybridnet.agent.machine.agent import Agent
from hybridnet.machines.workers.dask_settings import QuietWorker, turn_down_housekeeping
from hybridnet.machines.workers.lean_dask import Worker
from hybridnet.machines.workers.lines import AgentSettings
from hybridnet.machines.workers.plugin import AgentPlugin
from hybridnet.machines.workers.security import security_of
from hybridnet.system.journal import Journal
from hybridnet.system.parent import die_with_parent
from hybridnet.system.priority import Priority, raise_session, raise_thread


async def _serve(settings: AgentSettings) -> None:
    turn_down_housekeeping(1.5 * settings.get("silence_s", 0.0))  # who is silent is the head's to judge
    directory = Path(settings["state"]) / settings["run"] / settings["machine"]
    agent = Agent(
        settings["machine"],
        Journal(directory, settings["run"]),
        own_network=settings["own_network"],
        outside=settings.get("outside"),
        pmd_cpus=settings.get("pmd_cpus"),
        init=os.getppid(),
    )
    watch: asyncio.Future[None] | None = None
    ending: asyncio.Future[None] | None = None
    try:
        worker = QuietWorker(
            settings["scheduler"],
            nthreads=1,
            name=settings["worker_name"],
            host=settings["address"],
            resources={f"machine:{settings['machine']}": 1},
            security=security_of(settings["security"]),
            plugins=(AgentPlugin(agent),),
            local_directory=str(directory / "dask"),
            memory_limit=0,
            death_timeout=60,
        )
        joining: asyncio.Future[Any] = asyncio.ensure_future(worker.start())
        asked = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asked.set)
        ending = asyncio.ensure_future(_end_if_asked(asked, agent, worker, joining))
        try:
            await joining
        except asyncio.CancelledError:  # its head has gone, and its scheduler with it
            return
        if "silence_s" in settings:
            watch = asyncio.ensure_future(_end_in_silence(worker, agent, settings["silence_s"]))
        await worker.finished()
    finally:
        for task in (watch, ending):
            if task is not None:
                task.cancel()
        await asyncio.to_thread(agent.close)


async def _end_if_asked(
    asked: asyncio.Event, agent: Agent, worker: Worker, joining: asyncio.Future[Any]
) -> None:
    """Close the worker. One that has not joined yet would try for half a minute first, so it just stops trying."""
    await asked.wait()
    agent.interrupt()
    if joining.done():
        await worker.close(reason="asked to")
    else:
        joining.cancel()


async def _end_in_silence(worker: Worker, agent: Agent, seconds: float) -> None:
    """If the scheduler outlives the head, end the worker when nothing has been heard of the head for this long."""
    while (left := agent.last_heard + seconds - time.monotonic()) > 0:
        await asyncio.sleep(left)
    await worker.close(reason="the head is silent")


def main() -> None:
    """Run the agent until its end."""
    die_with_parent()
    raise_thread(Priority.AGENT)
    raise_session(os.getpid(), Priority.AGENT)
    settings = json.load(sys.stdin)
    asyncio.run(_serve(settings))


if __name__ == "__main__":
    main()
