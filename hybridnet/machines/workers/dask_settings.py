# SPDX-License-Identifier: MIT
"""Dask's servers as a run wants them: their housekeeping turned down, and without web pages.

By default every worker, and the scheduler, samples its stacks 100 times a second and looks at its event loop 50 times a
second: three idle processes take a tenth of a core from the network that they serve. Measured with
128 idle hosts on 2 cores.

The web pages know no password: anybody on the computer could read them.

Dask also looks for the computer's way to the internet, and warns where there is none. Machines need none.
"""

from __future__ import annotations

import warnings
from typing import Any

from hybridnet.machines.workers.doorway import Doorway
from hybridnet.machines.workers.lean_dask import Client, Scheduler, Worker, config
from hybridnet.system.simulated_time import time_is_simulated

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1 s",
    "distributed.admin.tick.cycle": "5 s",
    "distributed.admin.system-monitor.interval": "10 s",
    "distributed.admin.system-monitor.gil.enabled": False,
}


LEAST_PATIENCE_S = 30.0


def turn_down_housekeeping(patience_s: float = LEAST_PATIENCE_S) -> None:
    """Set them for this process, before its scheduler, worker or client is made.

    Args:
        patience_s: how long a connection may be silent before Dask ends it.
    """
    patience = {"distributed.comm.timeouts.tcp": f"{max(patience_s, LEAST_PATIENCE_S):.0f}s"}
    config.set({**SETTINGS, **patience})
    if time_is_simulated():
        from hybridnet.machines.workers.numbered import number_connections

        number_connections()
    warnings.filterwarnings("ignore", "Couldn't detect a suitable IP address", RuntimeWarning)


class QuietClient(Client):
    """A client of a run, which closes it itself.

    Dask's own closes itself when it is collected, and waits for its event loop without a limit. One that ^C has left
    half made is collected when the program ends; its loop has ended by then, and the program never would.
    """

    def __del__(self) -> None:
        """Does nothing."""


class _Guarded:
    """A part of a Dask server, which listens for Dask's own protocol, which asks for the certificate, and for nothing
    else; strangers at the door do not hold it up.
    """

    async def listen(self, *arguments: Any, **options: Any) -> None:
        """Listen, behind a `Doorway`."""
        await super().listen(*arguments, **options)  # type: ignore[misc]
        listener = self.listeners[-1]  # type: ignore[attr-defined]
        if getattr(listener, "tcp_server", None) is not None:
            Doorway(listener)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start none."""


class QuietScheduler(_Guarded, Scheduler):
    """The scheduler of a run."""


class QuietWorker(_Guarded, Worker):
    """The worker that carries an agent."""
