# SPDX-License-Identifier: MIT
"""Several instances of one machine, as the head asks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net
from hybridnet.describe.topo import Topo
from hybridnet.errors import MachineError
from hybridnet.run.net import startup
from hybridnet.run.net.instances import by_instance, call_instances
from tests.hybridnet.run.net.support import FakeCluster


class Row(Topo):
    """r1 - r2 - r3 in three instances of one machine."""

    def build(self) -> None:
        for number in (1, 2, 3):
            self.addSimRouter(f"r{number}", instance=number)
        self.addLink("r1", "r2", delay="5ms")
        self.addLink("r2", "r3", delay="5ms")


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster("m1")


@pytest.fixture
def net(cluster: FakeCluster) -> Iterator[Net]:
    with Net(Row(), cluster=cluster, controller=None) as net:  # type: ignore[arg-type]
        yield net


def told(cluster: FakeCluster, verb: str) -> list[dict[str, Any]]:
    return [arguments for _, called, arguments in cluster.calls if called == verb]


def test_both_instances_of_a_cut_link_are_told_their_side(net: Net, cluster: FakeCluster) -> None:
    net.set_link("r1", "r2", params1={"delay": "8ms"}, params2={"delay": "9ms"})
    one, other = told(cluster, "set_link")
    assert (one["instance"], one["a_to_b"]["delay_ns"]) == ("m1.1", 8_000_000)
    assert (other["instance"], other["a_to_b"]["delay_ns"]) == ("m1.2", 9_000_000)  # its own end is `a` there
    assert net.plan is not None
    kept = {name: plan["links"][0]["a_to_b"]["delay_ns"] for name, plan in net.plan.instances.items()}
    assert kept == {"m1.1": 8_000_000, "m1.2": 9_000_000, "m1.3": 5_000_000}


def test_a_link_down_and_its_routes_reach_every_instance(net: Net, cluster: FakeCluster) -> None:
    net.configLinkStatus("r2", "r3", "down", reroute=True)
    assert [each["instance"] for each in told(cluster, "set_link")] == ["m1.2", "m1.3"]
    assert [each["instance"] for each in told(cluster, "set_routes")] == ["m1.1", "m1.2", "m1.3"]


def test_a_timeline_tells_each_instance_its_own_entries(net: Net, cluster: FakeCluster) -> None:
    row = {"entry": 0, "late_ns": 0, "error": ""}
    timeline = net.timeline(
        [(1, {"link": ("r2", "r3"), "status": "down"}), (2, {"link": ("r1", "r2"), "bw": 5})]
    )
    [arguments] = told(cluster, "schedule")
    assert {name: [each["at_ns"] for each in own] for name, own in arguments["entries"].items()} == {
        "m1.1": [2_000_000_000],
        "m1.2": [1_000_000_000, 2_000_000_000],
        "m1.3": [1_000_000_000],
    }
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {"m1.1": [row]}, "interfaces": []}
    [event] = timeline.events
    assert (event.at_s, event.machine, event.instance) == (2.0, "m1", "m1.1")


def test_a_new_node_joins_the_instance_of_its_neighbour(net: Net, cluster: FakeCluster) -> None:
    with net.changes():
        net.addSimHost("v3")
        net.addLink("v3", "r3")
    [change] = told(cluster, "change")
    came = {part["name"]: [node["name"] for node in part["nodes"]] for part in change["add"]["instances"]}
    assert came == {"m1.1": [], "m1.2": [], "m1.3": ["v3"]}  # all have routes to it


def test_calls_of_one_machine_are_made_one_after_the_other(cluster: FakeCluster) -> None:
    cluster = FakeCluster("m1", "m2")
    cluster.answers["set_routes"] = lambda **_: None
    machine_of = {"a": "m1", "b": "m1", "c": "m2"}
    call_instances(cluster, machine_of, {name: ("set_routes", {}) for name in machine_of})  # type: ignore[arg-type]
    assert [(machine, each["instance"]) for machine, _, each in cluster.calls] == [
        ("m1", "a"),
        ("m2", "c"),
        ("m1", "b"),
    ]


def test_answers_are_by_instance_and_none_for_a_machine_without() -> None:
    assert by_instance({"m1": {"m1.1": 1, "m1.2": 2}, "m2": {}}) == {"m1.1": 1, "m1.2": 2, "m2": None}


def test_peers_that_do_not_hear_each_other_are_named(net: Net, cluster: FakeCluster) -> None:
    assert net.plan is not None
    deaf = {"m1.1": {"peers": [{"name": "m1.2", "synchronized": False}]}}
    cluster.answers["snapshot"] = lambda machine, of_elements: deaf
    with pytest.raises(MachineError, match=r"instances m1.1 and m1.2 do not hear each other"):
        startup.await_peers(cluster, net.plan.instances, patience_s=0)  # type: ignore[arg-type]
