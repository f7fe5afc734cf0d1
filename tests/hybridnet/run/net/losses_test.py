# SPDX-License-Identifier: MIT
"""A machine that is lost while a network runs: the run ends, or the others go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from hybridnet import MachineError, Net, UsageError
from hybridnet.observe.results import on_loss
from hybridnet.observe.results.open_runs import Watch
from tests.hybridnet.run.net.ring import Ring
from tests.hybridnet.run.net.support import FakeCluster


def ring(cluster: FakeCluster, **options: Any) -> Net:
    return Net(Ring(), cluster=cluster, controller=None, **options)  # type: ignore[arg-type]


def until(what: Callable[[], object]) -> None:
    """What follows a loss happens in a thread of its own."""
    deadline = time.monotonic() + 10
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def told(cluster: FakeCluster, verb: str) -> list[tuple[str, dict[str, Any]]]:
    return [(machine, arguments) for machine, called, arguments in cluster.calls if called == verb]


def test_by_default_nothing_goes_on_and_who_watches_is_told() -> None:
    cluster, heard = FakeCluster("m1", "m2", "m3"), []
    with Watch(heard.append), ring(cluster) as net:
        cluster.lose("m2", "its agent is gone")
        until(lambda: heard)
        assert str(heard[0]) == "machine m2: its agent is gone"
        for call in (net.check, net.snapshot, net.mark):
            with pytest.raises(MachineError, match="machine m2: its agent is gone"):
                call()
        assert told(cluster, "set_link") == []
    assert {machine for machine, _ in told(cluster, "destroy")} == {"m1", "m3"}
    assert "machine m2: its agent is gone; it was lost" in str(net.verdict())


def test_the_others_go_on_where_it_is_asked() -> None:
    cluster, heard = FakeCluster("m1", "m2", "m3"), []
    with Watch(heard.append), ring(cluster, on_loss="continue", reroute=True) as net:
        mark = net.mark()
        cluster.lose("m2", "its agent is gone", at_s=time.monotonic())
        until(lambda: len(told(cluster, "set_routes")) == 2)
        links = {(machine, each["link"], each["up"]) for machine, each in told(cluster, "set_link")}
        assert links == {("m1", "r1-r2", False), ("m3", "r2-r3", False)}
        routes = {machine: each["routes"] for machine, each in told(cluster, "set_routes")}
        assert set(routes) == {"m1", "m3"}  # nobody tells the one that is lost
        assert {route["via"] for route in routes["m1"]["r1"]} == {"100.64.0.10"}  # r3

        net.check()
        assert net.snapshot() == {
            "m1": {"name": "m1", "peers": []},
            "m2": None,
            "m3": {"name": "m3", "peers": []},
        }
        assert [host.name for host in net.hosts] == ["h1", "h2", "h3"]
        net.pingAll()
        pinged = [pair for _, each in told(cluster, "ping_pairs") for pair in each["pairs"]]
        assert {source for source, _ in pinged} == {"h1", "h3"}
        with pytest.raises(MachineError, match="machine m2: its agent is gone"):
            net["h2"].cmd("true")
        net.timeline([(1.0, {"link": ("r1", "r3"), "status": "down", "reroute": True})])
        assert {machine for machine, _ in told(cluster, "schedule")} == {"m1", "m3"}
        net.configLinkStatus("r1", "r3", "down", reroute=True)
        verdict = net.verdict(mark)
        assert verdict.word == "broken"
        assert verdict.reasons[0].startswith("machine m2: its agent is gone; it was lost after 0.")
        assert "it was lost before this began" in net.verdict(net.mark()).reasons[0]
    assert heard == []
    assert {machine for machine, _ in told(cluster, "destroy")} == {"m1", "m3"}


def test_the_last_machine_ends_the_run_in_any_case() -> None:
    cluster, heard = FakeCluster("m1", "m2", "m3"), []
    with Watch(heard.append), ring(cluster, on_loss="continue"):
        for machine in ("m1", "m2", "m3"):
            cluster.lose(machine, "gone")
        until(lambda: heard)


def test_the_command_line_says_it_for_networks_that_do_not() -> None:
    with on_loss.on_loss("continue"):
        cluster = FakeCluster("m1", "m2", "m3")
        with ring(cluster) as net:
            cluster.lose("m2", "gone")
            net.check()
        cluster = FakeCluster("m1", "m2", "m3")
        with ring(cluster, on_loss="stop") as net:
            cluster.lose("m2", "gone")
            with pytest.raises(MachineError):
                net.check()


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="Net: on_loss 'wait' does not exist; write one of stop, continue"):
        ring(FakeCluster(), on_loss="wait")
