# SPDX-License-Identifier: MIT
"""Trees without loops, all shortest paths, and groups that choose differently at each switch."""

from __future__ import annotations

from collections import Counter

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.ryu_apps.ecmp_paths import Onward, Port, find_paths, next_ports, spanning_tree, spread
from hybridnet.topologies import FatTreeTopo, LeafSpineTopo, TorusTopo, TreeTopo


def segments_of(topo: Topo) -> list[frozenset[Port]]:
    """The links between switches, as the app finds them; of names like s3 the number is the datapath id."""
    numbers = {name: index for index, name in enumerate(topo.switches(), 1)}
    return [
        frozenset({(numbers[link.a.node], link.a.port), (numbers[link.b.node], link.b.port)})
        for link in topo.link_specs()
        if link.a.node in numbers and link.b.node in numbers
    ]


def joined_without_loop(segments: list[frozenset[Port]]) -> tuple[int, int]:
    """The numbers of switches and of segments that a tree joins; it has no loop if the first is one more."""
    tree = spanning_tree(segments)
    used = [segment & tree for segment in segments]
    assert all(len(ports) != 1 for ports in used), "a segment with one port in the tree leads nowhere"
    return len({switch for switch, _ in tree}), sum(max(len(ports) - 1, 0) for ports in used)


@pytest.mark.parametrize(
    ("topo", "switches"),
    [(FatTreeTopo(4), 20), (TorusTopo(3, 4), 12), (LeafSpineTopo(3, 5), 8), (TreeTopo(3), 7)],
)
def test_the_tree_joins_every_switch_and_has_no_loop(topo: Topo, switches: int) -> None:
    assert joined_without_loop(segments_of(topo)) == (switches, switches - 1)


def test_parts_that_nothing_joins_have_a_tree_each() -> None:
    parts = [frozenset({(1, 1), (2, 1)}), frozenset({(3, 1), (4, 1)}), frozenset({(1, 2), (2, 2)})]
    assert spanning_tree(parts) == {(1, 1), (2, 1), (3, 1), (4, 1)}


def test_between_pods_of_a_fat_tree_all_uplinks_are_used() -> None:
    paths = find_paths(segments_of(FatTreeTopo(4)))
    onward = next_ports(paths.beyond, 20)  # s20: an edge switch of the fourth pod; s7: one of the first
    assert len(onward) == 19
    assert len(onward[7].ports) == 2, "both aggregation switches of its pod"
    assert [len(onward[aggregation].ports) for aggregation in (5, 6)] == [2, 2], "two core switches each"
    assert [len(onward[core].ports) for core in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_parallel_links_are_both_used() -> None:
    paths = find_paths([frozenset({(1, 1), (2, 1)}), frozenset({(1, 2), (2, 2)})])
    assert next_ports(paths.beyond, 2) == {1: ((1, 2), 1)}
    assert paths.tree == {(1, 1), (2, 1)}


def test_with_a_bridge_between_three_switches_everything_follows_the_tree() -> None:
    shared = frozenset({(1, 1), (2, 1), (3, 1)})
    paths = find_paths([shared, frozenset({(1, 2), (2, 2)})])
    assert paths.tree == {(1, 1), (2, 1), (3, 1)}
    assert next_ports(paths.beyond, 2) == {1: ((1,), 1), 3: ((1,), 1)}


def test_two_ports_of_a_switch_at_one_bridge_make_no_loop() -> None:
    assert spanning_tree([frozenset({(1, 1), (1, 2), (2, 1)})]) == {(1, 1), (2, 1)}


def test_an_unreachable_switch_has_no_way() -> None:
    assert next_ports(find_paths([frozenset({(1, 1), (2, 1)})]).beyond, 7) == {}


@pytest.mark.parametrize(("ways", "buckets"), [(2, 16), (4, 16), (16, 16), (32, 32), (64, 64)])
def test_ports_that_are_a_power_of_two_get_equal_shares(ways: int, buckets: int) -> None:
    shares = Counter(spread(Onward(tuple(range(1, ways + 1)), 1)))
    assert shares == dict.fromkeys(range(1, ways + 1), buckets // ways)


@pytest.mark.parametrize("ways", [3, 5, 30])
def test_other_numbers_of_ports_get_shares_within_one_of_64(ways: int) -> None:
    shares = Counter(spread(Onward(tuple(range(1, ways + 1)), 1)))
    assert sum(shares.values()) == 64
    assert max(shares.values()) - min(shares.values()) <= 1


@pytest.mark.parametrize(("k", "paths"), [(4, 4), (8, 16)])
def test_hashes_are_dealt_out_evenly_over_all_paths_of_a_fat_tree(k: int, paths: int) -> None:
    """Every switch sees the same hash of a flow, and takes the bucket with its number."""
    topo = FatTreeTopo(k)
    beyond = find_paths(segments_of(topo)).beyond
    target = len(topo.switches())
    source = (k // 2) ** 2 + k // 2 + 1  # the first edge switch of the first pod
    onward = next_ports(beyond, target)
    used: Counter[tuple[int, ...]] = Counter()
    for hashed in range(16):
        path, at = [], source
        while at != target:
            port = spread(onward[at])[hashed] if len(onward[at].ports) > 1 else onward[at].ports[0]
            [at] = beyond[at][port]
            path.append(at)
        used[tuple(path)] += 1
    assert set(used.values()) == {16 // paths}
    assert len(used) == paths
