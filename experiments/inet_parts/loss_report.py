# SPDX-License-Identifier: MIT
"""What inet-loss found: where packets were lost, checks, a table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet.results import Check

__all__ = ["PUBLISHED_PERCENT", "LossRun", "checks_of", "table_of"]

PUBLISHED_PERCENT = {"without immediate mode": 1.6, "with immediate mode": 3.4}
"""Lost in INET 3.0's capture: section IV of the paper, 10 Mbit/s of packets of 100 bytes, which are 12,500/s."""

PUBLISHED_TEXT = "1.6 % and 3.4 % at 12,500/s"
RATE_FRACTION = 0.99


@dataclass(frozen=True)
class LossRun:
    """One portal at one rate.

    Args:
        backend: of the portals.
        rate: packets/s that were asked for.
        sent, seconds: by the sender, and how long that took.
        received, duplicates: different numbers that the receiver saw, and how many came twice.
        kernel_drops: frames that the kernel dropped before the portals read them.
        simulator_drops: segments that the portals and the link dropped, by reason.
        receiver_drops: packets that found the receiver's own socket buffer full.
        verdict: of the instance.
    """

    backend: str
    rate: int
    number: int
    sent: int
    seconds: float
    received: int
    duplicates: int
    kernel_drops: int
    receiver_drops: int
    simulator_drops: dict[str, int] = field(default_factory=dict)
    verdict: str = ""

    @property
    def missing(self) -> int:
        """Numbers that were sent and never seen."""
        return self.sent - self.received

    @property
    def lost_in_capture(self) -> int:
        """What is missing and was dropped neither by the simulator nor at the receiver's socket."""
        return self.missing - sum(self.simulator_drops.values()) - self.receiver_drops

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "missing": self.missing, "lost_in_capture": self.lost_in_capture}


def checks_of(runs: Sequence[LossRun]) -> list[Check]:
    """Nothing is lost in capture, in any run, at the rate that was asked for."""
    checks = []
    for backend, rate in dict.fromkeys((run.backend, run.rate) for run in runs):
        own = [run for run in runs if (run.backend, run.rate) == (backend, rate)]
        what = f"{backend}, {rate:,} packets/s of 100 bytes"
        sent = sum(run.sent for run in own)
        lost = sum(max(run.lost_in_capture, run.kernel_drops) for run in own)
        missing = sum(run.missing for run in own)
        checks.append(
            Check(
                what=f"{what}: lost in capture",
                measured=f"{lost} of {sent:,} ({100 * lost / sent:.4f} %); {missing} missing at the receiver",
                published=PUBLISHED_TEXT,
                bound="0",
                holds=lost == 0,
            )
        )
        reached = median(run.sent / run.seconds for run in own)
        checks.append(
            Check(
                what=f"{what}: rate of the sender",
                measured=f"{reached:,.0f}/s",
                published=None,
                bound=f">= {RATE_FRACTION * rate:,.0f}/s",
                holds=reached >= RATE_FRACTION * rate,
            )
        )
    return checks


def table_of(runs: Sequence[LossRun]) -> Table:
    """One line per run: what was sent, and where the rest went."""
    table = Table(title="100-byte packets, by the sender's numbers", title_justify="left")
    for column in ("portal", "rate", "sent", "received", "capture", "simulator", "receiver", "verdict"):
        table.add_column(
            column,
            justify="left" if column in ("portal", "simulator", "verdict") else "right",
            overflow="fold",
        )
    for run in runs:
        table.add_row(
            run.backend,
            f"{run.sent / run.seconds:,.0f}/s",
            f"{run.sent:,}",
            f"{run.received:,}",
            str(run.lost_in_capture),
            ", ".join(f"{count} {reason}" for reason, count in run.simulator_drops.items()) or "0",
            str(run.receiver_drops),
            run.verdict,
        )
    return table
