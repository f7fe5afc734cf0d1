# SPDX-License-Identifier: MIT
"""Common topologies by name, which `--topo NAME,ARGUMENTS` finds."""

from __future__ import annotations

from hybridnet.topologies.dumbbell import DumbbellTopo
from hybridnet.topologies.fat_tree import FatTreeTopo
from hybridnet.topologies.linear import LinearTopo
from hybridnet.topologies.single import MinimalTopo, SingleSwitchReversedTopo, SingleSwitchTopo
from hybridnet.topologies.tree import TreeTopo
from hybridnet.topologies.two_trees import TwoTrees

__all__ = [
    "TOPOS",
    "DumbbellTopo",
    "FatTreeTopo",
    "LinearTopo",
    "MinimalTopo",
    "SingleSwitchReversedTopo",
    "SingleSwitchTopo",
    "TreeTopo",
    "TwoTrees",
]

TOPOS = {
    "dumbbell": DumbbellTopo,
    "fattree": FatTreeTopo,
    "linear": LinearTopo,
    "minimal": MinimalTopo,
    "reversed": SingleSwitchReversedTopo,
    "single": SingleSwitchTopo,
    "tree": TreeTopo,
    "twotrees": TwoTrees,
}
