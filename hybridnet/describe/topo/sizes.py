# SPDX-License-Identifier: MIT
"""Parameters of ready-made topologies: how many, and where."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo.graph import MOST_EMULATED
from hybridnet.describe.values import shown, text, whole
from hybridnet.errors import TopologyError

__all__ = ["side_names", "size"]


def size(value: Any, what: str, most: int = MOST_EMULATED) -> int:
    """A number of nodes, ports or levels, 1 to `most`. Raises TopologyError."""
    return whole(value, what, 1, most, error=TopologyError)


def side_names(value: Any, what: str) -> tuple[str, str]:
    """The machines of two sides. Raises TopologyError."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TopologyError(f"{what} {shown(value)} is not a pair of machines; write ('m1', 'm2')")
    return text(value[0], what, error=TopologyError), text(value[1], what, error=TopologyError)
