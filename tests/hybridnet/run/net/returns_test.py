# SPDX-License-Identifier: MIT
"""A machine that was lost and returns, as the head brings it back."""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet import Host, MachineError, Net, Ryu, UsageError
from hybridnet.topologies import TwoTrees
from tests.hybridnet.run.net.ring import Ring
from tests.hybridnet.run.net.support import FakeCluster, counters


class Configured(Host):
    """A host that counts how often it was configured."""

    times = 0

    def config(self, **_: Any) -> None:
        self.times += 1


class Machines(FakeCluster):
    """Three of them, which can be asked what they were told."""

    def __init__(self) -> None:
        super().__init__("m1", "m2", "m3")

    def told(self, verb: str) -> list[tuple[str, dict[str, Any]]]:
        return [(machine, arguments) for machine, called, arguments in self.calls if called == verb]


@pytest.fixture
def cluster() -> Machines:
    return Machines()


@pytest.fixture
def net(cluster: Machines) -> Iterator[Net]:
    options: dict[str, Any] = {"reroute": True, "on_loss": "continue", "record": "/run/r"}
    with Net(Ring(), host=Configured, cluster=cluster, controller=None, **options) as net:
        yield net


def lose(cluster: Machines, machine: str = "m2") -> None:
    """The machine is lost, and what follows from that has happened; what was told before is forgotten."""
    cluster.calls.clear()
    cluster.lose(machine, "its agent is gone", at_s=time.monotonic())
    for thread in threading.enumerate():
        if thread.name == f"loss of {machine}":
            thread.join()


def test_its_part_is_built_as_it_is_now_into_files_of_its_own(net: Net, cluster: Machines) -> None:
    net.set_link("r2", "r3", delay="4ms")
    lose(cluster)
    net.restart_machine("m2")
    [(machine, built)] = cluster.told("build")
    assert machine == "m2"
    assert [host["name"] for host in built["plan"]["hosts"]] == ["h2"]
    [instance] = built["plan"]["instances"]
    assert instance["record"] == "/run/r/m2-2.pcapng"
    delays = {link["name"]: link["a_to_b"]["delay_ns"] for link in instance["links"]}
    assert delays["r2-r3"] == 4_000_000
    assert cluster.lost() == {}
    assert net.build_seconds["m2"] == {"pairs": 0.1}
    lose(cluster)
    net.restart_machine("m2")
    [(_, built)] = cluster.told("build")
    assert built["plan"]["instances"][0]["record"] == "/run/r/m2-3.pcapng"


def test_links_to_it_come_up_and_routers_have_their_ways_back(net: Net, cluster: Machines) -> None:
    lose(cluster)
    net.restart_machine("m2")
    up = {(machine, each["link"]) for machine, each in cluster.told("set_link") if each["up"]}
    assert up == {("m1", "r1-r2"), ("m2", "r1-r2"), ("m2", "r2-r3"), ("m3", "r2-r3")}
    around, again = [each["routes"]["r1"] for machine, each in cluster.told("set_routes") if machine == "m1"]
    assert {route["via"] for route in around} == {"100.64.0.10"}  # r3
    assert "100.64.0.10" not in {route["via"] for route in again}
    assert {machine for machine, _ in cluster.told("set_routes")} == {"m1", "m2", "m3"}


def test_a_link_to_another_machine_that_is_lost_stays_down(net: Net, cluster: Machines) -> None:
    lose(cluster, "m3")
    lose(cluster)
    net.restart_machine("m2")
    up = {(machine, each["link"]) for machine, each in cluster.told("set_link") if each["up"]}
    assert up == {("m1", "r1-r2"), ("m2", "r1-r2")}
    assert list(cluster.lost()) == ["m3"]


def test_links_that_the_user_set_down_are_down_again(net: Net, cluster: Machines) -> None:
    net.configLinkStatus("h2", "r2", "down")
    net.configLinkStatus("r2", "r3", "down")
    lose(cluster)
    net.restart_machine("m2")
    assert cluster.told("link_down") == [("m2", {"node": "h2", "interface": "h2-eth0"})]
    up = {(machine, each["link"]) for machine, each in cluster.told("set_link") if each["up"]}
    assert up == {("m1", "r1-r2"), ("m2", "r1-r2")}
    assert ("m2", False) in {(machine, each["up"]) for machine, each in cluster.told("set_link")}


def test_a_network_that_changed_meanwhile_is_what_it_returns_to(net: Net, cluster: Machines) -> None:
    lose(cluster)
    cluster.calls.clear()
    with net.changes():
        net.addHost("h9", machine="m1")
        net.addLink("h9", "r1")
        net.addHost("h8", machine="m2")
        net.addLink("h8", "r2")
        net.addLink("r2", "r3", delay="2ms")
    assert {machine for machine, _ in cluster.told("change")} == {"m1", "m3"}
    down = [each["link"] for machine, each in cluster.told("set_link") if machine == "m3" and not each["up"]]
    assert len(down) == 2  # r2 - r3, and the new one beside it
    assert cluster.told("set_routes")  # the routes of the new plan lead to r2
    with pytest.raises(MachineError, match="machine m2: its agent is gone"):
        net["h8"].cmd("true")
    net.restart_machine("m2")
    [(_, built)] = cluster.told("build")
    assert [host["name"] for host in built["plan"]["hosts"]] == ["h2", "h8"]
    assert ["h9", "h9-eth0"] in built["plan"]["names"].values()
    assert net["h8"].cmd("true") == "h8$ true\n"


def test_links_that_change_while_it_is_lost_are_so_at_the_other_end_and_when_it_returns(
    net: Net, cluster: Machines
) -> None:
    lose(cluster)
    cluster.calls.clear()
    net.set_link("r1", "r2", delay="7ms")
    net.set_link("h2", "r2", bw=10)
    net.configLinkStatus("h2", "r2", "down")
    net.configLinkStatus("r2", "r3", "down")
    told = [(machine, each["link"], each.get("up")) for machine, each in cluster.told("set_link")]
    assert told == [("m1", "r1-r2", None), ("m3", "r2-r3", False)]
    cluster.calls.clear()
    net.configLinkStatus("r2", "r3", "up")
    assert cluster.told("set_link") == []  # there is nobody to send to, until m2 is back
    net.restart_machine("m2")
    [(_, built)] = cluster.told("build")
    links = {link["name"]: link for link in built["plan"]["instances"][0]["links"]}
    assert links["r1-r2"]["a_to_b"]["delay_ns"] == 7_000_000
    assert links["h2-r2"]["a_to_b"]["rate_bps"] == 10_000_000
    assert cluster.told("link_down") == [("m2", {"node": "h2", "interface": "h2-eth0"})]
    assert {(m, each["link"]) for m, each in cluster.told("set_link") if each["up"]} == {
        ("m1", "r1-r2"),
        ("m2", "r1-r2"),
        ("m2", "r2-r3"),
        ("m3", "r2-r3"),
    }


def test_a_wire_of_a_lost_machine_is_simulated_when_it_returns(cluster: Machines) -> None:
    topo = Ring()
    for machine in ("m2", "m3"):
        topo.addHost(f"{machine}a", machine=machine)
        topo.addHost(f"{machine}b", machine=machine)
        topo.addLink(f"{machine}a", f"{machine}b")
    with Net(topo, cluster=cluster, controller=None, on_loss="continue") as net:  # type: ignore[arg-type]
        lose(cluster)
        net.set_link("m2a", "m2b", delay="3ms")
        net.restart_machine("m2")
    [(_, built)] = cluster.told("build")
    links = {link["name"]: link for link in built["plan"]["instances"][0]["links"]}
    assert links["m2a-m2b"]["a_to_b"]["delay_ns"] == 3_000_000


def test_a_link_of_a_lost_machine_that_the_run_cannot_go_on_without_says_why_it_is_lost(
    cluster: Machines,
) -> None:
    with Net(Ring(), cluster=cluster, controller=None) as net:  # type: ignore[arg-type]
        lose(cluster)
        with pytest.raises(MachineError, match="machine m2: its agent is gone"):
            net.set_link("r1", "r2", delay="7ms")
        delays = [each["a_to_b"]["delay_ns"] for machine, each in cluster.told("set_link") if machine == "m1"]
        assert delays == [7_000_000, 1_000_000]  # as it was
        with pytest.raises(MachineError, match="machine m2: its agent is gone"):
            net.configLinkStatus("h2", "r2", "down")


def test_its_nodes_are_as_planned_and_configured_once_more(net: Net, cluster: Machines) -> None:
    h1, h2 = net["h1"], net["h2"]
    planned = h2.IP()
    h2.defaultIntf().ip = "10.9.9.9"
    h2.sendCmd("sleep 1000")
    lose(cluster)
    with pytest.raises(MachineError, match="machine m2: its agent is gone"):
        h2.sendInt()
    net.restart_machine("m2")
    assert not h2.waiting
    assert h2.cmd("true") == "h2$ true\n"
    assert (net["h2"], h2.IP()) == (h2, planned)
    assert (h1.times, h2.times) == (1, 2)


def test_what_was_set_of_its_nodes_is_set_again_in_order(net: Net, cluster: Machines) -> None:
    h2 = net["h2"]
    net["h1"].setCPUFrac(0.1)
    h2.setDefaultRoute("dev h2-eth0")  # gone with the address
    h2.setIP("10.9.9.8/24")
    h2.setIP("10.9.9.9/24")
    h2.setMAC("02:00:00:00:00:09")
    h2.setDefaultRoute("via 10.9.9.1")
    h2.setHostRoute("10.1.1.1", "h2-eth0")
    h2.setARP("10.9.9.1", "02:00:00:00:00:01")
    h2.setCPUs("0")
    h2.setCPUFrac(0.2)
    h2.setCPUFrac(0.5)
    of_up = [
        "ip route replace default via 10.9.9.1",
        "ip route replace 10.1.1.1 dev h2-eth0",
        "ip neighbour replace 10.9.9.1 lladdr 02:00:00:00:00:01 dev h2-eth0",
    ]
    for of_link in (of_up, []):
        if not of_link:
            h2.intf().ifconfig("down")  # the kernel takes them back
        lose(cluster)
        net.restart_machine("m2")
        told = [
            " ".join(arguments["argv"]) if verb == "exec" else (verb, arguments.get("limit"))
            for machine, verb, arguments in cluster.calls
            if verb in ("exec", "limit_host", "link_down")
        ]
        assert told == [
            "ip -4 address flush dev h2-eth0 scope global",
            "ip -4 address add 10.9.9.9/24 dev h2-eth0 brd +",
            "ip link set dev h2-eth0 address 02:00:00:00:00:09",
            *of_link,
            ("limit_host", {"cores": [0]}),
            ("limit_host", {"share": 0.5}),
            *([] if of_link else [("link_down", None)]),
        ]
        assert (h2.IP(), h2.MAC()) == ("10.9.9.9", "02:00:00:00:00:09")


def test_the_verdict_has_when_it_was_away_and_judges_the_new_one_by_its_own_counts(
    net: Net, cluster: Machines
) -> None:
    before = net.mark()
    lose(cluster)
    during = net.mark()
    cluster.answers["counters"] = lambda machine: counters(switching={"lost_upcalls": 7 * (machine == "m2")})
    net.restart_machine("m2")
    for since in (before, during):
        verdict = net.verdict(since)
        [reason] = verdict.reasons  # the new one's seven were there when it had been built
        assert verdict.word == "broken"
        assert reason.startswith("machine m2: its agent is gone; it was away for 0.")
    assert "s, from 0.00 s on: what was on it" in reason
    assert net.verdict(net.mark()).word == "trusted"
    lose(cluster)
    lost, away = net.verdict(before).reasons
    assert "it was lost after 0." in lost
    assert "it was away for 0." in away


def test_one_that_cannot_be_built_stays_lost_and_may_be_tried_again(net: Net, cluster: Machines) -> None:
    def fail(**_: Any) -> None:
        raise MachineError("machine m2: no room")

    lose(cluster)
    cluster.answers["build"] = fail
    with pytest.raises(MachineError, match="no room"):
        net.restart_machine("m2")
    assert net.snapshot()["m2"] is None
    assert not any(each["up"] for _, each in cluster.told("set_link"))
    assert "it was lost after" in net.verdict().reasons[0]
    del cluster.answers["build"]
    net.restart_machine("m2")
    assert net.snapshot()["m2"] is not None


def test_what_cannot_return_is_refused_with_the_cure(net: Net, cluster: Machines) -> None:
    with pytest.raises(UsageError, match="there is no machine 'm9'; the machines are m1, m2, m3"):
        net.restart_machine("m9")
    with pytest.raises(UsageError, match="machine m2 is not lost; restart_instance"):
        net.restart_machine("m2")
    other = Machines()
    with Net(Ring(), cluster=other, controller=None) as stops:  # type: ignore[arg-type]
        lose(other)
        with pytest.raises(UsageError, match=r"machine m2 cannot return: .* on_loss='continue'"):
            stops.restart_machine("m2")
    with pytest.raises(MachineError, match="not running"):
        stops.restart_machine("m2")


def test_its_switches_look_for_their_controllers_and_are_waited_for() -> None:
    cluster = FakeCluster("m1", "m2")
    app = Ryu("c0", "ryu.app.simple_switch_13")  # it need not see the switches, of which there are none
    with Net(TwoTrees(depth=1), cluster=cluster, controller=app, on_loss="continue") as net:  # type: ignore[arg-type]
        cluster.lose("m2", "its agent is gone")
        cluster.calls.clear()
        net.restart_machine("m2")
    verbs = cluster.verbs("m2")
    assert verbs.index("build") < verbs.index("obey_controllers") < verbs.index("switches_connected")
    assert "switches_connected" not in cluster.verbs("m1")


def test_its_series_goes_on_at_the_time_of_the_others(cluster: Machines, tmp_path: Path) -> None:
    key = ("machines", "m2", "processor_busy")
    block = ([key], array("d", [0.0]).tobytes(), array("d", [0.5]).tobytes())
    cluster.answers["start_series"] = lambda machine, **_: None
    cluster.answers["take_series"] = lambda machine, last: {"blocks": [block], "lost": 0, "failed": None}
    options: dict[str, Any] = {"record_series": "100ms", "out": tmp_path / "out", "on_loss": "continue"}
    began = time.monotonic()
    with Net(Ring(), cluster=cluster, controller=None, **options) as net:
        assert all("from_s" not in arguments for _, arguments in cluster.told("start_series"))
        lose(cluster)
        net.restart_machine("m2")
        [(machine, arguments)] = cluster.told("start_series")
    assert (machine, arguments["interval_s"]) == ("m2", 0.1)
    assert 0 < arguments["from_s"] < time.monotonic() - began
