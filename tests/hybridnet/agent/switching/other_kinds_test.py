# SPDX-License-Identifier: MIT
"""Switches of other kinds: each goes to the maker of its kind, and ends by it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hybridnet.agent.switching import other_kinds
from hybridnet.agent.switching.other_kinds import OtherKinds
from hybridnet.describe.kinds import SwitchKind
from hybridnet.describe.schema.plans import NodePlan
from hybridnet.run.node import Switch
from hybridnet.system.journal import Journal

DONE: list[tuple[str, object]] = []


class Recorder:
    """A maker that writes down what it is told."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def create(self, nodes: Sequence[NodePlan]) -> None:
        DONE.append((f"create {self.kind}", [node["name"] for node in nodes]))

    def add_ports(self, switch: str, devices: Sequence[str]) -> None:
        DONE.append((f"ports {self.kind}", (switch, list(devices))))

    def remove(self, names: Sequence[str]) -> None:
        DONE.append((f"remove {self.kind}", list(names)))

    def destroy(self) -> None:
        DONE.append((f"destroy {self.kind}", None))


@pytest.fixture
def switches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OtherKinds:
    def of(name: str) -> SwitchKind:
        return SwitchKind(name=name, title=name, maker=lambda journal: Recorder(name), live=Switch)

    monkeypatch.setattr(other_kinds, "switch_kind", of)
    DONE.clear()
    made = OtherKinds(Journal(tmp_path, "r1"))
    made.create([plan("a1", "a"), plan("b1", "b"), plan("a2", "a")])
    return made


def plan(name: str, kind: str, *ports: str) -> NodePlan:
    return {"kind": kind, "name": name, "ports": list(ports), "options": {}}


def test_each_kind_makes_its_own_at_once(switches: OtherKinds) -> None:
    assert DONE == [("create a", ["a1", "a2"]), ("create b", ["b1"])]
    assert "a1" in switches
    assert "c1" not in switches


def test_ports_and_devices_of_the_computer_go_to_the_switch_s_own_kind(switches: OtherKinds) -> None:
    switches.add_ports([plan("b1", "b", "b1-eth1", "b1-eth2")])
    switches.add_port("a2", "eth7")
    assert DONE[2:] == [("ports b", ("b1", ["b1-eth1", "b1-eth2"])), ("ports a", ("a2", ["eth7"]))]


def test_one_that_is_removed_is_not_there_and_one_that_never_was_is_no_error(switches: OtherKinds) -> None:
    switches.remove(["a1", "never"])
    assert DONE[2:] == [("remove a", ["a1"])]
    assert "a1" not in switches
    switches.destroy()
    assert sorted(DONE[3:]) == [
        ("destroy a", None),
        ("destroy b", None),
    ]
    assert "b1" not in switches
