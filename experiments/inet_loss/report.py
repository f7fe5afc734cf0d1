# SPDX-License-Identifier: MIT
"""What inet-loss found: where packets were lost, checks, a table. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet.observe.results import Check

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
        rate: frames/s that were asked for.
        sent, sent_pps: by the sender: how many left, and how fast.
        captured: by the first portal, which captures nothing else.
        lost_in_capture: sent and not captured, by where: in the kernel's buffer of the portal, at the interface, or
            ``unknown``.
        simulator_drops: frames that the portals and the link dropped, by reason.
        received: different numbers that the receiver saw.
        receiver_drops: frames that the kernel dropped before the receiver read them.
        unbalanced: the equations between the counters on the way that do not hold, as text.
        verdict: of the instance.
    """

    backend: str
    rate: int
    number: int
    sent: int
    sent_pps: float
    captured: int
    received: int
    lost_in_capture: dict[str, int] = field(default_factory=dict)
    simulator_drops: dict[str, int] = field(default_factory=dict)
    receiver_drops: int = 0
    unbalanced: tuple[str, ...] = ()
    verdict: str = ""

    @property
    def lost(self) -> int:
        """Sent and not captured."""
        return self.sent - self.captured

    @property
    def missing(self) -> int:
        """Numbers that were sent and never seen."""
        return self.sent - self.received

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "lost": self.lost, "missing": self.missing}


def checks_of(runs: Sequence[LossRun]) -> list[Check]:
    """Nothing is lost in capture, in any run, at the rate that was asked for, and every frame is accounted for."""
    checks = []
    for backend, rate in dict.fromkeys((run.backend, run.rate) for run in runs):
        own = [run for run in runs if (run.backend, run.rate) == (backend, rate)]
        what = f"{backend}, {rate:,} packets/s of 100 bytes"
        sent = sum(run.sent for run in own)
        lost = sum(run.lost for run in own)
        where = _sum_of(run.lost_in_capture for run in own)
        missing = sum(run.missing for run in own)
        checks.append(
            Check(
                what=f"{what}: lost in capture",
                measured=f"{lost} of {sent:,} ({100 * lost / sent:.4f} %){_listed(where)}; "
                f"{missing} missing at the receiver",
                published=PUBLISHED_TEXT,
                bound="0",
                holds=lost == 0,
            )
        )
        unbalanced = [text for run in own for text in run.unbalanced]
        checks.append(
            Check(
                what=f"{what}: the counters on the way account for every frame",
                measured="; ".join(unbalanced) or "they do",
                published=None,
                bound="sent = captured + lost, ... = received + lost",
                holds=not unbalanced,
            )
        )
        reached = median(run.sent_pps for run in own)
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
    table = Table(title="100-byte frames, by the sender's numbers", title_justify="left")
    for column in ("portal", "rate", "sent", "received", "capture", "simulator", "receiver", "verdict"):
        table.add_column(
            column,
            justify="left" if column in ("portal", "simulator", "verdict") else "right",
            overflow="fold",
        )
    for run in runs:
        table.add_row(
            run.backend,
            f"{run.sent_pps:,.0f}/s",
            f"{run.sent:,}",
            f"{run.received:,}",
            f"{run.lost}{_listed(run.lost_in_capture)}",
            ", ".join(f"{count} {reason}" for reason, count in run.simulator_drops.items()) or "0",
            str(run.receiver_drops),
            run.verdict,
        )
    return table


def _sum_of(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    return dict(sum((Counter(each) for each in counts), Counter()))


def _listed(counts: dict[str, int]) -> str:
    return f" ({', '.join(f'{count} {name}' for name, count in counts.items())})" if counts else ""
