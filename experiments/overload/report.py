# SPDX-License-Identifier: MIT
"""What overload found: loads, where frames went, checks, a table. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from hybridnet.experiments.overload.load import Load
from hybridnet.observe.results import Check, Word

__all__ = ["Outcome", "checks_of", "drops_of", "peak_of", "table_of"]


KEPT = 0.8
OFFERED = 1.9  # of the peak, at least: twice is asked for
MEMORY_MORE_BYTES = 128 << 20
"""What both egress backlogs and the capture's batches hold at most, of full-sized frames: 2 * 16,384 * 2 KB and 4 MB;
and as much again for the allocator's and the interpreter's own."""


@dataclass(frozen=True)
class Outcome:
    """A whole run.

    Args:
        ramp: loads before, in the order of their rates.
        overload: the load of twice the ramp's peak.
        wire: what ``hybridnet wire --json`` printed at the end, about all of them.
        exit_code: of it.
        memory_before, memory_most: resident bytes of its instance at its start, and at most.
        throttled_s: how long the quota held it back during the overload.
    """

    ramp: Sequence[Load]
    overload: Load
    wire: Mapping[str, Any]
    exit_code: int
    memory_before: int
    memory_most: int
    throttled_s: float

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "ramp": [load.to_json() for load in self.ramp],
            "overload": self.overload.to_json(),
            "wire": dict(self.wire),
        }


def peak_of(ramp: Sequence[Load]) -> float:
    """The highest goodput, in frames/s."""
    return max((load.received_pps for load in ramp), default=0.0)


def drops_of(wire: Mapping[str, Any]) -> dict[str, int]:
    """What a wire dropped from a to b, by reason: the link and both portals; ``capture`` is what the kernel dropped."""
    drops = Counter(wire["directions"]["a_to_b"]["dropped"])
    for counts in wire["portal_drops"].values():
        drops.update(counts)
    return dict(drops)


def checks_of(outcome: Outcome) -> list[Check]:
    """Overload is graceful, and reported."""
    peak, load = peak_of(outcome.ramp), outcome.overload
    loads = (*outcome.ramp, load)
    missing = sum(each.sent - each.received for each in loads)
    drops = Counter(drops_of(outcome.wire)) + Counter(receiver=sum(each.receiver_drops for each in loads))
    named = ", ".join(f"{count:,} {reason}" for reason, count in drops.items() if count)
    verdict = outcome.wire["verdict"]
    grown = outcome.memory_most - outcome.memory_before
    return [
        Check(
            what="offered, in frames that left the sender",
            measured=f"{load.sent_pps:,.0f}/s, {load.sent_pps / peak:.2f} times the peak",
            published=None,
            bound=f">= {OFFERED:g} times the peak goodput of {peak:,.0f}/s",
            holds=load.sent_pps >= OFFERED * peak,
        ),
        Check(
            what="goodput under overload",
            measured=f"{load.received_pps:,.0f}/s, {100 * load.received_pps / peak:.0f} % of the peak",
            published=None,
            bound=f">= {100 * KEPT:g} % of the peak",
            holds=load.received_pps >= KEPT * peak,
        ),
        Check(
            what="memory of the instance",
            measured=f"{grown / 2**20:,.0f} MB more than the {outcome.memory_before / 2**20:,.0f} MB at its start",
            published=None,
            bound=f"<= {MEMORY_MORE_BYTES >> 20} MB more",
            holds=grown <= MEMORY_MORE_BYTES,
        ),
        Check(
            what="frames that are missing were dropped, by reason",
            measured=f"{missing:,} of {sum(each.sent for each in loads):,} missing; {named or 'none dropped'}",
            published=None,
            bound="missing = dropped, and some are",
            holds=missing == drops.total() > 0,
        ),
        Check(
            what="the verdict says so",
            measured=f"{verdict['word']}: {'; '.join(verdict['reasons'])}",
            published=None,
            bound="broken, for frames dropped before a portal read them or for lateness",
            holds=verdict["word"] == Word.BROKEN
            and any("before a portal read them" in text or " late " in text for text in verdict["reasons"]),
        ),
        Check(
            what="exit code of hybridnet wire",
            measured=str(outcome.exit_code),
            published=None,
            bound="4",
            holds=outcome.exit_code == 4,
        ),
    ]


def table_of(outcome: Outcome) -> Table:
    """One line per load."""
    table = Table(title="frames through a wire within its quota", title_justify="left")
    for column in ("asked", "sent", "goodput", "missing"):
        table.add_column(column, justify="right")
    for load in (*outcome.ramp, outcome.overload):
        table.add_row(
            f"{load.asked_pps:,}/s",
            f"{load.sent_pps:,.0f}/s",
            f"{load.received_pps:,.0f}/s",
            f"{100 * (load.sent - load.received) / max(1, load.sent):.1f} %",
        )
    return table
