# SPDX-License-Identifier: MIT
"""The description of a network: it creates nothing."""

from hybridnet.topo.external import External
from hybridnet.topo.loops import find_loop
from hybridnet.topo.sizes import side_names, size
from hybridnet.topo.topo import LinkSpec, NodeSpec, Topo, TopologyError, natural

__all__ = [
    "External",
    "LinkSpec",
    "NodeSpec",
    "Topo",
    "TopologyError",
    "find_loop",
    "natural",
    "side_names",
    "size",
]
