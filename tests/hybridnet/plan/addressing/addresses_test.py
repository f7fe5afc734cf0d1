# SPDX-License-Identifier: MIT
"""Addresses: Mininet's where there is no simulated router, one subnet per segment where there is; MACs."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.topologies import SingleSwitchTopo, TwoTrees
from tests.hybridnet.plan.support import addresses, plan


def routed(**host: Any) -> Topo:
    """h1, h2 ─ s1 ─ r1 ─ s2 ─ h3; the options are h1's."""
    topo = Topo()
    for name in ("s1", "s2"):
        topo.addSwitch(name)
    topo.addSimRouter("r1")
    topo.addHost("h1", **host)
    topo.addHost("h2")
    topo.addHost("h3")
    for a, b in (("h1", "s1"), ("h2", "s1"), ("h3", "s2"), ("s1", "r1"), ("s2", "r1")):
        topo.addLink(a, b)
    return topo


def test_without_router_hosts_count_from_ten_zero_zero_one_in_natural_order() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    for name in ("h10", "h2", "h1"):
        topo.addLink(topo.addHost(name), "s1")
    assert addresses(plan(topo)) == {
        "h1-eth0": "10.0.0.1/8",
        "h2-eth0": "10.0.0.2/8",
        "h10-eth0": "10.0.0.3/8",
    }


def test_ip_base_is_respected() -> None:
    assert addresses(plan(SingleSwitchTopo(k=2), ip_base="192.168.7.0/24")) == {
        "h1-eth0": "192.168.7.1/24", "h2-eth0": "192.168.7.2/24",
    }  # fmt: skip


def test_bridged_trees_share_one_subnet_over_both_machines() -> None:
    found = addresses(plan(TwoTrees(depth=2)))
    assert found["h1-eth0"] == "10.0.0.1/8"
    assert found["h8-eth0"] == "10.0.0.8/8"


def test_only_a_hosts_first_interface_gets_an_address_without_a_router() -> None:
    topo = Topo()
    topo.addHost("h1")
    topo.addSwitch("s1")
    topo.addLink("h1", "s1")
    topo.addLink("h1", "s1", params1={"ip": "172.16.0.1/24"})
    topo.addLink("h1", "s1")
    assert addresses(plan(topo)) == {"h1-eth0": "10.0.0.1/8", "h1-eth1": "172.16.0.1/24"}


def test_explicit_address_wins_and_none_means_none() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    for name, options in (("h1", {"ip": "10.0.0.77"}), ("h2", {"ip": None}), ("h3", {})):
        topo.addLink(topo.addHost(name, **options), "s1")
    assert addresses(plan(topo)) == {"h1-eth0": "10.0.0.77/8", "h3-eth0": "10.0.0.3/8"}


def test_an_automatic_address_that_is_taken_by_hand_is_refused() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink(topo.addHost("h1", ip="10.0.0.2/8"), "s1")
    topo.addLink(topo.addHost("h2"), "s1")
    with pytest.raises(PlanError, match=r"h2-eth0: its address 10.0.0.2 is taken by h1-eth0; give h2 an ip="):
        plan(topo)


def test_each_routed_segment_is_a_subnet_with_the_router_at_its_top() -> None:
    made = plan(routed())
    assert addresses(made) == {
        "h1-eth0": "10.1.0.1/16", "h2-eth0": "10.1.0.2/16", "r1-eth1": "10.1.255.254/16",
        "h3-eth0": "10.2.0.1/16", "r1-eth2": "10.2.255.254/16",
    }  # fmt: skip
    assert made.host("h3")["routes"] == [{"prefix": "default", "via": "10.2.255.254", "interface": "h3-eth0"}]


def test_router_pairs_take_slash_thirties() -> None:
    found = addresses(plan(TwoTrees(depth=1, join="routed")))
    assert (found["r1-eth2"], found["r2-eth2"]) == ("100.64.0.1/30", "100.64.0.2/30")


def test_explicit_prefix_decides_the_segments_subnet_and_the_others_fill_it() -> None:
    found = addresses(plan(routed(ip="192.168.5.10/24")))
    assert found["h1-eth0"] == "192.168.5.10/24"
    assert found["h2-eth0"] == "192.168.5.1/24"
    assert found["r1-eth1"] == "192.168.5.254/24"


def test_automatic_subnets_avoid_explicit_ones() -> None:
    found = addresses(plan(routed(ip="10.1.3.4/24")))
    assert found["h1-eth0"] == "10.1.3.4/24"
    assert found["h3-eth0"] == "10.2.0.1/16"  # 10.1.0.0/16 would overlap


def test_explicit_address_without_prefix_must_lie_in_the_subnet() -> None:
    assert addresses(plan(routed(ip="10.1.0.9")))["h1-eth0"] == "10.1.0.9/16"
    with pytest.raises(PlanError, match=r"h1-eth0: 172.16.0.9 is not in its segment's subnet 10.1.0.0/16"):
        plan(routed(ip="172.16.0.9"))


def test_two_subnets_on_one_routed_segment_are_refused() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSimRouter("r1")
    topo.addLink(topo.addHost("h1", ip="10.1.0.1/24"), "s1")
    topo.addLink(topo.addHost("h2", ip="10.2.0.1/24"), "s1")
    topo.addLink("s1", "r1")
    with pytest.raises(
        PlanError, match=r"h2-eth0: its subnet 10.2.0.0/24 differs from 10.1.0.0/24 of h1-eth0"
    ):
        plan(topo)


def test_overlapping_subnets_on_two_segments_are_refused() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    for name, ip in (("h1", "10.1.0.1/16"), ("h2", "10.1.7.1/24")):
        topo.addLink(topo.addHost(name, ip=ip), "r1")
    with pytest.raises(PlanError, match="overlap"):
        plan(topo)


def test_duplicate_explicit_addresses_are_refused() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    for name in ("h1", "h2"):
        topo.addLink(topo.addHost(name, ip="10.0.0.1/8"), "s1")
    with pytest.raises(PlanError, match=r"h2-eth0: address 10.0.0.1 is taken by h1-eth0"):
        plan(topo)


@pytest.mark.parametrize("ip", ["10.1.0.0/16", "10.1.255.255/16"])
def test_addresses_that_no_interface_may_have_are_refused(ip: str) -> None:
    with pytest.raises(PlanError, match="interface h1-eth0: "):
        plan(routed(ip=ip))


def test_a_subnet_that_is_too_small_is_refused() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSimRouter("r1")
    topo.addLink(topo.addHost("h1", ip="10.9.0.1/30"), "s1")  # room for two
    topo.addLink(topo.addHost("h2"), "s1")
    topo.addLink("s1", "r1")
    with pytest.raises(PlanError, match=r"r1-eth1: subnet 10.9.0.0/30 has no free address"):
        plan(topo)


def test_auto_set_macs_count_as_in_mininet() -> None:
    made = plan(SingleSwitchTopo(k=17), auto_set_macs=True)
    assert made.host("h1")["interfaces"][0]["mac"] == "00:00:00:00:00:01"
    assert made.host("h17")["interfaces"][0]["mac"] == "00:00:00:00:00:11"


def test_derived_macs_are_unique_local_unicast_and_the_same_in_every_plan() -> None:
    first, second = (
        [
            host["interfaces"][0]["mac"]
            for m in plan(TwoTrees(depth=5)).machines.values()
            for host in m["hosts"]
        ]
        for _ in range(2)
    )
    assert first == second
    assert len(set(first)) == 64
    assert all(mac.startswith("02:") for mac in first)


def test_explicit_macs_win_and_are_checked() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink(topo.addHost("h1", mac="00:00:00:00:00:AA"), "s1")
    topo.addLink(topo.addHost("h2"), "s1", addr1="00:00:00:00:00:bb")
    made = plan(topo, auto_set_macs=True)
    assert [made.host(h)["interfaces"][0]["mac"][-2:] for h in ("h1", "h2")] == ["aa", "bb"]


def test_duplicate_macs_and_macs_of_switch_ports_are_refused() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    for name in ("h1", "h2"):
        topo.addLink(topo.addHost(name, mac="00:00:00:00:00:01"), "s1")
    with pytest.raises(PlanError, match="h2-eth0: mac 00:00:00:00:00:01 is taken by h1-eth0"):
        plan(topo)
    topo = SingleSwitchTopo(k=1)
    topo.addLink(topo.addHost("h2"), "s1", addr2="00:00:00:00:00:01")
    with pytest.raises(PlanError, match="s1-eth2: a switch's port has no MAC"):
        plan(topo)
