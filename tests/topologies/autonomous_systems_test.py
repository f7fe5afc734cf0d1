# SPDX-License-Identifier: MIT
"""An Internet of autonomous systems: its routes are those of the export rules, whoever computes them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hybridnet.describe.topo import TopologyError
from hybridnet.topologies.autonomous_systems import (
    MOST_ROUTES,
    AutonomousSystemsTopo,
    Systems,
    drawn,
    ways_to,
)
from tests.hybridnet.plan.support import plan
from tests.topologies.speakers import told


@pytest.mark.parametrize("seed", range(20))
def test_the_ways_are_those_that_speakers_of_bgp_agree_on(seed: int) -> None:
    chance = random.Random(seed)
    systems = drawn(chance.randrange(4, 40), seed)
    for destination in systems.numbers:
        expected = {
            each: path[1] for each, (_, path) in told(systems, {destination}).items() if len(path) > 1
        }
        assert ways_to(destination, systems) == expected


def test_no_customer_carries_what_is_between_its_providers() -> None:
    # 1 and 2 are no peers, and 3 buys from both: it must not connect them.
    systems = Systems.of([(1, 3), (2, 3), (1, 4), (2, 5)], [])
    assert ways_to(5, systems) == {2: 5, 3: 2}
    assert ways_to(3, systems) == {1: 3, 2: 3, 4: 1, 5: 2}


def test_a_customer_is_preferred_to_a_peer_and_a_peer_to_a_provider_though_they_are_further() -> None:
    # 9 is a customer of a customer of 1, a peer of 1, and a customer of 1's provider 8.
    assert ways_to(9, Systems.of([(1, 2), (2, 9), (8, 9), (8, 1)], [(1, 9)]))[1] == 2
    assert ways_to(9, Systems.of([(8, 9), (8, 1), (2, 9)], [(1, 2)]))[1] == 2


def test_every_system_reaches_every_other() -> None:
    systems = drawn(200, 3)
    assert all(len(ways_to(each, systems)) == 199 for each in (1, 5, 100, 200))


def test_a_stub_with_one_provider_has_a_default_route_and_others_a_route_to_each_host() -> None:
    topo = AutonomousSystemsTopo(30, hosts=10)
    systems = drawn(30, 1)
    assert len(topo.hosts()) == 10
    stubs = 0
    for number in systems.numbers:
        routes = topo.node_spec(f"as{number}").resolved["routes"]
        if systems.customers[number] or systems.peers[number] or len(systems.providers[number]) > 1:
            own = f"h{number}" in topo.hosts()
            assert len(routes) == 10 - own
        else:
            stubs += 1
            assert routes == [("default", f"as{systems.providers[number][0]}")]
    assert stubs > 0


def test_the_same_seed_gives_the_same_network() -> None:
    assert plan(AutonomousSystemsTopo(20)).dumps() == plan(AutonomousSystemsTopo(20)).dumps()
    assert plan(AutonomousSystemsTopo(20)).dumps() != plan(AutonomousSystemsTopo(20, seed=2)).dumps()


@pytest.mark.parametrize("routers", ["frr", "bird"])
def test_routers_with_daemons_are_told_who_is_what_to_them(routers: str) -> None:
    topo = AutonomousSystemsTopo(12, hosts=3, routers=routers, delay=None)
    systems = drawn(12, 1)
    addresses = [
        end.ip for link in topo.link_specs() for end in (link.a, link.b) if end.node.startswith("as")
    ]
    assert len(addresses) == len(set(addresses)) == 3 + 2 * len(systems.links())
    for number in systems.numbers:
        spec = topo.node_spec(f"as{number}")
        assert spec.options["kind"] == routers
        assert spec.options["bgp"] == number
        assert spec.options["providers"] == [f"as{each}" for each in systems.providers[number]]
        assert spec.options["peers"] == [f"as{each}" for each in systems.peers[number]]
    assert topo.node_spec("h5").options["ip"] == "10.0.5.2/24"
    plan(topo)


def test_simulated_hosts_ping_each_other() -> None:
    topo = AutonomousSystemsTopo(12, hosts=3, simulated=True)
    pinged = {
        spec.name: spec.resolved["applications"][0]["destination"]
        for spec in topo.node_specs()
        if spec.role == "simhost"
    }
    assert pinged == {"h1": "h5", "h5": "h9", "h9": "h1"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 3}, "n 3 is less than the 4 at the top"),
        ({"n": 1e9}, "n 1000000000.0 is not a whole number"),
        ({"n": 300_000}, "n 300000 is not a whole number from 1 to 200000"),
        ({"n": 9, "hosts": 10}, "hosts 10 is not a whole number from 1 to 9"),
        ({"n": 9, "hosts": 0}, "hosts 0 is not a whole number"),
        ({"n": 2_000, "hosts": 1_500}, f"more than {MOST_ROUTES:,} routes; write at most 1000"),
        ({"n": 9, "simulated": "yes"}, "simulated 'yes' is not True or False"),
        ({"n": 9, "seed": "a"}, "seed 'a' is not a whole number"),
        (
            {"n": 9, "routers": "quagga"},
            "as: routers 'quagga' is none of simrouter, frr, bird",
        ),
        (
            {"n": 1001, "routers": "frr"},
            "1,001 systems are more than the 1,000 whose routers may have daemons",
        ),
        ({"n": 9, "routers": "bird", "simulated": True}, "simulated hosts have simulated routers"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TopologyError, match=said):
        AutonomousSystemsTopo(**options)


def test_two_relations_of_one_pair_are_refused() -> None:
    with pytest.raises(TopologyError, match="the pair 2, 1 is given twice"):
        Systems.of([(1, 2)], [(2, 1)])
    with pytest.raises(TopologyError, match="the pair 1, 1 is one system"):
        Systems.of([(1, 1)], [])
