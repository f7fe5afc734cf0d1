# SPDX-License-Identifier: MIT
"""Machines, and the agents on them.

`Cluster` and `Here` are loaded when they are first used, and Dask when a cluster is made: it takes half a second to
import, and a network on this computer alone (`Here`) has no need of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridnet.machines.cluster.machines import Loss, Machines

if TYPE_CHECKING:
    from hybridnet.machines.cluster.cluster import Cluster
    from hybridnet.machines.cluster.here import Here

__all__ = ["Cluster", "Here", "Loss", "Machines"]


def __getattr__(name: str) -> Any:
    if name == "Cluster":
        from hybridnet.machines.cluster.cluster import Cluster

        return Cluster
    if name == "Here":
        from hybridnet.machines.cluster.here import Here

        return Here
    raise AttributeError(f"module 'hybridnet.machines.cluster' has no attribute {name!r}")
