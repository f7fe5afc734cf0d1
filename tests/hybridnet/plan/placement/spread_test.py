# SPDX-License-Identifier: MIT
"""Spreading a description over machines: what stays together, what is cut, and what that costs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.placement.spread import Spread, spread
from hybridnet.topologies import LinearTopo, SingleSwitchTopo, TreeTopo
from tests.hybridnet.plan.support import MACHINES, plan

TWO = ["m1", "m2"]


def row(*links: dict[str, Any]) -> Topo:
    """s1 - s2 - ..., a host at each switch, and the options of the links between them."""
    topo = Topo()
    for number in range(1, len(links) + 2):
        topo.addLink(topo.addHost(f"h{number}"), topo.addSwitch(f"s{number}"))
    for number, options in enumerate(links, 1):
        topo.addLink(f"s{number}", f"s{number + 1}", **options)
    return topo


def sizes(laid: Spread) -> list[int]:
    counted = Counter(laid.machine_of.values())
    return [counted[machine] for machine in laid.machines]


def test_a_row_is_cut_in_the_middle_and_its_first_half_is_on_the_first_machine() -> None:
    laid = spread(LinearTopo(k=6), TWO)
    assert sizes(laid) == [6, 6]
    assert len(laid.cut) == 1
    assert {laid.machine_of[name] for name in ("h1", "s1", "s2", "s3")} == {"m1"}


def test_hosts_stay_with_their_switch() -> None:
    laid = spread(TreeTopo(depth=3, fanout=3), TWO)
    for link in laid.topo.link_specs():
        if "h" in link.name:
            assert laid.machine_of[link.a.node] == laid.machine_of[link.b.node]


def test_one_switch_with_its_hosts_stays_on_one_machine() -> None:
    laid = spread(SingleSwitchTopo(k=4), TWO)
    assert (sizes(laid), laid.cut) == ([5, 0], ())
    assert str(laid) == "5 nodes: 5 on m1, 0 on m2; 0 cut links"


def test_the_slowest_link_is_cut_even_a_little_off_the_middle() -> None:
    fast = {"bw": 1000, "delay": "1ms"}
    slow = {"bw": 10, "delay": "1ms"}
    links = [fast] * 20
    laid = spread(row(*links[:9], slow, *links[10:]), TWO)
    assert laid.cut == ("s10-s11",)


def test_a_link_whose_delay_hides_the_transit_is_cut_before_one_that_must_be_slowed() -> None:
    short = {"bw": 100, "delay": "0.1ms"}
    links = [short] * 20
    laid = spread(row(*links[:9], {"bw": 100, "delay": "0.2ms"}, *links[10:]), TWO)
    assert (laid.cut, laid.slowed) == (("s10-s11",), ())


def test_a_cut_link_gets_what_its_delay_lacks_and_no_other_link_changes() -> None:
    topo = row({"delay": "0.05ms", "bw": 10, "params2": {"delay": "1ms"}})
    laid = spread(topo, TWO)
    link = laid.topo.spec("s1", "s2")
    assert (link.a_to_b.delay_ns, link.b_to_a.delay_ns) == (200_000, 1_000_000)
    assert (link.a_to_b.rate_bps, link.b_to_a.rate_bps) == (10_000_000, 10_000_000)
    assert laid.slowed == ("s1-s2",)
    assert str(laid) == "4 nodes: 2 on m1, 2 on m2; 1 cut link, which got a delay of 200 us (s1-s2)"
    assert laid.topo.spec("h1", "s1") == topo.spec("h1", "s1")
    assert plan(laid.topo).machine_of == laid.machine_of


def test_jitter_is_covered_by_a_cut_links_delay() -> None:
    laid = spread(row({"delay": "1ms", "jitter": "1ms"}), TWO)
    assert laid.topo.spec("s1", "s2").a_to_b.delay_ns == 1_200_000
    plan(laid.topo)


def test_a_link_that_may_deliver_at_once_is_never_cut() -> None:
    links: list[dict[str, Any]] = [{}, {"delay": "5ms", "jitter": "1ms", "jitter_distribution": "normal"}, {}]
    laid = spread(row(*links), TWO)
    assert laid.machine_of["s2"] == laid.machine_of["s3"]


def test_shares_say_how_much_each_machine_gets() -> None:
    assert sizes(spread(LinearTopo(k=40), TWO, shares=[3, 1])) == [60, 20]


def test_nodes_that_name_a_machine_stay_there_and_the_others_follow_them() -> None:
    topo = LinearTopo(k=3)
    laid = spread(topo, TWO, machine_of={"s1": "m2", "s3": "m1"})
    assert [laid.machine_of[name] for name in ("s1", "h1", "s3", "h3")] == ["m2", "m2", "m1", "m1"]
    assert len(laid.cut) == 1


def test_the_same_description_is_spread_the_same_way() -> None:
    assert spread(TreeTopo(depth=5), TWO).machine_of == spread(TreeTopo(depth=5), TWO).machine_of


def test_more_machines_than_switches_leave_some_empty() -> None:
    laid = spread(LinearTopo(k=2), ["a", "b", "c"])
    assert sizes(laid) == [2, 2, 0]


def test_parts_of_a_network_that_are_not_joined_are_spread_too() -> None:
    topo = Topo()
    for number in range(1, 5):
        topo.addLink(topo.addHost(f"h{number}"), topo.addSwitch(f"s{number}"))
    laid = spread(topo, TWO)
    assert (sizes(laid), laid.cut) == ([4, 4], ())


def test_what_does_not_fit_is_refused() -> None:
    topo = LinearTopo(k=2)
    with pytest.raises(PlanError, match="there is no machine to spread over"):
        spread(topo, [])
    with pytest.raises(PlanError, match="do not fit 2 machines"):
        spread(topo, TWO, shares=[1])
    with pytest.raises(PlanError, match="node s1: there is no machine 'm9'; the machines are m1, m2"):
        spread(topo, TWO, machine_of={"s1": "m9"})


def test_an_empty_description_is_spread_over_nothing() -> None:
    assert sizes(spread(Topo(), [machine.name for machine in MACHINES])) == [0, 0]
