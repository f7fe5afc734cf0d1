# SPDX-License-Identifier: MIT
"""Routes: least delay over the whole simulated network, across machines; hosts' default routes."""

from __future__ import annotations

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.topologies import TwoTrees
from tests.hybridnet.plan.support import addresses, plan, routes


def square(short: str, long: str) -> Topo:
    """h1 ─ r1 ─ r2 ─ r4 ─ h2 over `short` links, r1 ─ r3 ─ r4 over `long` ones."""
    topo = Topo()
    for name in ("r1", "r2", "r3", "r4"):
        topo.addSimRouter(name)
    topo.addLink(topo.addHost("h1"), "r1")
    topo.addLink(topo.addHost("h2"), "r4")
    for a, b, delay in (("r1", "r2", short), ("r2", "r4", short), ("r1", "r3", long), ("r3", "r4", long)):
        topo.addLink(a, b, delay=delay)
    return topo


def test_the_other_tree_is_reached_via_the_other_router() -> None:
    made = plan(TwoTrees(depth=1, join="routed"))
    assert routes(made, "m1", "r1") == [("10.2.0.0/16", "100.64.0.2")]
    assert routes(made, "m2", "r2") == [("10.1.0.0/16", "100.64.0.1")]


@pytest.mark.parametrize(("short", "long", "via"), [("1ms", "5ms", "r2-eth1"), ("5ms", "1ms", "r3-eth1")])
def test_the_path_of_least_delay_is_taken(short: str, long: str, via: str) -> None:
    made = plan(square(short, long))
    far = addresses(made)["h2-eth0"].split("/")[0].rsplit(".", 2)[0]
    towards = dict(routes(made, "m1", "r1"))[f"{far}.0.0/16"]
    assert towards == addresses(made)[via].split("/")[0]


def test_between_equal_delays_the_fewest_links_win() -> None:
    topo = square("1ms", "1ms")
    topo.addLink("r1", "r4", delay="2ms")
    made = plan(topo)
    towards = dict(routes(made, "m1", "r1"))["10.2.0.0/16"]
    assert towards == addresses(made)["r4-eth4"].split("/")[0]


def test_every_router_knows_every_subnet_it_is_not_on() -> None:
    made = plan(square("1ms", "5ms"))
    prefixes = {str(prefix) for prefix, _ in routes(made, "m1", "r2")}
    assert prefixes == {"10.1.0.0/16", "10.2.0.0/16", "100.64.0.8/30", "100.64.0.12/30"}


def test_routes_lead_through_switches_between_routers() -> None:
    topo = Topo()
    for name in ("r1", "r2"):
        topo.addSimRouter(name)
    topo.addSwitch("s1")
    topo.addLink(topo.addHost("h1"), "r1")
    topo.addLink(topo.addHost("h2"), "r2")
    topo.addLink("r1", "s1")
    topo.addLink("s1", "r2")
    made = plan(topo)
    assert dict(routes(made, "m1", "r1"))["10.2.0.0/16"] == addresses(made)["r2-eth2"].split("/")[0]


def test_of_parallel_links_the_faster_one_is_used() -> None:
    topo = Topo()
    for name in ("r1", "r2"):
        topo.addSimRouter(name)
        topo.addLink(topo.addHost(f"h{name[1]}"), name)
    topo.addLink("r1", "r2", delay="9ms")
    topo.addLink("r1", "r2", delay="1ms")
    made = plan(topo)
    assert dict(routes(made, "m1", "r1"))["10.2.0.0/16"] == addresses(made)["r2-eth3"].split("/")[0]


def test_an_unreachable_subnet_has_no_route() -> None:
    topo = Topo()
    for name in ("r1", "r2"):
        topo.addSimRouter(name)
        topo.addLink(topo.addHost(f"h{name[1]}"), name)
    assert routes(plan(topo), "m1", "r1") == []


def test_a_simulated_host_gets_a_default_route_in_figures() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    topo.addLink(topo.addSimHost("v1"), "r1")
    assert routes(plan(topo), "m1", "v1") == [("0.0.0.0/0", "10.1.255.254")]


@pytest.mark.parametrize(
    ("text", "via", "interface"),
    [
        ("via 10.1.0.9", "10.1.0.9", None),
        ("dev h1-eth0", None, "h1-eth0"),
        ("via 10.1.0.9 dev h1-eth0", "10.1.0.9", "h1-eth0"),
    ],
)
def test_mininets_default_route_texts(text: str, via: str | None, interface: str | None) -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    topo.addLink(topo.addHost("h1", defaultRoute=text), "r1")
    assert plan(topo).host("h1")["routes"] == [{"prefix": "default", "via": via, "interface": interface}]


def test_a_default_route_over_an_interface_that_is_not_there_is_refused() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    topo.addLink(topo.addHost("h1", defaultRoute="dev eth9"), "r1")
    with pytest.raises(PlanError, match="host h1: defaultRoute: h1 has no interface eth9; it has h1-eth0"):
        plan(topo)


def test_explicit_routes_of_a_host() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink(
        topo.addHost("h1", routes=[("10.9.0.0/16", "10.0.0.9"), ("10.8.0.0/16", "via 10.0.0.8")]), "s1"
    )
    assert [(r["prefix"], r["via"]) for r in plan(topo).host("h1")["routes"]] == [
        ("10.9.0.0/16", "10.0.0.9"), ("10.8.0.0/16", "10.0.0.8"),
    ]  # fmt: skip


def test_a_simulated_hosts_gateway_must_be_in_its_subnet() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    topo.addLink(topo.addSimHost("v1", defaultRoute="via 172.16.0.1"), "r1")
    with pytest.raises(PlanError, match=r"simhost v1: gateway 172.16.0.1 is in none of its subnets"):
        plan(topo)


class Star(Topo):
    """Routers around one, each with a host in a subnet of its own."""

    def build(self, routers: int) -> None:
        self.addSimRouter("core")
        for number in range(1, routers + 1):
            self.addSimRouter(f"r{number}")
            self.addLink(self.addSimHost(f"h{number}"), f"r{number}")
            self.addLink(f"r{number}", "core", delay="1ms")


def test_among_many_subnets_a_router_with_one_way_out_has_one_route() -> None:
    made = plan(Star(40))  # 80 subnets
    via = addresses(made)["core-eth7"].split("/")[0]
    assert routes(made, "m1", "r7") == [("0.0.0.0/0", via)]
    assert len(routes(made, "m1", "core")) == 40


def test_among_few_subnets_every_router_has_all_routes() -> None:
    made = plan(Star(20))
    assert len(routes(made, "m1", "r7")) == 40 - 2
