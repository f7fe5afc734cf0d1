# SPDX-License-Identifier: MIT
"""What each machine removes and makes when a running network changes."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.schema.check import check
from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.plan.network.difference import Change, difference
from hybridnet.plan.network.pinning import pins_of
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.plan.support import MACHINES, TOKEN, plan


def changes(topo: Topo, before: Plan, removed: set[str] | None = None, **options: Any) -> dict[str, Change]:
    """From `before` to what `topo` says now, each fragment checked against the schema."""
    pins = pins_of(before, removed or set())
    found = difference(before, make_plan(topo, MACHINES, PlanOptions(token=TOKEN, **options), pins))
    for change in found.values():
        for fragment in (change.remove, change.add):
            check(fragment, "machine", "fragment", part="fragment")
    return found


def contents(fragment: dict[str, Any]) -> dict[str, list[str]]:
    """The names of what a fragment has, where it has something."""
    inside = {"host_parts": "interfaces", "switch_parts": "ports"}
    found = {key: [item["name"] for item in fragment[key]] for key in ("hosts", "switches", "portals")} | {
        key: [item["name"] for part in fragment[key] for item in part[name]] for key, name in inside.items()
    }
    found["pairs"] = [
        f"{pair['kind']} {pair['a']['interface']} {pair['b']['interface']}" for pair in fragment["pairs"]
    ]
    for key in ("nodes", "emulation_portals", "peers", "links", "routes"):
        part = (fragment["instances"] or [{}])[0].get(key, [])
        found[key] = list(part) if key == "routes" else [item["name"] for item in part]
    return {key: names for key, names in found.items() if names}


def test_nothing_changes_nothing() -> None:
    topo = SingleSwitchTopo(k=3)
    assert changes(topo, plan(topo)) == {}


def test_a_host_and_its_link_are_one_fragment_and_the_reverse_takes_them_away() -> None:
    topo = SingleSwitchTopo(k=2)
    before = plan(topo)
    topo.addLink(topo.addHost("h3"), "s1")
    found = changes(topo, before)
    assert list(found) == ["m1"]
    assert contents(found["m1"].remove) == {}
    assert contents(found["m1"].add) == {
        "hosts": ["h3"],
        "switch_parts": ["s1-eth3"],
        "pairs": ["veth h3-eth0 s1-eth3"],
    }
    assert found["m1"].reverse() == Change(found["m1"].add, found["m1"].remove)


def test_what_one_machine_removes_is_what_it_would_have_added() -> None:
    topo = SingleSwitchTopo(k=2)
    small = plan(topo)
    topo.addLink(topo.addHost("h3"), "s1")
    add = changes(topo, small)["m1"]
    large = make_plan(topo, MACHINES, PlanOptions(token=TOKEN), pins_of(small))
    topo.delNode("h3")
    assert changes(topo, large)["m1"] == add.reverse()


def test_a_link_between_nodes_that_stay_is_parts_of_them() -> None:
    topo = SingleSwitchTopo(k=2)
    topo.addSwitch("s2")
    before = plan(topo)
    topo.addLink("h1", "h2")
    topo.addLink("s1", "s2")
    assert contents(changes(topo, before)["m1"].add) == {
        "host_parts": ["h1-eth1", "h2-eth1"],
        "switch_parts": ["s1-eth3", "s2-eth1"],
        "pairs": ["veth h1-eth1 h2-eth1", "patch s1-eth3 s2-eth1"],
    }


def test_hosts_know_a_new_neighbour_and_forget_one_that_has_gone() -> None:
    topo = SingleSwitchTopo(k=2)
    before = plan(topo, auto_static_arp=True)
    topo.delNode("h1")
    topo.addLink(topo.addHost("h3", ip="10.0.0.3"), "s1")
    change = changes(topo, before, auto_static_arp=True)["m1"]
    [less], [more] = change.remove["host_parts"], change.add["host_parts"]
    assert [(part["name"], entry["address"]) for part in (less, more) for entry in part["arp"]] == [
        ("h2", "10.0.0.1"),
        ("h2", "10.0.0.3"),
    ]


def test_a_link_that_becomes_simulated_makes_both_its_ends_anew() -> None:
    topo = SingleSwitchTopo(k=2)
    before = plan(topo)
    topo.delLink("h1", "s1")
    topo.addLink("h1", "s1", 0, 1, delay="5ms")
    change = changes(topo, before, {"h1-s1"})["m1"]
    assert contents(change.remove) == {
        "host_parts": ["h1-eth0"],
        "switch_parts": ["s1-eth1"],
        "pairs": ["veth h1-eth0 s1-eth1"],
    }
    assert contents(change.add) == {
        "host_parts": ["h1-eth0"],
        "switch_parts": ["s1-eth1"],
        "portals": ["p-h1-eth0", "p-s1-eth1"],
        "emulation_portals": ["p-h1-eth0", "p-s1-eth1"],
        "links": ["h1-s1"],
    }
    assert change.add["instances"][0]["format"] == 1  # the instance starts with it


def test_an_interface_with_another_address_takes_its_pair_and_its_routes_with_it() -> None:
    topo = SingleSwitchTopo(k=1)
    topo.addHost("h9", routes=[("192.168.0.0/16", "10.0.0.1")])
    topo.addLink("h9", "s1")
    before = plan(topo)
    topo.delLink("h9", "s1")
    topo.addLink("h9", "s1", params1={"ip": "10.0.0.77/8"})
    change = changes(topo, before, {"h9-s1"})["m1"]
    for fragment in (change.remove, change.add):
        assert contents(fragment)["pairs"] == ["veth h9-eth0 s1-eth2"]
        assert [route["prefix"] for route in fragment["host_parts"][0]["routes"]] == ["192.168.0.0/16"]
    assert change.add["host_parts"][0]["interfaces"][0]["addresses"] == ["10.0.0.77/8"]


def test_a_running_instance_gets_parts_and_the_new_routes_of_routers_that_stay() -> None:
    topo = Topo()
    for name in ("r1", "r2"):
        topo.addSimRouter(name)
    topo.addLink("r1", "r2", delay="1ms")
    topo.addLink(topo.addHost("h1"), "r1")
    before = plan(topo)
    topo.addLink(topo.addSimHost("h2"), "r2")
    change = changes(topo, before)["m1"]
    added = contents(change.add)
    assert (added["nodes"], added["links"], added["routes"]) == (["h2"], ["h2-r2"], ["r1"])
    assert [(node, own[0]["name"]) for node, own in change.add["instances"][0]["interfaces"].items()] == [
        ("r2", "r2-eth2")
    ]
    assert contents(change.remove) == {"routes": ["r1"]}


def test_two_machines_each_have_their_part_of_a_cut_link() -> None:
    topo = Topo()
    for name in ("m1", "m2"):
        topo.addSwitch(f"s{name[1:]}", machine=name)
    topo.addLink("s1", "s2", delay="1ms")
    before = plan(topo)
    topo.addLink("s1", "s2", delay="2ms")
    found = changes(topo, before)
    assert {name: contents(change.add)["links"] for name, change in found.items()} == {
        "m1": ["s1-s2#1"],
        "m2": ["s1-s2#1"],
    }


def apart() -> Topo:
    """A switch and a simulated host on each of two machines, and nothing between the two."""
    topo = Topo()
    for machine in ("m1", "m2"):
        topo.addSwitch(f"s{machine[1:]}", machine=machine)
        topo.addLink(topo.addSimHost(f"h{machine[1:]}"), f"s{machine[1:]}")
    return topo


def test_instances_that_nothing_has_joined_become_peers_with_their_first_cut_link() -> None:
    topo = apart()
    before = plan(topo)
    topo.addLink("s1", "s2", delay="1ms")
    found = changes(topo, before)
    assert {name: contents(change.add)["peers"] for name, change in found.items()} == {
        "m1": ["m2"],
        "m2": ["m1"],
    }
    assert not any("peers" in contents(change.remove) for change in found.values())


def test_a_peer_stays_when_the_last_link_to_it_goes_and_leaves_with_its_machine() -> None:
    topo = apart()
    topo.addLink("s1", "s2", delay="1ms")
    joined = plan(topo)
    topo.delLink("s1", "s2")
    without_link = make_plan(topo, MACHINES, PlanOptions(token=TOKEN), pins_of(joined, {"s1-s2"}))
    assert [peer["name"] for peer in without_link.instances["m1"]["peers"]] == ["m2"]
    for node in ("s2", "h2"):
        topo.delNode(node)
    alone = make_plan(
        topo, MACHINES[:1], PlanOptions(token=TOKEN), pins_of(without_link, {"h2-s2"}, left={"m2"})
    )
    found = difference(without_link, alone)
    assert list(found) == ["m1"]
    assert contents(found["m1"].remove) == {"peers": ["m2"]}
    assert contents(found["m1"].add) == {}


def test_a_machine_that_only_one_plan_has_is_no_difference() -> None:
    topo = apart()
    two = plan(topo)
    third = MachineSpec("m3", "198.18.0.3")
    topo.addSwitch("s3", machine="m3")
    three = make_plan(topo, [*MACHINES, third], PlanOptions(token=TOKEN), pins_of(two))
    assert difference(two, three) == {}
    assert [switch["name"] for switch in three.machines["m3"]["switches"]] == ["s3"]


def test_an_instance_that_leaves_is_whole_in_what_is_removed() -> None:
    topo = Topo()
    topo.addSimRouter("r1", instance=1)
    topo.addSimRouter("r2", instance=2)
    topo.addLink("r1", "r2", delay="1ms")
    before = plan(topo)
    topo.delNode("r2")
    after = make_plan(topo, MACHINES, PlanOptions(token=TOKEN), pins_of(before, {"r1-r2"}, left={"m1.2"}))
    change = difference(before, after)["m1"]
    for fragment in (change.remove, change.add):
        check(fragment, "machine", "fragment", part="fragment")
    whole = next(part for part in change.remove["instances"] if "format" in part)
    assert whole["name"] == "m1.2"
    part = next(part for part in change.remove["instances"] if part["name"] == "m1.1")
    assert [peer["name"] for peer in part["peers"]] == ["m1.2"]


def test_a_node_cannot_come_again_as_another_in_one_change() -> None:
    topo = SingleSwitchTopo(k=1)
    before = plan(topo)
    topo.delNode("h1")
    topo.addHost("h1", privateDirs=["/var/log"])
    with pytest.raises(PlanError, match="host h1: its private_dirs cannot change"):
        changes(topo, before)
    topo.delNode("s1")
    topo.addSwitch("s1", failMode="standalone")
    topo.delNode("h1")
    with pytest.raises(PlanError, match="switch s1: its fail_mode cannot change from secure to standalone"):
        changes(topo, before)
