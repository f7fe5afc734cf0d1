# SPDX-License-Identifier: MIT
"""The description of a network: it creates nothing."""

from hybridnet.describe.topo.external import External
from hybridnet.describe.topo.loops import find_loop
from hybridnet.describe.topo.sizes import side_names, size
from hybridnet.describe.topo.topo import LinkSpec, NodeSpec, Topo, TopologyError, natural

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
