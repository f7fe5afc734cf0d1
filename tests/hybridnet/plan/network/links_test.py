# SPDX-License-Identifier: MIT
"""What each link becomes: veth, patch, simulated link or cut link, with portals and peers where they
belong.
"""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError, TopologyError
from hybridnet.plan.network import MachineSpec
from tests.hybridnet.plan.support import MACHINES, plan


def nodes(**kinds: str) -> Topo:
    """Nodes by name: "host m1", "switch", "simrouter m2" ..."""
    topo = Topo()
    add = {
        "host": topo.addHost,
        "switch": topo.addSwitch,
        "simrouter": topo.addSimRouter,
        "simswitch": topo.addSimSwitch,
    }
    for name, text in kinds.items():
        kind, *machine = text.split()
        add[kind](name, **({"machine": machine[0]} if machine else {}))
    return topo


@pytest.mark.parametrize(
    ("a", "b", "kind"), [("host", "switch", "veth"), ("host", "host", "veth"), ("switch", "switch", "patch")]
)
def test_plain_links_between_emulated_nodes_stay_in_the_kernel_or_the_switch(
    a: str, b: str, kind: str
) -> None:
    topo = nodes(n1=a, n2=b)
    topo.addLink("n1", "n2")
    made = plan(topo)
    assert [link.kind for link in made.links] == [kind]
    assert [pair["kind"] for pair in made.machines["m1"]["pairs"]] == [kind]
    assert made.machines["m1"]["instances"] == []


def test_no_switches_of_a_machine_are_joined_by_patches_where_one_runs_rstp() -> None:
    topo = nodes(s2="switch", s3="switch")
    topo.addSwitch("s1", stp="rstp")
    topo.addLink("s1", "s2", patch=True)
    topo.addLink("s2", "s3")
    assert [pair["kind"] for pair in plan(topo).machines["m1"]["pairs"]] == ["veth", "veth"]


def test_stp_needs_no_devices() -> None:
    topo = nodes(s2="switch")
    topo.addSwitch("s1", stp=True)
    topo.addLink("s1", "s2")
    assert [pair["kind"] for pair in plan(topo).machines["m1"]["pairs"]] == ["patch"]


def test_switches_are_joined_by_devices_where_no_patch_is_wanted() -> None:
    topo = nodes(s1="switch", s2="switch")
    topo.addLink("s1", "s2", patch=False, mtu=9000)
    (pair,) = plan(topo).machines["m1"]["pairs"]
    assert pair == {
        "kind": "veth",
        "a": {"node": "s1", "interface": "s1-eth1", "mtu": 9000},
        "b": {"node": "s2", "interface": "s2-eth1", "mtu": 9000},
    }
    with pytest.raises(TopologyError, match="link s1-s2: patch 1 is neither True nor False"):
        topo.addLink("s1", "s2", patch=1)


@pytest.mark.parametrize(
    "options", [{"bw": 10}, {"delay": "5ms"}, {"max_queue_size": 9}, {"params1": {"bw": 1}}]
)
def test_an_emulated_link_that_asks_for_something_is_simulated_between_two_portals(
    options: dict[str, Any],
) -> None:
    topo = nodes(h1="host", s1="switch")
    topo.addLink("h1", "s1", **options)
    machine = plan(topo).machines["m1"]
    assert machine["pairs"] == []
    assert machine["portals"] == [
        {"name": "p-h1-eth0", "node": "h1", "interface": "h1-eth0", "device": "h1-eth0p"},
        {"name": "p-s1-eth1", "node": "s1", "interface": "s1-eth1", "device": "s1-eth1p"},
    ]
    link = machine["instances"][0]["links"][0]
    assert (link["a"], link["b"]) == ({"portal": "p-h1-eth0"}, {"portal": "p-s1-eth1"})
    assert [p["device"] for p in machine["instances"][0]["emulation_portals"]] == ["h1-eth0p", "s1-eth1p"]


def test_a_switch_beside_a_router_gets_one_portal() -> None:
    topo = nodes(s1="switch", r1="simrouter")
    topo.addLink("s1", "r1")
    machine = plan(topo, backend="pcap").machines["m1"]
    assert machine["instances"][0]["emulation_portals"] == [
        {"name": "p-s1-eth1", "device": "s1-eth1p", "backend": "pcap"}
    ]
    link = machine["instances"][0]["links"][0]
    assert (link["a"], link["b"]) == ({"portal": "p-s1-eth1"}, {"interface": "r1-eth1"})
    assert link["a_to_b"]["rate_bps"] is None


def test_simulated_nodes_on_one_machine_are_joined_inside_the_instance() -> None:
    topo = nodes(x1="simswitch", r1="simrouter")
    topo.addLink("x1", "r1", bw=10)
    machine = plan(topo).machines["m1"]
    assert machine["portals"] == []
    assert machine["instances"][0]["links"][0]["a"] == {"interface": "x1-eth1"}


def test_a_cut_link_stands_in_both_instances_with_its_own_end_first() -> None:
    topo = nodes(r1="simrouter m1", r2="simrouter m2")
    topo.addLink("r1", "r2", delay="5ms", params1={"bw": 10}, params2={"bw": 20})
    made = plan(topo)
    (left,), (right,) = (made.machines[name]["instances"][0]["links"] for name in ("m1", "m2"))
    assert left["name"] == right["name"] == "r1-r2"
    assert (left["a"], left["b"]) == ({"interface": "r1-eth1"}, {"peer": "m2", "channel": 0})
    assert (right["a"], right["b"]) == ({"interface": "r2-eth1"}, {"peer": "m1", "channel": 0})
    assert left["a_to_b"]["rate_bps"] == right["b_to_a"]["rate_bps"] == 10 * 10**6
    assert left["b_to_a"]["rate_bps"] == right["a_to_b"]["rate_bps"] == 20 * 10**6


def test_a_cut_link_between_emulated_nodes_has_a_portal_at_each_end() -> None:
    topo = nodes(s1="switch m1", s2="switch m2")
    topo.addLink("s1", "s2", delay="1ms")
    made = plan(topo)
    for machine, switch, other in (("m1", "s1", "m2"), ("m2", "s2", "m1")):
        plans = made.machines[machine]
        assert [portal["interface"] for portal in plans["portals"]] == [f"{switch}-eth1"]
        link = plans["instances"][0]["links"][0]
        assert (link["a"], link["b"]) == ({"portal": f"p-{switch}-eth1"}, {"peer": other, "channel": 0})


def test_peers_of_a_pair_name_each_others_socket() -> None:
    topo = nodes(r1="simrouter m1", r2="simrouter m2")
    topo.addLink("r1", "r2", delay="1ms")
    made = plan(topo)
    (left,), (right,) = (made.machines[name]["instances"][0]["peers"] for name in ("m1", "m2"))
    assert left == {"name": "m2", "local": "198.18.0.1:47000", "remote": "198.18.0.2:47000"}
    assert (right["local"], right["remote"]) == (left["remote"], left["local"])


def test_cut_links_of_a_pair_share_the_peer_and_differ_in_the_channel() -> None:
    topo = nodes(r1="simrouter m1", r2="simrouter m2")
    for _ in range(3):
        topo.addLink("r1", "r2", delay="1ms")
    for machine in plan(topo).machines.values():
        assert len(machine["instances"][0]["peers"]) == 1
        assert [link["b"]["channel"] for link in machine["instances"][0]["links"]] == [0, 1, 2]


def test_each_pair_of_machines_has_a_port_of_its_own() -> None:
    machines = [*MACHINES, MachineSpec("m3", "198.18.0.3")]
    topo = nodes(r1="simrouter m1", r2="simrouter m2", r3="simrouter m3")
    for a, b in (("r1", "r2"), ("r2", "r3"), ("r1", "r3")):
        topo.addLink(a, b, delay="1ms")
    made = plan(topo, machines)
    used = {
        frozenset((name, peer["name"])): peer["local"].split(":")[1]
        for name, machine in made.machines.items()
        for peer in machine["instances"][0]["peers"]
    }
    assert sorted(used.values()) == ["47000", "47001", "47002"]


@pytest.mark.parametrize("delay", [None, "0", "199us"])
def test_a_cut_link_with_too_little_delay_is_refused(delay: str | None) -> None:
    topo = nodes(s1="switch m1", s2="switch m2")
    topo.addLink("s1", "s2", delay=delay)
    with pytest.raises(PlanError, match=r"link s1-s2: .*machines m1 and m2.*delay='200us' or more"):
        plan(topo)


def test_the_least_delay_of_either_direction_counts_and_can_be_set() -> None:
    topo = nodes(s1="switch m1", s2="switch m2")
    topo.addLink("s1", "s2", delay="1ms", params2={"delay": "50us"})
    with pytest.raises(PlanError, match="50 us"):
        plan(topo)
    assert plan(topo, least_cut_delay_ns=50_000).links[0].kind == "cut"


def test_what_an_end_cannot_have_is_refused() -> None:
    topo = nodes(h1="host", s1="switch")
    topo.addLink("h1", "s1", params2={"ip": "10.0.0.9/8"})
    with pytest.raises(PlanError, match="s1-eth1 is a switch's port and takes no ip"):
        plan(topo)


def test_large_frames_pass_the_ports_of_switches_and_portals_too() -> None:
    topo = nodes(h1="host", h2="host", s1="switch", s2="switch")
    topo.addLink("h1", "s1", mtu=9000)
    topo.addLink("h2", "s2", mtu=9000, delay="1ms")
    topo.addLink("s1", "s2", mtu=9000)
    machine = plan(topo).machines["m1"]
    assert machine["hosts"][0]["interfaces"][0]["mtu"] == 9000
    assert [pair["b"].get("mtu") for pair in machine["pairs"]] == [9000, None]  # a patch port has none
    assert {portal["interface"]: portal.get("mtu") for portal in machine["portals"]} == {
        "h2-eth0": 9000,
        "s2-eth1": 9000,
    }


def test_links_of_linux_bridges_are_veth_pairs() -> None:
    topo = nodes(s1="switch")
    topo.addSwitch("s2", kind="linux")
    topo.addLink("s1", "s2")
    assert plan(topo).links[0].kind == "veth"
