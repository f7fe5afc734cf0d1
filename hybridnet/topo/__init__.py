# SPDX-License-Identifier: MIT
"""The description of a network: it creates nothing."""

from hybridnet.topo.topo import LinkSpec, NodeSpec, Topo, TopologyError, natural

__all__ = ["LinkSpec", "NodeSpec", "Topo", "TopologyError", "natural"]
