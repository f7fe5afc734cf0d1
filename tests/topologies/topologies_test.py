# SPDX-License-Identifier: MIT
"""The named topologies have the sizes, names and order that their descriptions say."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import TopologyError
from hybridnet.topologies import (
    TOPOS,
    DumbbellTopo,
    FatTreeTopo,
    LeafSpineTopo,
    LinearTopo,
    SingleSwitchReversedTopo,
    SingleSwitchTopo,
    TorusTopo,
    TreeTopo,
    TwoTrees,
)


@pytest.mark.parametrize("name", sorted(TOPOS))
def test_every_named_topology_builds_with_its_defaults(name: str) -> None:
    topo = TOPOS[name]()
    assert topo.hosts()
    assert topo.links()


@pytest.mark.parametrize(("depth", "fanout"), [(1, 2), (3, 2), (6, 2), (2, 8)])
def test_tree_has_fanout_to_the_depth_hosts(depth: int, fanout: int) -> None:
    topo = TreeTopo(depth=depth, fanout=fanout)
    assert len(topo.hosts()) == fanout**depth
    assert len(topo.switches()) == (fanout**depth - 1) // (fanout - 1)
    assert len(topo.links()) == len(topo.nodes()) - 1


def test_tree_is_numbered_depth_first_as_in_mininet() -> None:
    topo = TreeTopo(depth=2)
    assert topo.links() == [
        ("s2", "h1"),
        ("s2", "h2"),
        ("s1", "s2"),
        ("s3", "h3"),
        ("s3", "h4"),
        ("s1", "s3"),
    ]


def test_linear_names_hosts_as_mininet_does() -> None:
    assert LinearTopo(k=2).hosts() == ["h1", "h2"]
    assert LinearTopo(k=2, n=2).hosts() == ["h1s1", "h1s2", "h2s1", "h2s2"]


def test_reversed_single_switch_counts_ports_down() -> None:
    topo = SingleSwitchReversedTopo(k=3)
    assert [topo.port("s1", host)[0] for host in topo.hosts()] == [3, 2, 1]


def test_dumbbell_has_one_bottleneck() -> None:
    topo = DumbbellTopo(n=3, bw=5, delay="10ms")
    shaped = [link for link in topo.link_specs() if link.shaped]
    assert [link.name for link in shaped] == ["s1-s2"]
    assert len(topo.hosts()) == 6


def test_fat_tree_of_four_ports_has_sixteen_hosts_and_twenty_switches() -> None:
    topo = FatTreeTopo(k=4)
    assert (len(topo.hosts()), len(topo.switches()), len(topo.links())) == (16, 20, 48)
    degree = {switch: sum(switch in link for link in topo.links()) for switch in topo.switches()}
    assert set(degree.values()) == {4}


def test_odd_fat_tree_is_refused() -> None:
    with pytest.raises(TopologyError, match="k=3"):
        FatTreeTopo(k=3)


def test_torus_gives_every_switch_four_neighbours_and_a_dpid_of_its_own() -> None:
    topo = TorusTopo(x=4, y=3, n=2)
    assert (len(topo.switches()), len(topo.hosts()), len(topo.links())) == (12, 24, 24 + 2 * 12)
    switches = set(topo.switches())
    for switch in switches:
        ends = [end for link in topo.links() if switch in link for end in link if end != switch]
        assert len(switches.intersection(ends)) == 4
    assert sorted(int(topo.nodeInfo(switch)["dpid"], 16) for switch in switches) == list(range(1, 13))
    assert TorusTopo(3, 3).hosts()[:2] == ["h1x1", "h1x2"]


@pytest.mark.parametrize("sizes", [(2, 3), (3, 2)])
def test_torus_with_two_switches_in_a_ring_is_refused(sizes: tuple[int, int]) -> None:
    with pytest.raises(TopologyError, match=r"[xy]=2 is below 3"):
        TorusTopo(*sizes)


def test_leaf_spine_joins_every_leaf_to_every_spine() -> None:
    topo = LeafSpineTopo(spines=2, leaves=4, hosts=3, bw=100)
    assert (len(topo.switches()), len(topo.hosts()), len(topo.links())) == (6, 12, 8 + 12)
    assert {(f"s{leaf}", f"s{spine}") for leaf in (3, 4, 5, 6) for spine in (1, 2)} <= set(topo.links())
    assert topo.spec("h12", "s6").a_to_b.rate_bps == 10**8


def test_two_trees_bridged_join_the_roots() -> None:
    topo = TwoTrees(depth=6, bw=1000, delay="2ms")
    assert topo.roots == ("s1", "s64")
    assert topo.spec("s1", "s64").a_to_b.delay_ns == 2 * 10**6
    assert topo.pairs[0] == ("h1", "h65")
    assert topo.pairs[-1] == ("h64", "h128")


def test_two_trees_routed_put_a_router_on_each_machine() -> None:
    topo = TwoTrees(depth=2, join="routed", machines=("a", "b"))
    assert topo.simulated() == ["r1", "r2"]
    assert topo.nodeInfo("r2")["machine"] == "b"
    assert not topo.spec("s1", "r1").shaped


def test_unknown_join_is_refused() -> None:
    with pytest.raises(TopologyError, match="join 'glued'"):
        TwoTrees(join="glued")


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (TreeTopo, {"depth": 99}),
        (TreeTopo, {"depth": 3, "fanout": 10**9}),
        (TreeTopo, {"depth": 501, "fanout": 1}),
        (TwoTrees, {"depth": 400, "fanout": 1000}),
        (FatTreeTopo, {"k": 10**4}),
        (TorusTopo, {"x": 200, "y": 200}),
        (LeafSpineTopo, {"spines": 10**9}),
        (LinearTopo, {"k": 10**5, "n": 10**5}),
        (SingleSwitchTopo, {"k": 65280}),
        (SingleSwitchReversedTopo, {"k": 10**12}),
        (DumbbellTopo, {"n": 16_384}),
    ],
)
def test_what_nothing_can_hold_is_refused_within_a_second(
    make: type[Topo], arguments: dict[str, int]
) -> None:
    before = time.monotonic()
    with pytest.raises(TopologyError, match=r"which nothing can hold|not a whole number from 1 to"):
        make(**arguments)
    assert time.monotonic() - before < 1


@pytest.mark.parametrize("name", sorted(set(TOPOS) - {"minimal"}))
@pytest.mark.parametrize("value", ["x", 0, -1, 2.0, None, True, [2]])
def test_a_size_that_is_no_number_names_the_parameter(name: str, value: Any) -> None:
    with pytest.raises(TopologyError, match=r": (k|n|x|spines|depth) .* is not a whole number from 1 to"):
        TOPOS[name](value)
