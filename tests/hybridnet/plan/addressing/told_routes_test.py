# SPDX-License-Identifier: MIT
"""Routers whose routes the description says have those, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo, TopologyError
from hybridnet.errors import PlanError
from tests.hybridnet.plan.support import addresses, plan, routes


def ring(**of_r1: Any) -> Topo:
    """Three routers in a ring, each with a host; the way from r1 to r2 is shortest directly."""
    topo = Topo()
    for number in (1, 2, 3):
        topo.addSimRouter(f"r{number}", **(of_r1 if number == 1 else {}))
        topo.addLink(topo.addHost(f"h{number}"), f"r{number}")
    for one, other in ((1, 2), (2, 3), (3, 1)):
        topo.addLink(f"r{one}", f"r{other}", delay="1ms")
    return topo


def test_names_become_prefixes_and_addresses_and_nothing_is_added() -> None:
    made = plan(ring(routes=[("h2", "r3"), ("10.99.0.0/16", "r2"), ("default", "r2")]))
    own = addresses(made)
    assert routes(made, "m1", "r1") == [
        ("10.2.0.0/16", own["r3-eth3"].partition("/")[0]),
        ("10.99.0.0/16", own["r2-eth2"].partition("/")[0]),
        ("0.0.0.0/0", own["r2-eth2"].partition("/")[0]),
    ]
    assert len(routes(made, "m1", "r2")) == 3  # h1's and h3's subnet, and the link it is not on


def test_a_next_hop_may_be_an_address() -> None:
    via = addresses(plan(ring()))["r2-eth2"].partition("/")[0]
    assert routes(plan(ring(routes=[("10.2.0.0/16", via)])), "m1", "r1") == [("10.2.0.0/16", via)]


def test_no_routes_are_none_and_a_way_around_them_is_planned_for_the_others() -> None:
    made = plan(ring(routes=[]))
    assert routes(made, "m1", "r1") == []
    assert "10.1.0.0/16" in dict(routes(made, "m1", "r2"))


def test_a_name_is_a_route_of_each_family() -> None:
    made = plan(ring(routes=[("h2", "r2"), ("default", "r2")]), ip6_base="fd00::/48")
    assert [prefix for prefix, _ in routes(made, "m1", "r1")] == [
        "10.2.0.0/16",
        addresses_of_family_6(made),
        "0.0.0.0/0",
        "::/0",
    ]


def addresses_of_family_6(made: Any) -> str:
    [address] = [each for each in made.host("h2")["interfaces"][0]["addresses"] if ":" in each]
    return f"{address.partition('/')[0].rpartition('::')[0]}::/64"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([("h9", "r2")], "route to 'h9' via 'r2': there is no such node, and it is no prefix"),
        ([("h2", "h3")], "'h3' is not beside it, and is no address; its neighbours are h1, r2, r3"),
        ([("h2", "192.0.2.1")], "gateway 192.0.2.1 is in none of its subnets"),
        ([("fd00::/64", "r2")], "the two are of different families"),
        ([("10.9.0.0/16", "fd00::1")], "the two are of different families"),
    ],
)
def test_a_route_that_leads_nowhere_is_refused_with_its_router(told: Any, said: str) -> None:
    with pytest.raises(PlanError, match=f"simrouter r1: .*{said}"):
        plan(ring(routes=told))


@pytest.mark.parametrize("told", ["h2", 5, [("h2",)], ["h2"], [("h2", 5)], [("h2", None)], [("h2", "")]])
def test_what_is_no_list_of_routes_is_refused_where_it_is_written(told: Any) -> None:
    with pytest.raises(TopologyError, match="simrouter r1: routes"):
        ring(routes=told)


def test_hundreds_of_routed_segments_have_subnets() -> None:
    topo = Topo()
    topo.addSimRouter("r")
    for number in range(1, 301):
        topo.addLink(topo.addSimHost(f"h{number}"), "r")
    own = addresses(plan(topo))
    assert [own[f"h{number}-eth0"] for number in (1, 127, 128, 300)] == [
        "10.1.0.1/16",
        "10.127.0.1/16",
        "10.128.0.1/24",
        "10.128.172.1/24",
    ]
    assert own["r-eth300"] == "10.128.172.254/24"
