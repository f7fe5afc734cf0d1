# SPDX-License-Identifier: MIT
"""Placement: who follows whom to which machine."""

from __future__ import annotations

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.plan.support import plan


def test_hosts_follow_their_switch() -> None:
    topo = Topo()
    topo.addSwitch("s1", machine="m2")
    topo.addLink(topo.addHost("h1"), "s1")
    assert plan(topo).machine_of == {"s1": "m2", "h1": "m2"}


def test_nobody_named_means_the_first_machine() -> None:
    assert set(plan(SingleSwitchTopo(k=3)).machine_of.values()) == {"m1"}


def test_each_router_follows_the_nearest_named_neighbour() -> None:
    topo = Topo()
    topo.addSwitch("s1", machine="m1")
    topo.addSwitch("s2", machine="m2")
    for name in ("r1", "r2"):
        topo.addSimRouter(name)
    topo.addLink("s1", "r1")
    topo.addLink("r1", "r2", delay="1ms")
    topo.addLink("r2", "s2")
    placed = plan(topo).machine_of
    assert (placed["r1"], placed["r2"]) == ("m1", "m2")


def test_a_link_that_cannot_be_cut_decides_before_a_nearer_one_that_can() -> None:
    topo = Topo()
    topo.addSwitch("s1", machine="m1")
    topo.addSimRouter("r1")
    topo.addSimRouter("r2")
    topo.addSwitch("s2", machine="m2")
    topo.addLink("s1", "r1", delay="1ms")  # nearer, but can be cut
    topo.addLink("r1", "r2")
    topo.addLink("r2", "s2")
    placed = plan(topo).machine_of
    assert (placed["r1"], placed["r2"]) == ("m2", "m2")


def test_unknown_machine_is_named_with_those_that_exist() -> None:
    topo = Topo()
    topo.addHost("h1", machine="m3")
    with pytest.raises(PlanError, match="node h1: there is no machine 'm3'; the machines are m1, m2"):
        plan(topo)
