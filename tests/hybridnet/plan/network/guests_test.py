# SPDX-License-Identifier: MIT
"""Guests in the plan: where the run waits for them, and what their tickets say."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError, TopologyError
from hybridnet.plan.network import Plan, PlanOptions, make_plan
from hybridnet.plan.network.links import changed
from hybridnet.plan.network.pinning import pins_of
from hybridnet.plan.placement.spread import spread
from tests.hybridnet.plan.support import MACHINES, TOKEN, plan

KEY = "5" * 64


def switched(**options: Any) -> Topo:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink(topo.addHost("h1"), "s1")
    topo.addLink(topo.addGuest("laptop", **options), "s1", delay="5ms", params1={"bw": 10})
    return topo


def planned(topo: Topo, **options: Any) -> Plan:
    return plan(topo, peering_key=KEY, **options)


def test_a_guest_is_a_peer_behind_a_portal_of_its_switch() -> None:
    made = planned(switched())
    link = made.links[1]
    assert (link.kind, link.guest, link.portals) == ("guest", "laptop", ("s1-eth2",))
    (instance,) = made.machines["m1"]["instances"]
    (peer,) = instance["peers"]
    assert (peer["name"], peer["local"], peer["remote"]) == ("laptop", "0.0.0.0:47900", "any")
    (own,) = instance["links"]
    assert (own["a"], own["b"]) == ({"portal": "p-s1-eth2"}, {"peer": "laptop", "channel": 0})
    assert (own["a_to_b"]["rate_bps"], own["b_to_a"]["rate_bps"]) == (None, 10_000_000)
    assert [host["name"] for host in made.machines["m1"]["hosts"]] == ["h1"]


def test_a_ticket_has_the_guests_end_of_the_link_and_its_addresses() -> None:
    ticket = planned(switched()).guests["laptop"]
    assert ticket["interface"]["name"] == "laptop-eth0"
    assert ticket["interface"]["addresses"] == ["10.0.0.2/8"]  # after the hosts
    assert ticket["port"] == 47900
    assert ticket["routes"] == []
    assert (ticket["link"]["out"]["rate_bps"], ticket["link"]["back"]["rate_bps"]) == (10_000_000, None)
    assert ticket["link"]["out"]["delay_ns"] == ticket["link"]["back"]["delay_ns"] == 5_000_000


def test_a_guest_of_a_slow_network_is_told_how_slow_it_is() -> None:
    assert planned(switched(), slow=4).guests["laptop"]["slow"] == 4
    assert "slow" not in planned(switched()).guests["laptop"]


def test_each_guest_has_a_key_of_its_own_that_is_another_in_each_run_and_in_no_plan_as_data() -> None:
    topo = switched()
    topo.addLink(topo.addGuest("phone"), "s1", delay="5ms")
    made = planned(topo)
    again = plan(topo, peering_key="6" * 64)
    keys = {ticket["key"] for each in (made, again) for ticket in each.guests.values()}
    assert len(keys) == 4
    assert KEY not in keys
    assert all("key" not in guest for guest in made.to_json()["guests"].values())
    assert made.guests["laptop"]["key"] not in str(made)
    assert made.guests["laptop"]["key"] not in repr(made.guests | {"laptop": {}})
    assert [ticket["port"] for ticket in made.guests.values()] == [47900, 47901]
    assert made.instances["m1"]["peers"][0]["key"] == made.guests["laptop"]["key"]


def test_a_port_that_is_said_is_taken_and_the_others_keep_off_it() -> None:
    topo = switched()
    topo.addLink(topo.addGuest("phone", port=47900), "s1", delay="5ms")
    assert {name: ticket["port"] for name, ticket in planned(topo).guests.items()} == {
        "laptop": 47901,
        "phone": 47900,
    }


def test_two_guests_at_one_port_of_a_computer_are_refused() -> None:
    topo = switched(port=5000)
    topo.addLink(topo.addGuest("phone", port=5000), "s1", delay="5ms")
    with pytest.raises(PlanError, match="guest phone: UDP port 5000 is that of guest laptop"):
        planned(topo)


def test_a_guest_of_a_routed_network_has_routes_to_its_other_subnets_and_no_default() -> None:
    topo = Topo()
    for number in (1, 2):
        topo.addSimRouter(f"r{number}")
    topo.addLink("r1", "r2", delay="1ms")
    topo.addLink(topo.addGuest("laptop"), "r1", delay="5ms")
    topo.addLink(topo.addHost("h1"), "r2")
    ticket = planned(topo).guests["laptop"]
    gateway = "10.1.255.254"
    assert ticket["interface"]["addresses"] == ["10.1.0.1/16"]
    assert ticket["routes"] == [
        {"prefix": "100.64.0.0/30", "via": gateway},
        {"prefix": "10.2.0.0/16", "via": gateway},
    ]


def test_routes_that_are_said_take_the_place_of_those() -> None:
    topo = switched(ip="10.0.0.9/24", routes=[("192.0.2.0/24", "10.0.0.1")])
    assert planned(topo).guests["laptop"]["routes"] == [{"prefix": "192.0.2.0/24", "via": "10.0.0.1"}]


def test_peering_of_the_run_is_the_guests_too_as_far_as_it_applies() -> None:
    options = {"flush": "packet", "transport": "tcp", "bulk_dscp": [8], "clocks": "told"}
    made = planned(switched(), peering=options)
    assert made.guests["laptop"]["peering"] == {"flush": "packet"}
    (peer,) = made.instances["m1"]["peers"]
    assert set(peer) == {"name", "local", "remote", "flush", "key"}


def test_a_link_to_a_guest_is_of_one_instance_wherever_the_others_are_cut() -> None:
    topo = Topo()
    for number in (1, 2):
        topo.addSimSwitch(f"s{number}", instance=number)
    topo.addLink("s1", "s2", delay="1ms")
    topo.addLink("s2", topo.addGuest("laptop"), delay="5ms")
    made = planned(topo)
    assert made.links[1].instances == ("m1.2", "m1.2")
    assert [peer["name"] for peer in made.instances["m1.1"]["peers"]] == ["m1.2"]
    assert [peer["name"] for peer in made.instances["m1.2"]["peers"]] == ["m1.1", "laptop"]


def test_a_network_with_guests_is_spread_over_machines() -> None:
    topo = Topo()
    for number in (1, 2):
        topo.addSimSwitch(f"s{number}")
    topo.addLink("s1", "s2", delay="10ms")
    topo.addLink("s1", topo.addGuest("laptop"), delay="5ms")
    made = spread(topo, ["m1", "m2"])
    assert made.machine_of["laptop"] == made.machine_of["s1"]
    assert planned(made.topo).guests["laptop"]["port"] == 47900


def test_a_network_that_is_planned_again_leaves_its_guests_as_they_are() -> None:
    topo = switched()
    before = planned(topo)
    topo.addLink(topo.addHost("h0"), "s1")
    after = make_plan(topo, MACHINES, PlanOptions(token=TOKEN, peering_key=KEY), pins_of(before))
    assert after.guests == before.guests
    assert after.instances["m1"]["peers"] == before.instances["m1"]["peers"]


def test_what_cannot_lead_to_a_guest_is_refused() -> None:
    def refused(says: str, topo: Topo, **options: Any) -> None:
        with pytest.raises(PlanError, match=says):
            planned(topo, **options)

    topo = Topo()
    topo.addLink(topo.addGuest("phone"), topo.addGuest("laptop"), delay="5ms")
    refused("both its ends are guests", topo)
    topo = switched()
    topo.addLink("laptop", topo.addSwitch("s2"), delay="5ms")
    refused("guest laptop: it has 2 links, and must have one", topo)
    topo = switched()
    topo.addGuest("phone")
    refused("guest phone: it has 0 links", topo)
    for delay in ({}, {"delay": "0.1ms"}):
        topo = switched()
        topo.addLink(topo.addGuest("phone"), "s1", **delay)
        refused("cannot hide the way to guest phone", topo)
    topo = switched()
    topo.addLink(topo.addGuest("phone"), "s1", delay="5ms", trace="lte.up")
    refused("files of this computer, which guest phone does not have", topo)
    topo = Topo()
    topo.addSimSwitch("s1")
    topo.addLink(topo.addGuest("m1"), "s1", delay="5ms")
    refused("guest m1: a machine or an instance has that name", topo)
    with pytest.raises(PlanError, match="guest laptop: it is known by a key"):
        plan(switched())


def test_a_running_link_to_a_guest_keeps_its_options() -> None:
    link = planned(switched()).links[1]
    slower = dataclasses.replace(link.a_to_b, delay_ns=10**7)
    with pytest.raises(PlanError, match="half of it is on the computer of guest laptop"):
        changed(link, slower, link.b_to_a, 0)


def test_a_guest_has_the_options_that_it_can_have() -> None:
    topo = Topo()
    with pytest.raises(TopologyError, match="is not a UDP port"):
        topo.addGuest("laptop", port=70000)
    with pytest.raises(TopologyError):
        topo.addGuest("laptop", cpu=0.5)


def test_the_text_of_a_plan_says_who_may_join_and_where() -> None:
    assert "laptop: 10.0.0.2/8, UDP port 47900; laptop-eth0 ── s1-eth2" in str(planned(switched()))
