# SPDX-License-Identifier: MIT
"""Several instances of a machine: who names them, what METIS divides, and what never comes apart."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import MachineSpec, Plan
from hybridnet.plan.placement.balance import balance
from tests.hybridnet.plan.support import MACHINES, plan


def ring(routers: int, hosts: int = 2, **options: Any) -> Topo:
    """r1 - r2 - ... - r1, with simulated hosts at each."""
    topo = Topo()
    for number in range(1, routers + 1):
        topo.addSimRouter(f"r{number}")
        for host in range(hosts):
            topo.addLink(topo.addSimHost(f"h{number}.{host}"), f"r{number}", bw=100, delay="0.01ms")
    for number in range(1, routers + 1):
        topo.addLink(f"r{number}", f"r{number % routers + 1}", **{"bw": 1000, "delay": "5ms", **options})
    return topo


def one(*processors: int) -> list[MachineSpec]:
    return [MachineSpec("m1", "198.18.0.1", processors=processors)]


def nodes_of(made: Plan) -> dict[str, list[str]]:
    return {name: [node["name"] for node in each["nodes"]] for name, each in made.instances.items()}


def test_one_instance_has_the_name_of_its_machine() -> None:
    made = plan(ring(2), one())
    assert list(made.instances) == ["m1"]
    assert set(made.instance_of.values()) == {"m1"}


def test_a_ring_is_divided_evenly_and_hosts_stay_with_their_router() -> None:
    made = plan(ring(8), one(), instances_per_machine=4)
    assert {name: len(nodes) for name, nodes in nodes_of(made).items()} == {
        f"m1.{number}": 6 for number in (1, 2, 3, 4)
    }
    assert made.instance_of["r1"] == "m1.1"  # in the order of the description
    for number in range(1, 9):
        assert {made.instance_of[f"h{number}.{host}"] for host in (0, 1)} == {made.instance_of[f"r{number}"]}
    compared = balance(made.instances.values())
    assert (compared.cut_links, compared.cut_mbps, compared.lookahead_ns) == (4, 8000, 5_000_000)
    # An instance has four links of hosts, one between routers, and the ends of two cut ones, both ways each.
    assert {load.mbps for load in compared.loads.values()} == {2 * (4 * 100 + 3 * 1000)}
    assert {load.share for load in compared.loads.values()} == {0.25}


def test_cut_links_go_through_shared_memory_and_their_ends_say_the_same() -> None:
    made = plan(ring(4), one(), instances_per_machine=4)
    links = [link for link in made.links if link.kind == "cut"]
    assert len(links) == 4
    for link in links:
        here, there = (made.instances[name] for name in link.instances)
        [near] = [peer for peer in here["peers"] if peer["name"] == there["name"]]
        [far] = [peer for peer in there["peers"] if peer["name"] == here["name"]]
        assert (near["local"], near["remote"]) == (far["remote"], far["local"])
        assert (near["transport"], far["transport"]) == ("shm", "shm")
        assert near["local"] != near["remote"]
    ends = [peer["local"] for each in made.instances.values() for peer in each["peers"]]
    assert len(set(ends)) == len(ends) == 8


def test_what_has_too_little_delay_is_never_cut_and_long_delays_are_cut_first() -> None:
    topo = Topo()
    for number in range(1, 21):
        topo.addSimRouter(f"r{number}")
    for number in range(1, 20):
        delay = {9: "5ms", 10: "0.01ms"}.get(number, "0.03ms")
        topo.addLink(f"r{number}", f"r{number + 1}", bw=100, delay=delay)
    made = plan(topo, one(), instances_per_machine=2)
    assert [link.name for link in made.links if link.kind == "cut"] == ["r9-r10"]  # a little off the middle
    together = plan(ring(4, delay="0.019ms"), one(), instances_per_machine=4)
    assert list(together.instances) == ["m1"]


def test_what_is_named_is_there_and_the_others_follow() -> None:
    topo = ring(3)
    topo = topo.revised({"r1": {"instance": "core"}, "r2": {"instance": 2}, "r3": {"instance": "core"}})
    made = plan(topo, one(), instances_per_machine=4)  # which divides nothing where somebody names some
    assert set(made.instances) == {"core", "m1.2"}
    assert made.instance_of["h2.1"] == "m1.2"
    assert made.instance_of["h3.1"] == "core"


def test_a_number_that_a_file_has_as_text_is_a_number() -> None:
    topo = Topo()
    topo.addSimRouter("r1", instance="2")
    topo.addSimRouter("r2", instance=2)
    assert plan(topo, one()).instance_of == {"r1": "m1.2", "r2": "m1.2"}


def test_the_portals_of_a_simple_net_are_where_it_says() -> None:
    topo = Topo()
    topo.addSwitch("s1", instance=1)
    topo.addLink(topo.addHost("h1"), "s1")
    topo.addLink("s1", topo.addSimRouter("r1", instance=2), delay="1ms")
    topo.addLink("r1", topo.addSimHost("v1"))
    made = plan(topo, one())
    assert [portal["name"] for portal in made.instances["m1.1"]["emulation_portals"]] == ["p-s1-eth2"]
    assert made.instances["m1.1"]["nodes"] == []
    assert nodes_of(made)["m1.2"] == ["r1", "v1"]
    assert {link.name: link.kind for link in made.links} == {
        "h1-s1": "veth",
        "s1-r1": "cut",
        "r1-v1": "simulated",
    }


def test_a_cut_between_two_of_a_machine_needs_delay() -> None:
    topo = Topo()
    topo.addLink(topo.addSimRouter("r1", instance=1), topo.addSimRouter("r2", instance=2), delay="15us")
    with pytest.raises(PlanError, match=r"in instances m1.1 and m1.2, and its delay \(15 us\) cannot hide"):
        plan(topo, one())
    assert plan(topo, one(), least_cut_delay_ns=15_000).links[0].kind == "cut"  # who asks for less has it


def test_an_instance_is_on_one_machine() -> None:
    topo = Topo()
    topo.addSimRouter("r1", machine="m1", instance="core")
    topo.addSimRouter("r2", machine="m2", instance="core")
    with pytest.raises(PlanError, match="node r2: instance 'core' is on machine m1, and the node on m2"):
        plan(topo)
    other = Topo()
    other.addSimRouter("r1", machine="m1", instance="m2")
    with pytest.raises(PlanError, match="instance 'm2' is on machine m2"):
        plan(other)


def test_two_machines_have_instances_of_their_own() -> None:
    topo = ring(8)
    halves = {f"r{number}": {"machine": "m1" if number < 5 else "m2"} for number in range(1, 9)}
    made = plan(topo.revised(halves), MACHINES, instances_per_machine=2)
    assert Counter(made.machine_of_instance.values()) == {"m1": 2, "m2": 2}
    for link in made.links:
        if link.kind == "cut" and link.machines[0] != link.machines[1]:
            [peer] = [p for p in made.instances[link.instances[0]]["peers"] if p["name"] == link.instances[1]]
            assert peer["local"].startswith("198.18.0.")


def test_auto_takes_what_is_free_and_says_so() -> None:
    simulated = plan(ring(8), one(0, 1), instances_per_machine="auto")
    assert len(simulated.instances) == 2
    assert simulated.notes[0] == "machine m1: 2 instances at most, for 2 processors (all of them simulate)"
    topo = ring(8)
    topo.addLink(topo.addHost("e1"), "r1")
    emulated = plan(topo, one(0, 1), instances_per_machine="auto")
    assert list(emulated.instances) == ["m1"]
    assert "1 instance at most, for 2 processors (what is emulated keeps half" in emulated.notes[0]
    assert len(plan(topo, one(0, 1, 2, 3), instances_per_machine="auto").instances) == 2


def divided(topo: Topo, **options: Any) -> list[str]:
    """What the plan says of the division."""
    return [note for note in plan(topo, one(), **options).notes if note.startswith("machine")]


def test_a_division_that_cannot_be_is_said_with_the_reason() -> None:
    [two] = divided(ring(2), instances_per_machine=4)
    assert two.startswith("machine m1: 2 instances and not 4, because simulated links of 50 us or more")
    [whole] = divided(ring(4, delay="10us"), instances_per_machine=4)
    assert whole.startswith(
        "machine m1: instances_per_machine=4 (--instances) has no effect, because simulated"
    )
    named = ring(4).revised({"r1": {"instance": 1}})
    for wanted in (4, "auto"):
        [own] = divided(named, instances_per_machine=wanted)
        assert f"instances_per_machine={wanted!r} (--instances) has no effect" in own
        assert "instance=" in own
    assert divided(ring(4), instances_per_machine=4) == []
    assert divided(named) == []


def test_instances_have_processors_of_their_own_where_there_are_enough() -> None:
    def pinned(made: Plan) -> list[int | None]:
        return [each["realtime"]["cpu"] for each in made.instances.values()]

    assert pinned(plan(ring(4), one(0, 1, 2, 3), instances_per_machine=2)) == [3, 2]
    assert pinned(plan(ring(4), one(0, 1), instances_per_machine=4)) == [None] * 4
    assert pinned(plan(ring(4), one(0, 1))) == [None]
    topo = ring(4)
    topo.addLink(topo.addHost("e1"), "r1")
    assert pinned(plan(topo, one(0, 1), instances_per_machine=2)) == [None, None]  # the host needs one
    assert pinned(plan(topo, one(0, 1, 2), instances_per_machine=2)) == [2, 1]


def test_the_text_of_a_plan_shows_the_cut_its_lookahead_and_the_balance() -> None:
    text = str(plan(ring(4), one(), instances_per_machine=2))
    assert "├── m1.1: 6 nodes, 0 portals, links for 6800 Mbit/s (50 %)" in text
    assert "between the instances: 2 cut links for 4000 Mbit/s, lookahead 5 ms" in text
    assert "h1.0: host, h1.0-eth0 10.1.0.1/16; 0.0.0.0/0 via 10.1.255.254  in m1.1" in text
