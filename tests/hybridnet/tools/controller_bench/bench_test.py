# SPDX-License-Identifier: MIT
"""Simulated switches over TCP under a small controller of OpenFlow 1.3 in this process (`Hub`)."""

from __future__ import annotations

import pytest

from hybridnet.errors import ControllerError, EnvironmentLackError, UsageError
from hybridnet.run.controllers import RemoteController
from hybridnet.tools.controller_bench import ControllerBench, Load, bench
from tests.hybridnet.tools.controller_bench.hub import Hub


def remote(hub: Hub) -> RemoteController:
    return RemoteController("c0", "127.0.0.1", hub.port)


def test_each_packet_that_asks_is_answered_once_and_counted() -> None:
    steps: list[tuple[str, float, float]] = []
    with (
        Hub() as hub,
        ControllerBench(
            remote(hub), Load(switches=3, hosts=4), on_progress=lambda *step: steps.append(step)
        ) as load,
    ):
        report = load.measure(duration_s=0.2, repetitions=2, warm_up_s=0.05)
    assert (report.switches, report.hosts, report.window) == (3, 4, 1)
    assert len(report.repetitions) == 2
    assert hub.asked >= 3 * 4  # every host has announced itself
    for each in report.repetitions:
        assert each.set_ups > 0
        assert 0 < each.p50_ms <= each.p95_ms <= each.p99_ms <= each.max_ms
        # One packet of each switch is under way, at the beginning and at the end.
        assert abs(each.packet_ins - each.set_ups) <= 3
        assert abs(each.packet_ins - each.packet_outs) <= 3
        assert (each.unanswered, each.errors, each.lost_connections) == (0, 0, 0)
        assert each.least_of_a_switch <= each.set_ups / 3 <= each.most_of_a_switch
        assert each.controller_cpu is None  # somebody else's
    assert report.controller_bytes is None
    assert report.connected_s <= report.ready_s
    assert ("connecting", 3, 3) in steps
    assert ("hosts announce themselves", 3, 3) in steps


def test_throughput_has_at_most_the_window_under_way() -> None:
    with Hub() as hub, ControllerBench(remote(hub), Load(2, 3, "throughput", window=8)) as load:
        report = load.measure(duration_s=0.2, repetitions=1, warm_up_s=0)
    [each] = report.repetitions
    assert report.window == 8
    assert each.set_ups > 0
    assert abs(each.packet_ins - each.set_ups) <= 2 * 8


def test_no_repetition_only_connects() -> None:
    with Hub() as hub, ControllerBench(remote(hub), Load(5, 2)) as load:
        report = load.measure(repetitions=0)
    assert report.repetitions == ()
    assert report.set_ups_per_s() == 0
    assert report.ready_s > 0


def test_a_controller_that_sends_no_packet_on_is_an_error_that_says_what_it_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "STANDSTILL_S", 0.3)
    with (
        Hub(answers=False) as hub,
        pytest.raises(ControllerError, match=r"hosts announce themselves: 0 of 2 switches after 0.3 s"),
        ControllerBench(remote(hub), Load(2, 2)),
    ):
        pass


def test_switches_that_connect_and_are_lost_again_are_an_error_and_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "STANDSTILL_S", 0.5)
    with (
        Hub(most=2) as hub,
        pytest.raises(
            ControllerError,
            match=r"connecting: [0-9]+ of 50 switches after 0.5 s in which no more came; switches connect and are lost "
            r"again, .* ask for fewer switches",
        ),
        ControllerBench(remote(hub), Load(50, 2)),
    ):
        pass


def test_where_nobody_listens_nothing_is_made() -> None:
    with Hub() as hub:
        port = hub.port
    with (
        pytest.raises(ControllerError, match="nothing answers"),
        ControllerBench(RemoteController("c0", "127.0.0.1", port), Load()),
    ):
        pass


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"switches": 0}, "switches 0: choose from 1 to 100,000"),
        ({"hosts": 1}, "hosts of a switch 1: choose from 2 to 1,000"),
        ({"switches": 1000, "hosts": 1000}, "hosts in all 1000000: choose from 2 to 400,000"),
        ({"window": 1001}, "window 1001: choose from 1 to 1,000"),
        ({"mode": "slow"}, "choose latency or throughput"),
    ],
)
def test_a_load_out_of_range_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Load(**given)  # type: ignore[arg-type]


def test_more_switches_than_open_files_are_refused_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (1024, 1024))
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)
    with (
        pytest.raises(EnvironmentLackError, match=r"1,000 switches need 1,200 open files, and .* 1,024"),
        ControllerBench(RemoteController("c0", "127.0.0.1", 1), Load(switches=1000)),
    ):
        pass
