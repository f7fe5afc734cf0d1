# SPDX-License-Identifier: MIT
"""Machines and instances that join a running network and leave it, as the head has them do so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet import MachineError, Net, PlanError, Topo, TopologyError, UsageError
from hybridnet.observe.results.verdict import Word
from tests.hybridnet.run.net.ring import Ring
from tests.hybridnet.run.net.support import FakeCluster, counters


def synchronized(cluster: FakeCluster) -> None:
    cluster.answers["snapshot"] = lambda machine, of_elements: {machine: {"name": machine, "peers": []}}


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster("m1", "m2", "m3")


@pytest.fixture
def net(cluster: FakeCluster) -> Iterator[Net]:
    options: dict[str, Any] = {"on_loss": "continue"}
    with Net(Ring(), cluster=cluster, controller=None, **options) as net:
        cluster.calls.clear()
        yield net


def join(net: Net) -> None:
    with net.changes():
        net.addSimRouter("r4", machine="m4")
        net.addHost("h4", machine="m4")
        net.addLink("h4", "r4")
        net.addLink("r4", "r1", delay="1ms")


def told(cluster: FakeCluster, verb: str) -> dict[str, dict[str, Any]]:
    return {machine: arguments for machine, called, arguments in cluster.calls if called == verb}


def peers(fragment: dict[str, Any]) -> list[str]:
    return [peer["name"] for part in fragment["instances"] for peer in part["peers"]]


def test_a_machine_that_a_new_node_names_is_built_and_the_others_get_a_peer(
    net: Net, cluster: FakeCluster
) -> None:
    join(net)
    built = told(cluster, "build")["m4"]["plan"]
    assert [host["name"] for host in built["hosts"]] == ["h4"]
    assert [peer["name"] for peer in built["instances"][0]["peers"]] == ["m1"]
    changes = told(cluster, "change")
    assert peers(changes["m1"]["add"]) == ["m4"]
    assert peers(changes["m2"]["add"]) == []  # which has new routes and names only
    assert cluster.machines == ["m1", "m2", "m3", "m4"]
    assert net["h4"].machine == "m4"
    assert net["h4"].cmd("true") == "h4$ true\n"
    assert net.build_seconds["m4"] == {"pairs": 0.1}
    assert "m4" in net.snapshot()


def test_it_is_there_for_the_next_change_and_for_its_own_loss(net: Net, cluster: FakeCluster) -> None:
    join(net)
    cluster.calls.clear()
    with net.changes():
        net.addHost("h5", machine="m4")
        net.addLink("h5", "r4")
    assert "build" not in cluster.verbs()
    assert [host["name"] for host in told(cluster, "change")["m4"]["add"]["hosts"]] == ["h5"]
    cluster.lose("m4", "its agent is gone")
    net.restart_machine("m4")
    assert [host["name"] for host in told(cluster, "build")["m4"]["plan"]["hosts"]] == ["h4", "h5"]


def test_a_machine_that_cannot_be_built_changes_nothing(net: Net, cluster: FakeCluster) -> None:
    def refuse(machine: str, **_: Any) -> None:
        raise MachineError(f"machine {machine}: no memory")

    cluster.answers["build"] = refuse
    with pytest.raises(MachineError, match="machine m4: no memory"):
        join(net)
    assert cluster.refused == ["m4"]
    assert cluster.machines == ["m1", "m2", "m3"]
    assert "change" not in cluster.verbs()
    assert not {"h4", "r4"} & {spec.name for spec in net.topo.node_specs()}
    del cluster.answers["build"]
    join(net)
    assert "h4" in net


def test_where_another_machine_refuses_the_newcomer_goes_again(net: Net, cluster: FakeCluster) -> None:
    def refuse(machine: str, **_: Any) -> None:
        if machine == "m1":
            raise MachineError("machine m1: port 47000 is taken")

    cluster.answers["change"] = refuse
    with pytest.raises(MachineError, match="machine m1: port 47000 is taken"):
        join(net)
    assert cluster.refused == ["m4"]
    assert "h4" not in net


def test_a_newcomer_that_nobody_hears_goes_again_and_the_others_forget_it(
    net: Net, cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deaf(*_: Any, **__: Any) -> None:
        raise MachineError("instances m1 and m4 do not hear each other")

    monkeypatch.setattr("hybridnet.run.net.startup.await_peers", deaf)
    with pytest.raises(MachineError, match="do not hear each other"):
        join(net)
    assert cluster.machines == ["m1", "m2", "m3"]
    last = [arguments for machine, verb, arguments in cluster.calls if (machine, verb) == ("m1", "change")][
        -1
    ]
    assert peers(last["remove"]) == ["m4"]
    assert "destroy" in cluster.verbs("m4")
    assert "h4" not in net


def test_what_cannot_be_planned_starts_no_machine(net: Net, cluster: FakeCluster) -> None:
    def join_without_delay() -> None:
        with net.changes():
            net.addSimRouter("r4", machine="m4")
            net.addLink("r4", "r1")

    with pytest.raises(PlanError, match=r"its delay .* cannot hide"):
        join_without_delay()
    assert cluster.calls == []
    with pytest.raises(UsageError, match="there is no place for a machine 'x4'"):
        net.addHost("h4", machine="x4")
    assert "build" not in cluster.verbs()


def test_a_machine_leaves_with_its_nodes_and_the_others_forget_it(net: Net, cluster: FakeCluster) -> None:
    join(net)
    h4 = net["h4"]
    cluster.calls.clear()
    net.delMachine("m4")
    change = told(cluster, "change")["m1"]["remove"]
    assert peers(change) == ["m4"]
    assert [link["name"] for part in change["instances"] for link in part["links"]] == ["r4-r1"]
    assert cluster.machines == ["m1", "m2", "m3"]
    verbs = [(machine, verb) for machine, verb, _ in cluster.calls]
    assert verbs.index(("m1", "change")) < verbs.index(("m4", "destroy"))
    assert "h4" not in net
    assert "m4" not in net.snapshot()
    with pytest.raises(MachineError):
        h4.cmd("true")
    join(net)  # and may come again
    assert cluster.machines == ["m1", "m2", "m3", "m4"]
    net.stop()
    assert "m4" in net.final_counters


def test_a_machine_of_the_start_may_leave_but_not_the_last(net: Net, cluster: FakeCluster) -> None:
    net.delMachine("m1")
    net.delMachine("m3")
    with pytest.raises(UsageError, match="machine m2 is the last of the network"):
        net.delMachine("m2")
    with pytest.raises(UsageError, match="there is no machine 'm9'; the machines are m2"):
        net.delMachine("m9")
    assert [host.name for host in net.hosts] == ["h2"]


def test_a_machine_does_not_leave_while_others_cannot_do_without_it(net: Net, cluster: FakeCluster) -> None:
    def refuse(machine: str, **_: Any) -> None:
        raise MachineError(f"machine {machine}: no")

    cluster.answers["change"] = refuse
    with pytest.raises(MachineError):
        net.delMachine("m3")
    del cluster.answers["change"]
    assert cluster.machines == ["m1", "m2", "m3"]
    assert "h3" in net
    cluster.lose("m3", "its agent is gone")
    with pytest.raises(UsageError, match=r"machine m3 is lost.*net\.restart_machine"):
        net.delMachine("m3")


def test_a_node_cannot_be_on_a_machine_that_leaves(net: Net, cluster: FakeCluster) -> None:
    def leave_and_come() -> None:
        with net.changes():
            net.delMachine("m3")
            net.addHost("h9", machine="m3")

    with pytest.raises(PlanError, match="node h9: its machine m3 leaves in the same change"):
        leave_and_come()
    assert "h3" in net
    net.stop()
    with pytest.raises(MachineError, match="delMachine: the network is not running"):
        net.delMachine("m3")


def test_verdicts_judge_a_machine_from_its_coming_to_its_leaving(net: Net, cluster: FakeCluster) -> None:
    stalled = {"killed_programs": 0, "stalled_us": 0}

    def counted(machine: str) -> dict[str, Any]:
        return counters(computer=machine, memory=dict(stalled) if machine == "m4" else counters()["memory"])

    cluster.answers["counters"] = counted
    before = net.mark()
    join(net)
    inside = net.mark()
    assert net.verdict(before).word is Word.TRUSTED
    assert net.verdict(inside).word is Word.TRUSTED
    stalled["killed_programs"] = 1
    assert net.verdict(inside).word is Word.BROKEN
    net.delMachine("m4")
    assert "the kernel killed 1 programs" in str(net.verdict(before))  # while it was there
    assert net.verdict(inside).word is Word.BROKEN
    after = net.mark()
    assert net.verdict(after).word is Word.TRUSTED
    join(net)
    assert net.verdict(after).word is Word.TRUSTED  # what it counted before it came is not ours


class Instances(Topo):
    def build(self) -> None:
        self.addSimRouter("r1", machine="m1", instance=1)
        self.addSimHost("h1", machine="m1")
        self.addLink("h1", "r1", delay="1ms")


def test_an_instance_comes_with_its_first_node_and_leaves_once_it_simulates_nothing() -> None:
    cluster = FakeCluster("m1")
    synchronized(cluster)
    with Net(Instances(), cluster=cluster, controller=None) as net:  # type: ignore[arg-type]
        cluster.calls.clear()
        with net.changes():
            net.addSimRouter("r2", machine="m1", instance=2)
            net.addLink("r1", "r2", delay="1ms")
        add = told(cluster, "change")["m1"]["add"]
        assert {part["name"]: "format" in part for part in add["instances"]} == {"m1.1": False, "m1.2": True}
        assert peers(add) == ["m1.2", "m1.1"]
        with pytest.raises(UsageError, match=r"instance m1\.2 cannot leave: it simulates r2, r1-r2; remove"):
            net.delInstance("m1.2")
        net.delNode("r2")
        assert "m1.2" in net.plan.instances  # type: ignore[union-attr]
        net.delInstance("m1.2")
        remove = told(cluster, "change")["m1"]["remove"]
        assert {part["name"]: "format" in part for part in remove["instances"]} == {
            "m1.1": False,
            "m1.2": True,
        }
        assert peers(remove) == ["m1.1", "m1.2"] or peers(remove) == ["m1.2", "m1.1"]
        assert list(net.plan.instances) == ["m1.1"]  # type: ignore[union-attr]
        with pytest.raises(UsageError, match=r"there is no instance 'm1\.2'; the instances are m1\.1"):
            net.delInstance("m1.2")


def test_the_description_is_as_before_where_a_newcomer_is_refused(net: Net) -> None:
    def describe() -> None:
        with net.changes():
            net.addHost("h4", machine="m4")
            net.addLink("h4", "nobody")

    with pytest.raises(TopologyError):
        describe()
    assert "h4" not in net


def test_what_a_machine_elsewhere_has_captured_is_kept_before_it_ends(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    fetched: list[tuple[str, str]] = []

    def piece(machine: str, path: str, offset: int, size: int) -> bytes:
        fetched.append((machine, path))
        assert "destroy" in cluster.verbs(machine), "the captures are complete"
        return b"" if offset else f"{machine} {path}".encode()

    cluster.answers["read_piece"] = piece
    cluster.answers["start_capture"] = lambda **_: None
    cluster.answers["restart_instance"] = lambda **_: None
    files = {"r3-eth1": "/there/r3.pcapng", "r1-eth1": "/there/r1.pcapng"}
    with Net(Ring(), cluster=cluster, controller=None, captures=files, out=tmp_path / "run") as net:
        net.capture("r3-eth2", "/there/late.pcapng")
        net.restart_instance("m1")
        net.delMachine("m3")
        assert sorted(fetched) == [*2 * [("m3", "/there/late.pcapng")], *2 * [("m3", "/there/r3.pcapng")]]
        assert cluster.machines == ["m1", "m2"]
    kept = {file.name: file.read_text() for file in (tmp_path / "run" / "network-1" / "captures").iterdir()}
    assert kept == {
        "m3-r3.pcapng": "m3 /there/r3.pcapng",
        "m3-late.pcapng": "m3 /there/late.pcapng",
        "m1-r1.pcapng": "m1 /there/r1.pcapng",
        "m1-r1-2.pcapng": "m1 /there/r1-2.pcapng",
    }
