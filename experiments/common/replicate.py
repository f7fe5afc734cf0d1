# SPDX-License-Identifier: MIT
"""Independent replications of simulations, on all processors, with confidence intervals."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import TypeVar

from rich.console import Console
from rich.progress import track

Case = TypeVar("Case")
Result = TypeVar("Result")

# The quantiles of Student's t at 0.975, for 1 to 30 degrees of freedom; beyond, the normal distribution's.
_T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True)
class Estimate:
    """A mean over replications, and half the width of its 95 % confidence interval."""

    mean: float
    half_width: float
    replications: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of independent replications. With one, nothing is known of its spread: the interval is empty.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("estimate a mean: there are no values")
    if len(values) == 1:
        return Estimate(values[0], 0.0, 1)
    t = _T_975[len(values) - 2] if len(values) - 1 <= len(_T_975) else 1.96
    return Estimate(fmean(values), t * stdev(values) / sqrt(len(values)), len(values))


def run_all(run: Callable[[Case], Result], cases: Sequence[Case], console: Console) -> list[Result]:
    """``run(case)`` for each case, in this order, as many at once as there are processors, with a progress bar.

    The simulator lets other threads run, so threads are enough.
    """
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        results = threads.map(run, cases)
        return list(track(results, "simulating", total=len(cases), console=console))
