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


def told(systems: Systems, destination: int) -> dict[int, tuple[int, list[int]]]:
    """The rules as speakers of BGP follow them, by turns until nobody learns anything: of each system the rank of its
    best route (0 by a customer, 1 by a peer, 2 by a provider) and its path.
    """
    best: dict[int, tuple[int, list[int]]] = {destination: (-1, [destination])}
    changed = True
    while changed:
        changed = False
        for each in systems.numbers:
            if each == destination:
                continue
            offers = []
            beside = ((0, systems.customers), (1, systems.peers), (2, systems.providers))
            for rank, neighbours in beside:
                for other in neighbours[each]:
                    if other not in best or each in best[other][1]:
                        continue
                    # Customers hear all; who is above or beside hears only what comes from customers.
                    if rank == 2 or best[other][0] <= 0:
                        offers.append((rank, len(best[other][1]), other))
            if not offers:
                if best.pop(each, None) is not None:
                    changed = True
                continue
            rank, _, other = min(offers)
            route = rank, [each, *best[other][1]]
            if best.get(each) != route:
                best[each], changed = route, True
    return best


@pytest.mark.parametrize("seed", range(20))
def test_the_ways_are_those_that_speakers_of_bgp_agree_on(seed: int) -> None:
    chance = random.Random(seed)
    systems = drawn(chance.randrange(4, 40), seed)
    for destination in systems.numbers:
        expected = {each: path[1] for each, (_, path) in told(systems, destination).items() if len(path) > 1}
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
