# SPDX-License-Identifier: MIT
"""Idempotent; errors are collected, and every part is ended; a second stop finishes what is left; a restart begins
afresh."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import ControllerError, MachineError, UsageError
from hybridnet.run.controllers.kinds import Controller, RemoteController
from hybridnet.run.net import Net
from hybridnet.run.node import Host
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.run.net.net_test import Recorded, fake, sim_pair, told
from tests.hybridnet.run.net.support import FakeCluster


class Fragile(Host):
    """A host whose methods fail where a test says so."""

    fails: str = ""

    def config(self, **_: Any) -> None:
        if self.fails == "config":
            raise RuntimeError("config of the user's class")

    def terminate(self) -> None:
        if self.fails == "terminate":
            raise RuntimeError("terminate of the user's class")


class Stubborn(Recorded):
    """A controller that does not end at once."""

    refusals = 1

    def end(self) -> None:
        super().end()
        if self.refusals:
            self.refusals -= 1
            raise ControllerError("controller c0 does not end")


def network(cluster: FakeCluster, **options: Any) -> Net:
    return Net(SingleSwitchTopo(k=2), cluster=cluster, **{"controller": Recorded(), **options})  # type: ignore[arg-type]


def test_a_node_that_cannot_terminate_keeps_nothing_else_from_ending() -> None:
    cluster, controller = FakeCluster(), Recorded()
    net = network(cluster, host=Fragile, controller=controller)
    net.start()
    net["h1"].fails = "terminate"
    with pytest.raises(RuntimeError, match="terminate of the user's class"):
        net.stop()
    assert cluster.verbs()[-1] == "destroy"
    assert controller.log[-1] == "end"
    with pytest.raises(MachineError, match="not running"):
        net["h2"].cmd("true")
    net.stop()
    assert cluster.verbs().count("destroy") == 1


def test_a_controller_that_cannot_end_is_ended_by_the_second_stop() -> None:
    cluster, controller = FakeCluster(), Stubborn()
    net = network(cluster, controller=controller)
    net.start()
    with pytest.raises(ControllerError, match="does not end"):
        net.stop()
    assert cluster.verbs()[-1] == "destroy"
    net.stop()
    assert controller.log.count("end") == 2
    net.stop()
    assert controller.log.count("end") == 2


def test_a_machine_that_cannot_take_its_part_down_is_asked_again() -> None:
    cluster, controller = FakeCluster(), Recorded()
    net = network(cluster, controller=controller)
    net.start()

    def refuse(machine: str) -> None:
        raise MachineError(f"machine {machine}: busy")

    cluster.answers["destroy"] = refuse
    with pytest.raises(MachineError, match="busy"):
        net.stop()
    assert controller.log[-1] == "end"
    del cluster.answers["destroy"]
    net.stop()
    assert cluster.verbs().count("destroy") == 2


def test_a_network_whose_stop_failed_is_stopped_before_it_starts_again() -> None:
    cluster, controller = FakeCluster(), Stubborn()
    net = network(cluster, controller=controller)
    net.start()
    with pytest.raises(ControllerError):
        net.stop()
    net.start()
    assert controller.log == ["begin 127.0.0.1", "ready", "end", "end", "begin 127.0.0.1", "ready"]
    net.stop()


def test_an_error_of_a_users_config_removes_the_network_and_is_the_error() -> None:
    cluster, controller = FakeCluster(), Stubborn()
    net = network(cluster, host=Fragile, controller=controller)
    net["h2"].fails = "config"
    with pytest.raises(RuntimeError, match="config of the user's class"):
        net.start()
    assert cluster.verbs()[-1] == "destroy"
    net.stop()
    assert controller.log.count("end") == 2


@pytest.mark.parametrize("step", ["begin", "ready"])
def test_an_error_of_one_controller_ends_the_others(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Recorded("c0"), Recorded("c1")

    def fail(*_: Any) -> None:
        raise OSError("out of luck")

    monkeypatch.setattr(second, step, fail)
    cluster = FakeCluster()
    net = network(cluster, controller=[first, second])
    with pytest.raises(OSError, match="out of luck"):
        net.start()
    assert first.log[-1] == "end"
    assert second.log[-1] == "end"
    assert "obey_controllers" not in cluster.verbs()
    assert cluster.verbs()[-1:] in ([], ["destroy"])  # nothing is built, or nothing stays


def test_changed_links_are_forgotten_by_a_restart() -> None:
    net = Net(sim_pair(bw=10, delay="5ms"), controller=None, cluster=FakeCluster())  # type: ignore[arg-type]
    fake(net).answers["set_link"] = lambda **_: None
    with net:
        net.set_link("a", "b", bw=20)
    with net:
        net.set_link("a", "b", delay="6ms")
        assert told(net)["m1"]["a_to_b"]["rate_bps"] == 10**7


def test_links_are_changed_by_nodes_as_well_as_by_names() -> None:
    with Net(SingleSwitchTopo(k=1, delay="1ms"), controller=None, cluster=FakeCluster()) as net:  # type: ignore[arg-type]
        fake(net).answers["set_link"] = lambda **_: None
        net.set_link(net["h1"], net["s1"], delay="2ms")
        assert told(net)["m1"]["a_to_b"]["delay_ns"] == 2_000_000
        net.configLinkStatus(net["h1"], net["s1"], "down")
        assert fake(net).verbs()[-2:] == ["link_down", "link_down"]


def test_a_change_that_one_machine_refuses_is_taken_back_on_the_other() -> None:
    topo = sim_pair(machine="m2", delay="5ms", bw=10)
    net = Net(topo, controller=None, cluster=FakeCluster("m1", "m2"))  # type: ignore[arg-type]
    holds: dict[str, Any] = {}

    def set_link(machine: str, **given: Any) -> None:
        if machine == "m2" and given["a_to_b"]["rate_bps"] == 2 * 10**7:
            raise MachineError("machine m2: refused")
        holds[machine] = given

    fake(net).answers["set_link"] = set_link
    with net:
        net.set_link("a", "b", delay="6ms")
        before = dict(holds)
        with pytest.raises(MachineError, match="refused"):
            net.set_link("a", "b", bw=20)
        assert holds == before
        net.set_link("a", "b", delay="7ms")
        assert holds["m1"]["a_to_b"]["rate_bps"] == 10**7


def test_several_controllers_are_begun_told_and_ended() -> None:
    cluster = FakeCluster()
    with Net(SingleSwitchTopo(k=1), controller=[Recorded("c0"), Recorded("c1")], cluster=cluster) as net:  # type: ignore[arg-type]
        assert [controller.name for controller in net.controllers] == ["c0", "c1"]
        assert net.plan is not None
        assert len(net.plan.switch("s1")["controllers"]) == 2
    logs = [controller.log for controller in net.controllers if isinstance(controller, Recorded)]
    assert [log[-1] for log in logs] == ["end", "end"]


def test_a_controller_is_added_as_miniedits_scripts_do() -> None:
    net = Net(controller=None)
    made = net.addController("c0", controller=Controller, protocol="tcp", port=6633)
    assert (made.name, made.port) == ("c0", 6633)
    net.addHost("h1")
    for name, kind, said in (
        ("c0", None, "the name is taken"),
        ("h1", None, "the name is taken"),
        ("c1", 5, "is not a controller"),
        ("c1", Host, "is not a controller"),
        (5, None, "is not text"),
        ("c1", lambda name: None, "made None, which is no(t a)? controller"),
        ("c1", lambda: None, "does not take its options"),
    ):
        with pytest.raises(UsageError, match=said):
            net.addController(name, controller=kind)
    with pytest.raises(UsageError, match="it is made already and takes no port="):
        net.addController(RemoteController("c2"), port=5)
    for wrong in (5, "tree_switch", Host, [Controller, 5]):
        with pytest.raises(UsageError, match="is not a controller"):
            Net(controller=wrong)


def test_controllers_are_classes_and_names_in_a_list() -> None:
    net = Net(controller=[Recorded, lambda name: RemoteController(name, port=6653)])
    net.addSwitch("s1")
    net._controllers.add_defaults([])
    assert [(type(each), each.name) for each in net.controllers] == [
        (Recorded, "c0"),
        (RemoteController, "c1"),
    ]
