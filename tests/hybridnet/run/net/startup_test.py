# SPDX-License-Identifier: MIT
"""Steps of starting a network."""

from __future__ import annotations

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import ControllerError
from hybridnet.run.controllers.kinds import RemoteController
from hybridnet.run.net import startup
from hybridnet.run.net.controllers import controller_targets
from hybridnet.run.net.startup import await_switches, machine_names
from hybridnet.topologies import TwoTrees
from tests.hybridnet.run.net.support import FakeCluster


def test_machines_are_those_that_the_topology_names() -> None:
    assert machine_names(TwoTrees(depth=1, machines=("m10", "m2"))) == ["m2", "m10"]
    assert machine_names(Topo()) == ["m1"]


def test_a_loopback_address_is_told_as_this_computers_address_toward_each_machine() -> None:
    here = RemoteController("c0", port=6653)
    there = RemoteController("c1", ip="192.0.2.7", port=6633, machines=["m2"])
    heads = {"m1": "198.18.0.254", "m2": "198.18.1.254"}
    assert controller_targets([here, there], heads) == {
        "m1": ["tcp:198.18.0.254:6653"],
        "m2": ["tcp:198.18.1.254:6653", "tcp:192.0.2.7:6633"],
    }


def test_progress_tells_how_many_switches_are_connected() -> None:
    cluster = FakeCluster("m1", "m2")
    told: list[str] = []
    answers = iter([{"s1": True}, {"s2": False}, {"s1": True}, {"s2": True}])
    cluster.answers["switches_connected"] = lambda machine: next(answers)
    await_switches(cluster, ["m1", "m2"], lambda: None, list, lambda machine, text: told.append(text))  # type: ignore[arg-type]
    assert told == ["1 of 2 switches connected", "2 of 2 switches connected"]


def test_a_switch_that_one_controller_refused_and_another_took_is_connected() -> None:
    cluster = FakeCluster("m1")
    answers = iter([{"s1": False}, {"s1": True}])
    cluster.answers["switches_connected"] = lambda machine: next(answers)
    await_switches(cluster, ["m1"], lambda: None, lambda: ["c0 refuses it"], None)  # type: ignore[arg-type]


def test_a_switch_that_nobody_takes_is_said_in_the_words_of_who_refused_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "REFUSED_SECONDS", 0.0)
    cluster = FakeCluster("m1")
    cluster.answers["switches_connected"] = lambda machine: {"s1": False}
    with pytest.raises(ControllerError, match=r"^c0 refuses it; c1 too$"):
        await_switches(cluster, ["m1"], lambda: None, lambda: ["c0 refuses it", "c1 too"], None)  # type: ignore[arg-type]


def test_many_missing_switches_are_named_in_part() -> None:
    cluster = FakeCluster()
    cluster.answers["switches_connected"] = lambda machine: {f"s{n}": False for n in range(1, 8)}
    with pytest.raises(
        ControllerError, match=r"7 of 7 switches \(s1, s2, s3, s4, s5 \.\.\.\) found no controller"
    ):
        await_switches(cluster, ["m1"], lambda: None, list, None, 0.0)  # type: ignore[arg-type]
