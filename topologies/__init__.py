# SPDX-License-Identifier: MIT
"""Common topologies by name, which `--topo NAME,ARGUMENTS` finds."""

from __future__ import annotations

from hybridnet.topologies.autonomous_systems import AutonomousSystemsTopo
from hybridnet.topologies.dumbbell import DumbbellTopo
from hybridnet.topologies.fat_tree import FatTreeTopo
from hybridnet.topologies.leaf_spine import LeafSpineTopo
from hybridnet.topologies.linear import LinearTopo
from hybridnet.topologies.single import MinimalTopo, SingleSwitchReversedTopo, SingleSwitchTopo
from hybridnet.topologies.torus import TorusTopo
from hybridnet.topologies.tree import TreeTopo
from hybridnet.topologies.two_trees import TwoTrees

__all__ = [
    "TOPOS",
    "AutonomousSystemsTopo",
    "DumbbellTopo",
    "FatTreeTopo",
    "LeafSpineTopo",
    "LinearTopo",
    "MinimalTopo",
    "SingleSwitchReversedTopo",
    "SingleSwitchTopo",
    "TorusTopo",
    "TreeTopo",
    "TwoTrees",
]

TOPOS = {
    "as": AutonomousSystemsTopo,
    "dumbbell": DumbbellTopo,
    "fattree": FatTreeTopo,
    "leafspine": LeafSpineTopo,
    "linear": LinearTopo,
    "minimal": MinimalTopo,
    "reversed": SingleSwitchReversedTopo,
    "single": SingleSwitchTopo,
    "torus": TorusTopo,
    "tree": TreeTopo,
    "twotrees": TwoTrees,
}
