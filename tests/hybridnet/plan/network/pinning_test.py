# SPDX-License-Identifier: MIT
"""Planning a running network again: what exists stays as it is, and what is new gets what is free."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import Plan, PlanOptions, make_plan
from hybridnet.plan.network.pinning import pins_of
from hybridnet.topologies import SingleSwitchTopo, TwoTrees
from tests.hybridnet.plan.support import MACHINES, TOKEN, addresses, plan, routes


def again(topo: Topo, before: Plan, removed: set[str] | None = None, **options: Any) -> Plan:
    return make_plan(topo, MACHINES, PlanOptions(token=TOKEN, **options), pins_of(before, removed or set()))


def macs(made: Plan) -> dict[str, str]:
    hosts = [host for machine in made.machines.values() for host in machine["hosts"]]
    return {interface["name"]: interface["mac"] for host in hosts for interface in host["interfaces"]}


@pytest.mark.parametrize("join", ["bridged", "routed"])
def test_the_same_description_gives_the_same_plan_again(join: str) -> None:
    topo = TwoTrees(depth=2, join=join)
    before = plan(topo, ip6_base="fd00::/48")
    after = again(topo, before, ip6_base="fd00::/48")
    assert after.to_json() == before.to_json()


def test_a_new_host_gets_the_lowest_free_address_wherever_its_name_sorts() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    for name in ("h1", "h3", "h10"):
        topo.addLink(topo.addHost(name), "s1")
    before = plan(topo)
    topo.addLink(topo.addHost("h2"), "s1")
    found = addresses(again(topo, before))
    assert found == {**addresses(before), "h2-eth0": "10.0.0.4/8"}


def test_with_counted_macs_a_new_host_gets_the_lowest_free_one() -> None:
    topo = SingleSwitchTopo(k=2)
    before = plan(topo, auto_set_macs=True)
    topo.addLink(topo.addHost("a1"), "s1")
    found = macs(again(topo, before, auto_set_macs=True))
    assert found == {**macs(before), "a1-eth0": "00:00:00:00:00:03"}


def test_a_host_whose_link_is_removed_has_its_address_and_mac_again_on_the_next_one() -> None:
    topo = SingleSwitchTopo(k=3)
    first = plan(topo, auto_set_macs=True)
    topo.delLink("h2", "s1")
    second = again(topo, first, auto_set_macs=True)
    topo.addLink(topo.addHost("h4"), "s1")
    third = again(topo, second, auto_set_macs=True)
    topo.addLink("h2", "s1")
    fourth = again(topo, third, auto_set_macs=True)
    assert addresses(fourth) == {**addresses(first), "h4-eth0": "10.0.0.4/8"}
    assert macs(fourth) == {**macs(first), "h4-eth0": "00:00:00:00:00:04"}


@pytest.mark.parametrize(("base", "next_ones"), [("10.0.0.0/8", [4, 5, 6]), ("10.0.0.0/29", [4, 5, 6])])
def test_the_address_of_a_removed_host_is_given_again_only_when_there_is_no_other(
    base: str, next_ones: list[int]
) -> None:
    topo = SingleSwitchTopo(k=3)
    made = plan(topo, ip_base=base)
    topo.delNode("h2")
    made = again(topo, made, ip_base=base)
    for number in next_ones:
        topo.addLink(topo.addHost(f"n{number}"), "s1")
        made = again(topo, made, ip_base=base)
        assert addresses(made)[f"n{number}-eth0"].split("/")[0] == f"10.0.0.{number}"
    topo.addLink(topo.addHost("last"), "s1")
    found = addresses(again(topo, made, ip_base=base))["last-eth0"].split("/")[0]
    assert found == ("10.0.0.7" if base.endswith("/8") else "10.0.0.2")


def test_an_explicit_address_wins_over_the_one_that_a_removed_link_had() -> None:
    topo = SingleSwitchTopo(k=2)
    before = plan(topo)
    topo.delLink("h2", "s1")
    topo.addLink("h2", "s1", params1={"ip": "10.0.0.77/8"})
    assert addresses(again(topo, before, {"h2-s1"}))["h2-eth0"] == "10.0.0.77/8"


def test_nodes_stay_on_their_machine_when_a_neighbour_comes_on_another() -> None:
    topo = Topo()
    topo.addHost("h1")
    topo.addSwitch("s2", machine="m2")
    before = plan(topo)
    topo.addLink("h1", "s2", delay="1ms")
    after = again(topo, before)
    assert after.machine_of == {"h1": "m1", "s2": "m2"}
    assert after.links[0].kind == "cut"


def test_port_type_and_what_holds_for_a_whole_instance_stay() -> None:
    topo = Topo()
    for number in range(1, 8):
        topo.addSwitch(f"s{number}", machine="m1")
    topo.addLink("s1", "s2", delay="2ms", bw=10)
    before = plan(topo)
    topo.addSwitch("s8", machine="m1")
    topo.addLink("s1", "s8", delay="1us", bw=100_000)
    after = again(topo, before).machines["m1"]
    assert after["port_type"] == before.machines["m1"]["port_type"] == "afpacket"
    assert after["instances"][0]["realtime"] == before.machines["m1"]["instances"][0]["realtime"]
    assert [link["name"] for link in after["instances"][0]["links"]] == ["s1-s2", "s1-s8"]


def test_an_instance_stays_when_nothing_is_simulated_any_more() -> None:
    topo = Topo()
    topo.addHost("h1")
    topo.addHost("h2")
    topo.addLink("h1", "h2", delay="1ms")
    before = plan(topo)
    topo.delLink("h1", "h2")
    after = again(topo, before)
    assert after.machines["m1"]["instances"][0]["links"] == []
    assert after.machines["m2"]["instances"] == []


def test_cut_links_keep_their_channels_and_a_new_one_takes_a_free_one() -> None:
    topo = Topo()
    topo.addSwitch("s1", machine="m1")
    topo.addSwitch("s2", machine="m2")
    for _ in range(3):
        topo.addLink("s1", "s2", delay="1ms")
    before = plan(topo)
    topo.delLink("s1", "s2", key=1)
    second = again(topo, before)
    topo.addLink("s1", "s2", delay="1ms")
    third = again(topo, second)
    assert [link.channel for link in before.links] == [0, 1, 2]
    assert [link.channel for link in second.links] == [0, 2]
    assert [link.channel for link in third.links] == [0, 2, 1]


def test_the_two_parts_of_a_split_segment_keep_their_subnet_and_routers_one_route_to_it() -> None:
    topo = Topo()
    for name in ("r1", "r2", "r3"):
        topo.addSimRouter(name)
    topo.addSwitch("s1")
    topo.addSwitch("s2")
    topo.addLink(topo.addHost("h1"), "s1")
    topo.addLink(topo.addHost("h2"), "s2")
    topo.addLink("s1", "s2")
    topo.addLink("s1", "r1")
    topo.addLink("s2", "r2")
    topo.addLink("r1", "r3", delay="1ms")
    topo.addLink("r2", "r3", delay="2ms")
    before = plan(topo)
    topo.delLink("s1", "s2")
    after = again(topo, before)
    assert addresses(after) == addresses(before)
    assert routes(after, "m1", "r3") == [("10.1.0.0/16", "100.64.0.1")]
    assert [prefix for prefix, _ in routes(after, "m1", "r1")] == ["100.64.0.4/30"]


def test_two_subnets_that_a_new_link_joins_keep_their_addresses() -> None:
    topo = Topo()
    for number in (1, 2):
        topo.addSwitch(f"s{number}")
        topo.addSimRouter(f"r{number}")
        topo.addLink(topo.addHost(f"h{number}"), f"s{number}")
        topo.addLink(f"s{number}", f"r{number}")
    before = plan(topo)
    topo.addLink("s1", "s2")
    assert addresses(again(topo, before)) == addresses(before)


def test_a_new_interface_must_fit_the_subnet_that_is_there() -> None:
    topo = SingleSwitchTopo(k=2)
    topo.addLink(topo.addSimRouter("r1"), "s1")
    before = plan(topo)
    topo.addLink(topo.addHost("h9", ip="192.168.0.1/24"), "s1")
    with pytest.raises(
        PlanError, match=r"interface h9-eth0: its subnet 192.168.0.0/24 differs from 10.1.0.0/16"
    ):
        again(topo, before)


def two_lans() -> Topo:
    """h1, h3 - s1 - r1 - r2 - s2 - h2: the subnets 10.1.0.0/16 and 10.2.0.0/16."""
    topo = Topo()
    for number in (1, 2):
        topo.addSwitch(f"s{number}")
        topo.addSimRouter(f"r{number}")
        topo.addLink(f"s{number}", f"r{number}")
        topo.addLink(topo.addHost(f"h{number}"), f"s{number}")
    topo.addLink(topo.addHost("h3"), "s1")
    topo.addLink("r1", "r2", delay="1ms")
    return topo


def gateway(made: Plan, host: str) -> list[tuple[str, str]]:
    return [(route["prefix"], route["via"]) for route in made.host(host)["routes"]]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_host_that_moves_to_another_subnet_has_an_address_and_a_router_there(at_once: bool) -> None:
    topo = two_lans()
    first = plan(topo)
    assert addresses(first)["h1-eth0"] == "10.1.0.1/16"
    topo.delLink("h1", "s1")
    between = first if at_once else again(topo, first, {"h1-s1"})
    topo.addLink("h1", "s2")
    there = again(topo, between, {"h1-s1"} if at_once else set())
    assert addresses(there) == {**addresses(first), "h1-eth0": "10.2.0.2/16"}  # h2 has 10.2.0.1
    assert gateway(there, "h1") == gateway(first, "h2") == [("default", "10.2.255.254")]
    assert macs(there) == macs(first)
    topo.delLink("h1", "s2")
    topo.addLink("h1", "s1")
    back = again(topo, there, {"h1-s2"})
    assert addresses(back) == addresses(first)


def test_a_host_that_moves_to_a_router_of_its_own_has_a_subnet_of_its_own() -> None:
    topo = two_lans()
    first = plan(topo)
    topo.delLink("h1", "s1")
    topo.addLink("h1", "r2")
    found = addresses(again(topo, first, {"h1-s1"}))
    assert found["h1-eth0"] == "10.3.0.1/16"
    assert found["h3-eth0"] == addresses(first)["h3-eth0"]


def test_a_whole_segment_that_is_linked_again_has_its_addresses_again() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    for name in ("h1", "h2"):
        topo.addLink(topo.addHost(name), "r1")
    first = plan(topo)
    topo.delLink("h1", "r1")
    second = again(topo, first, {"h1-r1"})
    topo.addLink("h1", "r1")
    found = addresses(again(topo, second))
    assert found["h1-eth0"] == addresses(first)["h1-eth0"] == "10.1.0.1/16"
    assert found["r1-eth3"] == addresses(first)["r1-eth1"] == "10.1.255.254/16"  # an interface of its own


def test_a_host_that_moves_where_no_router_is_has_a_number_of_that_segment() -> None:
    topo = two_lans()
    topo.addSwitch("s9")
    topo.addLink(topo.addHost("h9"), "s9")
    first = plan(topo)
    topo.delLink("h1", "s1")
    topo.addLink("h1", "s9")
    found = addresses(again(topo, first, {"h1-s1"}))
    assert found["h1-eth0"].endswith("/8")
    assert found["h1-eth0"] not in addresses(first).values()


def test_a_host_that_says_its_address_does_not_move_to_another_subnet() -> None:
    topo = two_lans()
    topo.addLink(topo.addHost("h7", ip="10.1.0.77/16"), "s1")
    first = plan(topo)
    topo.delLink("h7", "s1")
    topo.addLink("h7", "s2")
    with pytest.raises(PlanError, match=r"interface h7-eth0: its subnet 10\.1\.0\.0/16 differs from 10\.2"):
        again(topo, first, {"h7-s1"})
