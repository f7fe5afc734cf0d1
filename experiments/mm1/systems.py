# SPDX-License-Identifier: MIT
"""The queueing systems of the experiment: how each is simulated, and what theory says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from hybridnet._simcore import KendallRun, confidence_interval, replicate_kendall
from hybridnet.experiments.mm1 import theory

ARRIVALS = 1 / 3
SERVICE = 1 / 2
"""Jobs per second, as in section 2.2 of Idserda 2004."""

INTERVAL_NS = 3_000_000_000
SERVICE_NS = 2_000_000_000

CAPACITY = 5
"""Of the M/M/1/K system: jobs in the system, the one in service included."""


@dataclass(frozen=True)
class System:
    """One queueing system in Kendall's notation.

    Args:
        name: as in ``M/M/1``.
        service: ``exponential`` or ``deterministic``.
        servers: how many.
        capacity: jobs in the system, or None for no limit.
        response_s: the theoretical mean time in the system.
        lost: the theoretical part of jobs that are lost.
    """

    name: str
    service: str
    servers: int
    capacity: int | None
    response_s: float
    lost: float = 0.0

    def replicate(
        self, jobs: int, replications: int, first_seed: int, threads: int, record: bool = False
    ) -> list[KendallRun]:
        """Run it ``replications`` times, with seeds from ``first_seed`` on. ``record``: every response is kept."""
        return replicate_kendall(
            arrivals=("exponential", INTERVAL_NS),
            service=(self.service, SERVICE_NS),
            servers=self.servers,
            capacity=self.capacity,
            jobs=jobs,
            replications=replications,
            first_seed=first_seed,
            threads=threads,
            record=record,
        )


SYSTEMS = (
    System("M/M/1", "exponential", 1, None, theory.mm1_response_s(ARRIVALS, SERVICE)),
    System("M/M/2", "exponential", 2, None, theory.mmm_response_s(ARRIVALS, SERVICE, 2)),
    System("M/D/1", "deterministic", 1, None, theory.md1_response_s(ARRIVALS, SERVICE)),
    System(
        f"M/M/1/{CAPACITY}",
        "exponential",
        1,
        CAPACITY,
        theory.mm1k_response_s(ARRIVALS, SERVICE, CAPACITY),
        theory.mm1k_shares(ARRIVALS, SERVICE, CAPACITY)[-1],
    ),
)


@dataclass(frozen=True)
class Estimate:
    """What replications say: their mean, and the interval that holds the true mean with a given probability."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float], level: float) -> Estimate:
        """From one value per replication, at least two."""
        low, high = confidence_interval(list(values), level)
        return cls(fmean(values), low, high)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.mean:.4f} [{self.low:.4f}, {self.high:.4f}]"
