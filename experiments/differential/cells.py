# SPDX-License-Identifier: MIT
"""The cells of differential: one scenario each, what the formulas say about it, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from statistics import mean, stdev
from typing import Any

from hybridnet.experiments.common.formulas import cubic, pftk
from hybridnet.experiments.common.path import NS, PathCase

ALGORITHMS = ("reno", "cubic")
RTTS_S = (0.01, 0.06)
LOSSES = (0.0, 0.001, 0.01, 0.02)
RATE_BPS = 100_000_000
OVERHEAD = 24
"""Preamble, checksum and gap of a frame. Bytes."""
PAYLOAD, FRAME = 1448, 1514 + OVERHEAD
MINIMUM_RTO_S = 0.2
PAYLOAD_BPS = RATE_BPS * PAYLOAD / FRAME
ENDLESS = 1 << 46
"""More than is sent in any time that an experiment takes."""


@dataclass(frozen=True)
class Cell:
    """One scenario.

    Args:
        trains: whether both senders send trains of segments, or single ones.
        loss: of segments on the way there, independent. 0 to 1.
    """

    trains: bool
    algorithm: str
    rtt_s: float
    loss: float

    def __str__(self) -> str:
        mode = "trains" if self.trains else "single"
        return f"{mode} {self.algorithm} {1e3 * self.rtt_s:g} ms {self.loss:.1%}"

    @property
    def queue_packets(self) -> int:
        """One bandwidth-delay product."""
        return round(RATE_BPS * self.rtt_s / 8 / FRAME)

    @property
    def formula_bps(self) -> float:
        """PFTK for Reno, the response function of RFC 9438 for CUBIC; at most what the framing lets through."""
        timeout_s = self.rtt_s + MINIMUM_RTO_S
        if self.loss == 0:
            return PAYLOAD_BPS
        if self.algorithm == "reno":
            return min(PAYLOAD_BPS, 8 * pftk(PAYLOAD, self.rtt_s, self.loss, timeout_s, inf))
        return min(PAYLOAD_BPS, 8 * cubic(PAYLOAD, self.rtt_s, self.loss))

    @property
    def directions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The link of the simulated arm, there and back."""
        back = {
            "rate_bps": RATE_BPS,
            "delay_ns": round(self.rtt_s / 2 * NS),
            "queue_packets": self.queue_packets,
            "overhead_bytes": OVERHEAD,
            "train_limit_ns": 0,
        }
        return back | {"loss": {"model": "independent", "probability": self.loss}}, back

    def case(self, number: int, seconds: float, every_s: float) -> PathCase:
        """The simulated flow of round ``number``."""
        there, back = self.directions
        return PathCase(
            label=str(self),
            seed=number,
            down=there,
            up=back,
            bytes=ENDLESS,
            tcp=tcp_options(self),
            limit_s=seconds,
            sample_every_s=every_s,
            keep_samples=number == 1,
        )


def tcp_options(cell: Cell) -> dict[str, Any]:
    """Linux as far as it is modelled, at both ends. `docs/tcp_validation.md` says which parts are Linux's."""
    return {
        "preset": "linux",
        "congestion": cell.algorithm,
        "longest_train": 44 if cell.trains else 1,
    }


def all_cells(trains: bool) -> list[Cell]:
    return [
        Cell(trains, algorithm, rtt, loss) for algorithm in ALGORITHMS for rtt in RTTS_S for loss in LOSSES
    ]


@dataclass
class Measured:
    """A cell, and what each arm gave in each round, in bits per second.

    Args:
        simulated: one for each draw of the losses.
        real: of the rounds whose verdict was trusted.
        untrusted: of the others.
    """

    cell: Cell
    simulated: list[float]
    real: list[float] = field(default_factory=list)
    untrusted: list[float] = field(default_factory=list)

    @property
    def simulated_bps(self) -> float:
        """The mean."""
        return mean(self.simulated)

    @property
    def real_bps(self) -> float:
        """The mean. Not a number when no round is trusted."""
        return mean(self.real) if self.real else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation of the simulated flows, as a part of their mean. A real flow of this cell has the same if
        the simulation is right, and this one is known before a real flow runs.
        """
        return stdev(self.simulated) / self.simulated_bps if len(self.simulated) > 1 else 0.0

    def rounds_that_tell(self, bound: float) -> int:
        """How many real flows it takes until ``bound`` is three standard errors of their mean.

        Args:
            bound: how far the means may lie apart, as a part of them.

        Example:
            A cell with 9 % of spread and a bound of 10 %: three standard errors of n flows are 27 % / √n, so 8.
        """
        return ceil((3 * self.spread / bound) ** 2)

    @property
    def deviation(self) -> float:
        """How much more the simulated flow had than the real one, as a part of that."""
        return self.simulated_bps / self.real_bps - 1

    @property
    def from_formula(self) -> float:
        """How much more the simulated flow had than the formula says."""
        return self.simulated_bps / self.cell.formula_bps - 1

    def to_json(self) -> dict[str, Any]:
        return {
            "mode": "trains" if self.cell.trains else "single segments",
            "algorithm": self.cell.algorithm,
            "rtt_ms": 1e3 * self.cell.rtt_s,
            "loss": self.cell.loss,
            "queue_packets": self.cell.queue_packets,
            "formula_bps": self.cell.formula_bps,
            "simulated_bps": self.simulated,
            "real_bps": self.real,
            "untrusted_bps": self.untrusted,
            "deviation": self.deviation if self.real else None,
        }


def batches_of(expected: Sequence[tuple[Cell, float]], budget_bps: float, most: int) -> list[list[Cell]]:
    """Cells that run at once, so that together they send no more than the computer can carry.

    Args:
        expected: each cell and its expected throughput; a cell above the budget runs alone.
        budget_bps: what those of a batch may send together.
        most: cells in a batch.

    Example:
        >>> cells = all_cells(False)[:3]
        >>> [len(batch) for batch in batches_of(list(zip(cells, [90.0, 20.0, 70.0])), 100.0, 8)]
        [1, 2]
    """
    batches: list[tuple[float, list[Cell]]] = []
    for cell, bps in sorted(expected, key=lambda pair: -pair[1]):
        for index, (load, cells) in enumerate(batches):
            if load + bps <= budget_bps and len(cells) < most:
                batches[index] = (load + bps, [*cells, cell])
                break
        else:
            batches.append((bps, [cell]))
    return [cells for _, cells in batches]
