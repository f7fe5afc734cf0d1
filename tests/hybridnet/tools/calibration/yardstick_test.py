# SPDX-License-Identifier: MIT
"""The network that is measured has one kind of element between the hosts of each pair."""

from __future__ import annotations

import itertools

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.tools.calibration.yardstick import CHAIN, SIM_BPS, Bridges, SimulatedPair, Yardstick


def between(topo: Topo, first: str, last: str) -> list[str]:
    """The nodes on the only way from one to the other."""
    neighbours: dict[str, list[str]] = {}
    for a, b in topo.links():
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    way, came_from = [first], ""
    while way[-1] != last:
        [following] = [name for name in neighbours[way[-1]] if name != came_from]
        came_from = way[-1]
        way.append(following)
    return way[1:-1]


@pytest.mark.parametrize(
    ("prefix", "nodes"), [("v", 0), ("a", 1), ("p", 0), ("w", CHAIN), ("o", CHAIN), ("r", CHAIN), ("g", 0)]
)
def test_each_pair_has_so_many_nodes_between(prefix: str, nodes: int) -> None:
    assert len(between(Yardstick(machine="m1"), f"{prefix}1", f"{prefix}2")) == nodes


def test_the_chains_differ_by_their_kind_of_node_alone() -> None:
    topo = Yardstick(machine="m1")
    chains = {prefix: between(topo, f"{prefix}1", f"{prefix}2") for prefix in "wor"}
    kinds = [{topo.node_spec(name).kind for name in chain} for chain in chains.values()]
    assert all(len(kind) == 1 for kind in kinds)
    assert len(set.union(*kinds)) == 3


def test_hosts_on_two_machines_are_there_if_there_are_two() -> None:
    assert "u1" not in Yardstick(machine="m1").nodes()
    topo = Yardstick(machine="m1", other="m2")
    assert between(topo, "u1", "u2") == []


@pytest.mark.parametrize("bridges", [1, 5])
def test_bridges_are_a_row_at_whose_first_one_both_hosts_are(bridges: int) -> None:
    topo = Bridges(machine="m1", bridges=bridges)
    row = [f"s{number}" for number in range(1, bridges + 1)]
    assert sorted(topo.links()) == sorted([("a1", "s1"), ("a2", "s1"), *itertools.pairwise(row)])


def test_simulated_hosts_fill_their_link() -> None:
    topo = SimulatedPair(machine="m1")
    [(one, two)] = topo.links()
    assert {one, two} == {"z1", "z2"}
    assert topo.linkInfo("z1", "z2")["bw"] * 1e6 == SIM_BPS
