# SPDX-License-Identifier: MIT
"""One case of Ryu's switch tester: what the target is told, and packets with what shall become of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hybridnet.experiments.openflow_conformance.messages import (
    Json,
)

__all__ = ["Case", "leaves", "misses"]

Packet = list[str]
Exchange = dict[str, Any]
MOST_NAME = 90  # characters: the tester prints 100 and then the result


@dataclass(frozen=True)
class Case:
    """A case.

    Args:
        category: the table that it is counted in.
        name: unique within a category.
        prerequisite: messages that the target gets, each of which it must take and show again.
        exchanges: packets, one after the other, with what must become of them.
        version: of OpenFlow: "1.0" or "1.3".
    """

    category: str
    name: str
    prerequisite: Sequence[Json]
    exchanges: Sequence[Exchange] = field(default_factory=list)
    version: str = "1.3"

    def __post_init__(self) -> None:
        assert len(self.title) <= MOST_NAME, self.title

    @property
    def title(self) -> str:
        """Its name in the tester's output."""
        return f"{self.category}: {self.name}"

    def to_json(self) -> Json:
        """As the tester reads it."""
        return {
            "description": self.title,
            "prerequisite": list(self.prerequisite),
            "tests": list(self.exchanges),
        }


def leaves(sent: Packet, as_what: Packet | None = None) -> Exchange:
    """A packet that must leave by the first port, as another one or as it is."""
    return {"ingress": sent, "egress": sent if as_what is None else as_what}


def misses(sent: Packet, as_what: Packet | None = None) -> Exchange:
    """A packet that must come to the controller instead."""
    return {"ingress": sent, "PACKET_IN": sent if as_what is None else as_what}
