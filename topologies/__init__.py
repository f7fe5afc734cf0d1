# SPDX-License-Identifier: MIT
"""Topologies that are asked for often, by name: what `--topo NAME,ARGUMENTS` of the command line finds."""

from __future__ import annotations

from topologies.dumbbell import DumbbellTopo
from topologies.fat_tree import FatTreeTopo
from topologies.linear import LinearTopo
from topologies.single import MinimalTopo, SingleSwitchReversedTopo, SingleSwitchTopo
from topologies.tree import TreeTopo
from topologies.two_trees import TwoTrees

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
