# SPDX-License-Identifier: MIT
"""Independent replications of simulations, on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rich.console import Console
from rich.progress import track

Case = TypeVar("Case")
Result = TypeVar("Result")


def run_all(run: Callable[[Case], Result], cases: Sequence[Case], console: Console) -> list[Result]:
    """``run(case)`` for each case, in this order, as many at once as there are processors, with a progress bar.

    The simulator lets other threads run, so threads are enough.
    """
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        results = threads.map(run, cases)
        return list(track(results, "simulating", total=len(cases), console=console))
