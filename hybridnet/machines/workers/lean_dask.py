# SPDX-License-Identifier: MIT
"""Dask, imported without NumPy, of which machines need nothing.

Dask's protocol imports NumPy where there is one, for the memory into which it reads arrays, and reads into plain bytes
where there is none. NumPy is a quarter of what an agent imports: 0.85 s of processor time with it, 0.61 s without
(medians of twelve). Whoever uses it later, a recording or a task of the user's own, imports it then as ever.

Meanwhile NumPy cannot be imported by any thread. So this is done only where there is one: in an agent as it starts. A
head is the user's program, whose threads may want NumPy at that moment.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let a module that is not yet imported be none in the block, where only this thread could miss it."""
    if module in sys.modules or threading.active_count() > 1:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # as documented: its import is an ImportError
    try:
        yield
    finally:
        del sys.modules[module]


with _without("numpy"):
    from dask import config
    from distributed import Client, Scheduler, Security, SpecCluster, Worker, WorkerPlugin

__all__ = ["Client", "Scheduler", "Security", "SpecCluster", "Worker", "WorkerPlugin", "config"]
