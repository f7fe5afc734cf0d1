# SPDX-License-Identifier: MIT
"""Cut links that pcap portals cross: each end simulates the direction that begins there; machines make the rest."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.direction import Direction
from hybridnet.errors import PlanError
from hybridnet.plan.choices.peering import parse_peering
from hybridnet.plan.network import MachineSpec, PeeringOptions, Plan
from hybridnet.plan.network.links import changed, rewritten
from hybridnet.plan.placement.balance import balance
from tests.hybridnet.plan.support import MACHINES, plan

APART = [
    MachineSpec("m1", "198.18.0.1", computer="one"),
    MachineSpec("m2", "198.18.0.2", computer="other"),
]


def routers(**options: Any) -> Topo:
    topo = Topo()
    topo.addSimRouter("r1", machine="m1", instance=1)
    topo.addSimRouter("r2", machine="m1", instance=2)
    topo.addSimRouter("r3", machine="m2")
    topo.addLink("r1", "r2", delay="1ms", **options)
    topo.addLink("r2", "r3", params1={"bw": 10, "delay": "2ms"}, params2={"bw": 20, "delay": "3ms"})
    return topo


def of_instance(made: Plan, name: str, link: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in made.instances[name]["links"] if each["name"] == link)
    return found


def test_a_machine_makes_a_veth_pair_within_itself_and_the_end_of_a_tunnel_to_another_one() -> None:
    made = plan(routers(), peering="pcap")
    tunnel = {"id": 2, "local": "198.18.0.1", "remote": "198.18.0.2", "port": 47001}
    back = {**tunnel, "local": "198.18.0.2", "remote": "198.18.0.1"}
    assert made.machines["m1"]["crossings"] == [
        {"device": "cross1a", "mtu": 1500, "other": "cross1b"},
        {"device": "cross2a", "mtu": 1500, "tunnel": tunnel},
    ]
    assert made.machines["m2"]["crossings"] == [{"device": "cross2b", "mtu": 1500, "tunnel": back}]


def test_each_end_simulates_what_it_sends_and_lets_in_what_comes() -> None:
    made = plan(routers(), peering="pcap")
    assert [instance["peers"] for instance in made.instances.values()] == [[], [], []]
    near, far = of_instance(made, "m1.2", "r2-r3"), of_instance(made, "m2", "r2-r3")
    assert near["a"] == {"interface": "r2-eth2"}
    assert near["b"] == {"portal": "p-cross2a"}
    assert far["b"] == {"portal": "p-cross2b"}
    assert (near["a_to_b"]["rate_bps"], near["a_to_b"]["delay_ns"]) == (10**7, 2 * 10**6)
    assert (far["a_to_b"]["rate_bps"], far["a_to_b"]["delay_ns"]) == (2 * 10**7, 3 * 10**6)
    assert near["b_to_a"] == far["b_to_a"] == Direction().to_json()
    portals = made.instances["m2"]["emulation_portals"]
    assert portals == [{"name": "p-cross2b", "device": "cross2b", "backend": "pcap"}]


def test_a_change_of_the_link_tells_each_end_of_its_own_direction_alone() -> None:
    made = plan(routers(), peering="pcap")
    link = next(each for each in made.links if each.name == "r2-r3")
    slow, fast = Direction(delay_ns=9 * 10**6), Direction(delay_ns=4 * 10**6)
    new, told = changed(link, slow, fast, 0)
    assert told["m1.2"]["a_to_b"]["delay_ns"] == 9 * 10**6
    assert told["m2"]["a_to_b"]["delay_ns"] == 4 * 10**6
    assert told["m1.2"]["b_to_a"] == told["m2"]["b_to_a"] == {}
    far = rewritten(new, made.instances["m2"])["links"][0]
    assert far["a_to_b"]["delay_ns"] == 4 * 10**6
    assert far["b_to_a"] == Direction().to_json()


def test_the_balance_has_cut_links_whoever_carries_them() -> None:
    by_portals = balance(plan(routers(bw=100), peering="pcap").instances.values())
    peered = balance(plan(routers(bw=100)).instances.values())
    for each in (by_portals, peered):
        assert (each.cut_links, each.cut_mbps, each.lookahead_ns) == (2, 100 + 100 + 10 + 20, 10**6)


def test_the_plan_says_which_cut_links_have_portals() -> None:
    text = str(plan(routers(), peering="pcap"))
    assert text.count("over pcap portals") == 2
    assert "over pcap portals" not in str(plan(routers()))


def test_between_computers_frames_in_clear_are_sent_only_where_that_is_said() -> None:
    with pytest.raises(PlanError, match="authenticated=False"):
        plan(routers(), APART, peering="pcap", peering_key="5" * 64)
    said = PeeringOptions(transport="pcap", authenticated=False)
    assert plan(routers(), APART, peering=said).machines["m2"]["crossings"]


def test_pcap_portals_have_no_other_options() -> None:
    with pytest.raises(PlanError, match="has no flush"):
        PeeringOptions(transport="pcap", flush="time")
    with pytest.raises(PlanError, match="has no authenticated"):
        PeeringOptions(transport="pcap", authenticated=True)
    assert parse_peering(["transport=pcap"]).by_portals


def test_a_transport_may_be_said_by_its_name_alone() -> None:
    made = plan(routers(), peering="tcp")
    assert {peer.get("transport") for peer in made.instances["m2"]["peers"]} == {"tcp"}
    with pytest.raises(PlanError, match="pigeon"):
        plan(routers(), MACHINES, peering="pigeon")
