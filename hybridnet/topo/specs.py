# SPDX-License-Identifier: MIT
"""What a description consists of: nodes and links, as plain data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from hybridnet.topo.direction import Direction
from hybridnet.topo.options import End

__all__ = ["LinkSpec", "NodeSpec", "natural"]


@dataclass(frozen=True)
class NodeSpec:
    """One node of the description."""

    name: str
    kind: str  # emulated: "host", "switch"; simulated: "simhost", "simrouter", "simswitch"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        return self.kind.startswith("sim")

    @property
    def forwards_frames(self) -> bool:
        """It is a switch: all its ports belong to one Ethernet segment."""
        return self.kind in ("switch", "simswitch")


@dataclass(frozen=True)
class LinkSpec:
    """One link of the description, resolved: `a` is the end that `addLink` named first."""

    name: str
    a: End
    b: End
    a_to_b: Direction
    b_to_a: Direction
    key: int
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def shaped(self) -> bool:
        """A direction has options of its own, so only the simulator can be this link."""
        return self.a_to_b.shaped or self.b_to_a.shaped


def natural(text: str) -> list[int | str]:
    """A sort key that orders s2 before s10.

    Example:
        >>> sorted(["s10", "s2", "h1"], key=natural)
        ['h1', 's2', 's10']
    """
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]
