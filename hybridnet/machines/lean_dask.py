# SPDX-License-Identifier: MIT
"""Dask, imported without NumPy, of which machines and their head need nothing.

Dask's protocol imports NumPy where there is one, for the memory into which it reads arrays, and reads into plain bytes
where there is none. NumPy is a quarter of what an agent imports: 0.85 s of processor time with it, 0.61 s without
(medians of twelve). Whoever uses it later, a recording or a task of the user's own, imports it then as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let a module that is not yet imported be none in the block."""
    if module in sys.modules:
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
