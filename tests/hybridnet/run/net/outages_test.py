# SPDX-License-Identifier: MIT
"""An instance that ends by itself, and one that is restarted, as the head follows it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net
from hybridnet.describe.topo import Topo
from hybridnet.errors import MachineError, UsageError
from tests.hybridnet.run.net.support import FakeCluster

ENDED = {"instance": "m1.2", "from_ns": 1, "to_ns": None, "how": "was killed by signal 9"}


class Triangle(Topo):
    """r1 - r2 - r3 - r1, each in an instance of its own; the way by r2 is the short one."""

    def build(self) -> None:
        for number in (1, 2, 3):
            self.addSimRouter(f"r{number}", instance=number)
            self.addLink(self.addSimHost(f"v{number}"), f"r{number}")
        self.addLink("r1", "r2", delay="1ms")
        self.addLink("r2", "r3", delay="1ms")
        self.addLink("r1", "r3", delay="9ms")


class Watched(FakeCluster):
    """Machines that miss an instance when they are told to."""

    def __init__(self) -> None:
        super().__init__("m1")
        self.ends, self.followed = threading.Event(), threading.Event()
        self.answers["await_outages"] = self._wait
        self.answers["stop_watching"] = lambda machine: self.ends.set()
        self.answers["restart_instance"] = lambda machine, plan: None

    def _wait(self, machine: str, known: int, seconds: float) -> list[dict[str, Any]]:
        if known:
            self.followed.set()
            raise MachineError("no more")
        self.ends.wait(10)
        return [ENDED]

    def told(self, verb: str) -> list[dict[str, Any]]:
        return [arguments for _, called, arguments in self.calls if called == verb]


@pytest.fixture
def cluster() -> Watched:
    return Watched()


@pytest.fixture
def net(cluster: Watched) -> Iterator[Net]:
    with Net(Triangle(), cluster=cluster, controller=None, reroute=True, record="/run/r") as net:  # type: ignore[arg-type]
        yield net


def ways(told: dict[str, Any], router: str) -> set[str]:
    return {route["via"] for route in told["routes"][router]}


def test_the_other_ends_of_its_links_go_down_and_routers_go_around(net: Net, cluster: Watched) -> None:
    cluster.ends.set()
    assert cluster.followed.wait(10)
    told = {(each["instance"], each["link"], each["up"]) for each in cluster.told("set_link")}
    assert told == {("m1.1", "r1-r2", False), ("m1.3", "r2-r3", False)}
    routes = {each["instance"]: each for each in cluster.told("set_routes")}
    assert set(routes) == {"m1.1", "m1.3"}  # nobody tells the one that is missing
    assert ways(routes["m1.1"], "r1") == {"100.64.0.10"}  # r3


def test_a_restart_sets_them_up_and_routers_have_their_ways_back(net: Net, cluster: Watched) -> None:
    net.restart_instance("m1.2")
    [plan] = [each["plan"] for each in cluster.told("restart_instance")]
    assert (plan["name"], plan["record"]) == ("m1.2", "/run/r/m1.2-2.pcapng")
    told = [(each["instance"], each["link"], each["up"]) for each in cluster.told("set_link")]
    assert told[:2] == [("m1.1", "r1-r2", False), ("m1.3", "r2-r3", False)]
    assert {("m1.1", "r1-r2", True), ("m1.3", "r2-r3", True)} <= set(told[2:])
    around, again = (each for each in cluster.told("set_routes") if each["instance"] == "m1.1")
    assert ways(around, "r1").isdisjoint(ways(again, "r1"))
    net.restart_instance("m1.2")
    assert cluster.told("restart_instance")[-1]["plan"]["record"] == "/run/r/m1.2-3.pcapng"


def test_a_link_that_the_user_set_down_stays_down(net: Net, cluster: Watched) -> None:
    net.configLinkStatus("r1", "r2", "down")
    cluster.calls.clear()
    net.restart_instance("m1.2")
    told = [(each["instance"], each["link"], each["up"]) for each in cluster.told("set_link")]
    assert ("m1.2", "r1-r2", False) in told  # the new one had it up
    assert ("m1.1", "r1-r2", True) not in told
    assert ("m1.3", "r2-r3", True) in told


def test_a_restart_takes_what_was_changed_meanwhile(net: Net, cluster: Watched) -> None:
    net.set_link("r2", "r3", delay="4ms")
    net.restart_instance("m1.2")
    [link] = [
        each for each in cluster.told("restart_instance")[0]["plan"]["links"] if each["name"] == "r2-r3"
    ]
    assert link["a_to_b"]["delay_ns"] == 4_000_000


def test_a_restart_takes_what_a_timeline_has_changed_meanwhile(net: Net, cluster: Watched) -> None:
    net.timeline([(1, {"link": ("v2", "r2"), "delay": "7ms"}), (1, {"link": ("r1", "r2"), "status": "down"})])
    fired = [{"entry": number, "late_ns": 0, "error": ""} for number in (0, 1)]
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {"m1.2": fired}, "interfaces": []}
    net.restart_instance("m1.2")
    [plan] = [each["plan"] for each in cluster.told("restart_instance")]
    [link] = [each for each in plan["links"] if each["name"] == "v2-r2"]
    assert link["a_to_b"]["delay_ns"] == 7_000_000
    ups = [each for each in cluster.told("set_link") if each["link"] == "r1-r2"]
    assert {each["up"] for each in ups} == {False}


def test_an_instance_that_there_is_not_is_refused(net: Net) -> None:
    with pytest.raises(UsageError, match=r"there is no instance 'm2'; the instances are m1.1, m1.2, m1.3"):
        net.restart_instance("m2")


class FirstOfTwo(Watched):
    """Misses r2's instance and later r3's; the first one's peers refuse what follows."""

    def __init__(self) -> None:
        super().__init__()
        self.refuses = True
        self.answers["set_link"] = self._set_link

    def _set_link(self, machine: str, **arguments: Any) -> None:
        if arguments["link"] == "r1-r2" and self.refuses:
            self.refuses = False
            raise UsageError("instance m1.1: it refuses")

    def _wait(self, machine: str, known: int, seconds: float) -> list[dict[str, Any]]:
        if known > 1:
            self.followed.set()
            raise MachineError("no more")
        self.ends.wait(10)
        return [ENDED] if known == 0 else [{**ENDED, "instance": "m1.3"}]


def test_what_fails_for_one_is_said_and_the_next_is_followed(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FirstOfTwo()
    with Net(Triangle(), cluster=cluster, controller=None, reroute=True):  # type: ignore[arg-type]
        cluster.ends.set()
        assert cluster.followed.wait(10)
        told = {(each["instance"], each["link"]) for each in cluster.told("set_link") if not each["up"]}
        assert ("m1.1", "r1-r3") in told
    said = capsys.readouterr().err
    assert "instance m1.2 was killed by signal 9; what follows from it failed" in said
    assert "instance m1.1: it refuses" in said
    assert "instance m1.3 was killed by signal 9; 2 links to it are down" in said
