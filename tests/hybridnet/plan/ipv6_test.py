# SPDX-License-Identifier: MIT
"""IPv6: addresses by ip6_base and ip6=, the routes of routers and hosts, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import Plan
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.plan.support import plan, routes


def path_topo(**of_h1: Any) -> Topo:
    """h1, h2 ─ r1 ─ r2 ─ h3: two routed segments, and a pair of routers."""
    topo = Topo()
    for router in ("r1", "r2"):
        topo.addSimRouter(router)
    topo.addSimSwitch("s1")
    topo.addLink(topo.addHost("h1", **of_h1), "s1")
    topo.addLink(topo.addSimHost("h2"), "s1")
    topo.addLink("s1", "r1")
    topo.addLink("r1", "r2", delay="5ms")
    topo.addLink("r2", topo.addHost("h3"))
    return topo


def addresses6(made: Plan) -> dict[str, str]:
    """The IPv6 address of every interface that has one."""
    found = {}
    for machine in made.machines.values():
        for host in machine["hosts"]:
            found.update({i["name"]: a for i in host["interfaces"] for a in i["addresses"] if ":" in a})
        for node in (node for instance in machine["instances"] for node in instance["nodes"]):
            found.update({i["name"]: i["address6"] for i in node["interfaces"] if "address6" in i})
    return found


def host_routes(made: Plan, host: str) -> list[tuple[str, str | None]]:
    hosts = [each for machine in made.machines.values() for each in machine["hosts"]]
    return [(r["prefix"], r["via"]) for each in hosts if each["name"] == host for r in each["routes"]]


def test_without_ip6_base_and_ip6_there_is_no_ipv6() -> None:
    made = plan(path_topo())
    assert addresses6(made) == {}
    assert all(":" not in prefix for prefix, _ in routes(made, "m1", "r1"))


def test_each_segment_gets_a_subnet_of_ip6_base_with_hosts_from_below_and_routers_from_above() -> None:
    assert addresses6(plan(path_topo(), ip6_base="fd00::/48")) == {
        "h1-eth0": "fd00:0:0:1::1/64",
        "h2-eth0": "fd00:0:0:1::2/64",
        "r1-eth1": "fd00:0:0:1::fffe/64",
        "r1-eth2": "fd00:0:0:2::1/64",
        "r2-eth1": "fd00:0:0:2::2/64",
        "r2-eth2": "fd00:0:0:3::fffe/64",
        "h3-eth0": "fd00:0:0:3::1/64",
    }


def test_routers_know_the_other_subnets_and_hosts_their_gateway() -> None:
    made = plan(path_topo(), ip6_base="fd00::/48")
    assert ("fd00:0:0:3::/64", "fd00:0:0:2::2") in routes(made, "m1", "r1")
    assert ("fd00:0:0:1::/64", "fd00:0:0:2::1") in routes(made, "m1", "r2")
    assert host_routes(made, "h1") == [("default", "10.1.255.254"), ("::/0", "fd00:0:0:1::fffe")]
    assert ("::/0", "fd00:0:0:1::fffe") in routes(made, "m1", "h2")


def test_without_a_router_the_nth_host_gets_the_nth_address() -> None:
    made = plan(SingleSwitchTopo(k=3), ip6_base="fd00::/48")
    assert addresses6(made) == {f"h{n}-eth0": f"fd00::{n}/64" for n in (1, 2, 3)}


def test_ip6_with_a_prefix_length_decides_its_segment_alone() -> None:
    made = plan(path_topo(ip6="2001:db8:5::7/64"))
    assert addresses6(made) == {
        "h1-eth0": "2001:db8:5::7/64",
        "h2-eth0": "2001:db8:5::1/64",
        "r1-eth1": "2001:db8:5::fffe/64",
    }
    assert host_routes(made, "h1")[-1] == ("::/0", "2001:db8:5::fffe")
    assert all(":" not in prefix for prefix, _ in routes(made, "m1", "r2"))  # no way there speaks IPv6


def test_a_route_goes_round_a_link_that_has_no_ipv6() -> None:
    """r1 ─ r2 directly is shorter, but only r1 ─ r3 ─ r2 has IPv6."""
    topo = Topo()
    for router in ("r1", "r2", "r3"):
        topo.addSimRouter(router)
    topo.addLink(topo.addHost("h1", ip6="2001:db8:1::1/64"), "r1")
    topo.addLink(topo.addHost("h2", ip6="2001:db8:2::1/64"), "r2")
    topo.addLink("r1", "r2", delay="1ms")
    topo.addLink("r1", "r3", delay="5ms", params1={"ip6": "2001:db8:13::1/64"})
    topo.addLink("r3", "r2", delay="5ms", params1={"ip6": "2001:db8:23::1/64"})
    made = plan(topo)
    assert dict(routes(made, "m1", "r1"))["2001:db8:2::/64"] == addresses6(made)["r3-eth1"].split("/")[0]
    assert dict(routes(made, "m1", "r1"))["10.2.0.0/16"] == "100.64.0.2"


def test_ip6_none_leaves_one_host_without() -> None:
    assert "h1-eth0" not in addresses6(plan(path_topo(ip6=None), ip6_base="fd00::/48"))


def test_routes_and_the_default_route_may_be_of_ipv6() -> None:
    topo = path_topo(routes=[("2001:db8:9::/64", "via fd00:0:0:1::99")], defaultRoute="via fd00:0:0:1::fffe")
    assert host_routes(plan(topo, ip6_base="fd00::/48"), "h1") == [
        ("2001:db8:9::/64", "fd00:0:0:1::99"),
        ("::/0", "fd00:0:0:1::fffe"),
        ("default", "10.1.255.254"),
    ]


def test_an_application_takes_an_address_of_ipv6() -> None:
    topo = Topo()
    topo.addSimHost("h1", ip6="fd00::1/64", applications=[{"kind": "ping", "destination": "FD00::0:2"}])
    topo.addLink("h1", topo.addHost("h2", ip6="fd00::2/64"))
    node = plan(topo).machines["m1"]["instances"][0]["nodes"][0]
    assert node["applications"][0]["destination"] == "fd00::2"


@pytest.mark.parametrize(
    ("of_h1", "said"),
    [
        ({"ip6": "2001:db8::/64"}, "its subnet's routers' address"),
        ({"ip6": "fe80::1/64"}, "link-local"),
        ({"ip6": "ff02::1/64"}, "no single host's"),
        ({"ip6": "2001:db8::1"}, "has no prefix length"),
    ],
)
def test_what_cannot_be_an_address_is_refused(of_h1: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        plan(path_topo(**of_h1))


@pytest.mark.parametrize(
    ("base", "said"), [("10.0.0.0/8", "not an IPv6 network"), ("fd00::/96", "holds no /64")]
)
def test_an_ip6_base_must_hold_subnets(base: str, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        plan(path_topo(), ip6_base=base)


def test_an_ip6_base_that_is_used_up_is_said() -> None:
    with pytest.raises(PlanError, match="all subnets of fd00::/63 are taken"):
        plan(path_topo(), ip6_base="fd00::/63")


def test_an_mtu_below_that_of_ipv6_is_refused() -> None:
    topo = path_topo()
    topo.addLink(topo.addSimHost("h4"), "r2", mtu=1279)
    plan(topo)
    with pytest.raises(PlanError, match="IPv6 needs an MTU of 1280, and it has 1279"):
        plan(topo, ip6_base="fd00::/48")
