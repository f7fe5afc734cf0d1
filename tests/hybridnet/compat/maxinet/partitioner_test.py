# SPDX-License-Identifier: MIT
"""MaxiNet's partitions: parts, the links between them, and back."""

from __future__ import annotations

import pytest

from hybridnet.compat.maxinet.partitioner import Partitioner
from hybridnet.compat.maxinet.tools import FatTree
from hybridnet.errors import UsageError


def test_a_partition_has_every_node_once_and_gives_the_topology_back() -> None:
    topo = FatTree(4)
    partitioner = Partitioner()
    partitioner.loadtopo(topo)
    parts = partitioner.partition(2)
    nodes = [part.nodes() for part in parts.getTopos()]
    assert sorted(nodes[0] + nodes[1]) == sorted(topo.nodes())
    assert abs(len(nodes[0]) - len(nodes[1])) == 1
    [tunnel] = parts.getTunnels()
    assert tunnel[2]["bw"] == 20
    whole, part_of = parts.whole()
    assert sorted(whole.links(sort=True)) == sorted(topo.links(sort=True))
    assert {name for name, part in part_of.items() if part == 0} == set(nodes[0])
    assert whole.nodeInfo("h1") == topo.nodeInfo("h1")


def test_a_map_places_switches_and_hosts_follow() -> None:
    partitioner = Partitioner()
    partitioner.loadtopo(FatTree(2))
    parts = partitioner.partition_using_map({"s1": 1, "s2": 0, "s3": 1})
    assert [part.nodes() for part in parts.getTopos()] == [["h2", "s2"], ["h1", "s1", "s3"]]
    with pytest.raises(UsageError, match="nodemapping: switch s3 has no worker"):
        partitioner.partition_using_map({"s1": 1, "s2": 0})


def test_shares_say_how_large_the_parts_are() -> None:
    partitioner = Partitioner()
    partitioner.loadtopo(FatTree(32))
    sizes = [len(part.nodes()) for part in partitioner.partition(2, shares=[3, 1]).getTopos()]
    assert 2.5 < sizes[0] / sizes[1] < 3.5
