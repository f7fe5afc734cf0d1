# SPDX-License-Identifier: MIT
"""The description of a network: it creates nothing."""

from hybridnet.topo.loops import find_loop
from hybridnet.topo.sizes import side_names, size
from hybridnet.topo.topo import LinkSpec, NodeSpec, Topo, TopologyError, natural

__all__ = ["LinkSpec", "NodeSpec", "Topo", "TopologyError", "find_loop", "natural", "side_names", "size"]
