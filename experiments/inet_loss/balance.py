# SPDX-License-Identifier: MIT
"""The equations that the counters on the way of numbered frames must satisfy. Pure.

::

    sender ─ interface ─ portal captures ─ link ─ [ peering sends ─ receives ] ─ portal writes ─ interface ─ receiver

What each element took in is what it gave out, dropped by reason, or still holds; and it took in what the one in
front of it gave out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet.experiments.common.numbered import Passage

__all__ = ["Equation", "equations_of"]

Counters = Mapping[str, Mapping[str, Mapping[str, Any]]]


@dataclass(frozen=True)
class Equation:
    """Two counts of the same frames."""

    what: str
    left: int
    right: int

    @property
    def holds(self) -> bool:
        """Whether they are equal."""
        return self.left == self.right

    def __str__(self) -> str:
        return f"{self.what}: {self.left:,} {'=' if self.holds else '!='} {self.right:,}"


def equations_of(passage: Passage, machines: Sequence[str]) -> list[Equation]:
    """The equations of a passage from the first of ``machines`` to the last, one or two of them."""
    first, last = passage.counters[machines[0]], passage.counters[machines[-1]]
    here, there = first["portals"]["p1"], last["portals"]["p2"]
    link = first["links"]["from p1"]
    named = sum(count for where, count in passage.lost_in_capture.items() if where != "unknown")
    equations = [
        Equation(
            "sent = captured + what the kernel says it dropped",
            passage.sent,
            here["captured_segments"] + named,
        ),
        Equation(
            "captured = link accepted + dropped by the portal",
            here["captured_segments"],
            link["accepted_packets"] + here["captured_dropped"],
        ),
        Equation(
            "link accepted = delivered + dropped + in flight",
            link["accepted_packets"],
            link["delivered_packets"] + _dropped(link) + link["in_flight"],
        ),
    ]
    given = link["delivered_packets"]
    if len(machines) > 1:
        sending, receiving = first["peers"][machines[1]], last["peers"][machines[0]]
        equations += [
            Equation("link delivered = peering accepted", given, sending["accepted_packets"]),
            Equation(
                "peering accepted = sent + dropped + queued",
                sending["accepted_packets"],
                sending["sent_packets"] + sending["sent_dropped"] + sending["queued_packets"],
            ),
            Equation(
                "peering sent = received + pending + lost on the way",
                sending["sent_packets"],
                receiving["received_packets"] + receiving["pending_packets"] + receiving["lost_packets"],
            ),
        ]
        given = receiving["received_packets"] - receiving["received_dropped"] - receiving["in_flight"]
    return [
        *equations,
        Equation("given to the second portal = accepted by it", given, there["accepted_segments"]),
        Equation(
            "second portal accepted = written + dropped + in flight",
            there["accepted_segments"],
            there["written_segments"] + there["written_dropped"] + there["in_flight"],
        ),
        Equation(
            "written = received + lost behind the portal",
            there["written_segments"],
            passage.received + passage.receiver["capture_drops"] + passage.device_drops.get("h2-eth0", 0),
        ),
    ]


def _dropped(row: Mapping[str, Any]) -> int:
    return sum(row["dropped"].values())
