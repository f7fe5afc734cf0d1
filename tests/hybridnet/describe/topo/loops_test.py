# SPDX-License-Identifier: MIT
"""Loops of switches, which decide on the controller."""

from __future__ import annotations

import pytest

from hybridnet.describe.topo import Topo, find_loop
from hybridnet.topologies import TOPOS


@pytest.mark.parametrize("name", sorted(TOPOS))
def test_of_the_named_topologies_three_have_loops(name: str) -> None:
    loop = find_loop(TOPOS[name]())
    assert bool(loop) == (name in ("fattree", "leafspine", "torus"))


def test_a_loop_is_named_in_its_order() -> None:
    topo = Topo()
    for number in range(1, 6):
        topo.addSwitch(f"s{number}")
    for one, other in [("s1", "s2"), ("s2", "s3"), ("s3", "s4"), ("s4", "s5"), ("s5", "s3")]:
        topo.addLink(one, other)
    loop = find_loop(topo)
    assert sorted(loop) == ["s3", "s4", "s5"]


def test_parallel_links_are_a_loop_and_simulated_switches_count() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSimSwitch("w1")
    topo.addLink("s1", "w1")
    assert find_loop(topo) == []
    topo.addLink("s1", "w1")
    assert sorted(find_loop(topo)) == ["s1", "w1"]


def test_routers_and_hosts_end_a_segment() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSwitch("s2")
    topo.addLink("s1", "s2")
    for node in (topo.addSimRouter("r1"), topo.addHost("h1")):
        topo.addLink(node, "s1")
        topo.addLink(node, "s2")
    assert find_loop(topo) == []
