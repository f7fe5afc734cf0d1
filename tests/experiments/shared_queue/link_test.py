# SPDX-License-Identifier: MIT
from __future__ import annotations

import threading
from typing import Any

import pytest

from hybridnet.experiments.common.linux_flows import LinuxFlow
from hybridnet.experiments.shared_queue import experiment
from hybridnet.experiments.shared_queue.experiment import checks_of
from hybridnet.experiments.shared_queue.host_delay import HostDelay
from hybridnet.experiments.shared_queue.link import PAYLOAD_BPS, SharedRound, SimulatedSample, rates
from hybridnet.observe.results import Verdict


def round_of(real_bps: float, simulated_bps: float, trusted: bool = True) -> SharedRound:
    """Ten seconds, from second 4 on."""
    flow = LinuxFlow([(0.0,) * 9, (10.0, real_bps * 10 / 8, *(0.0,) * 7)], began=100.0)
    samples = [SimulatedSample(at, round(simulated_bps * (at - 4) / 8), 0, 0) for at in (4.0, 9.0, 14.0)]
    return SharedRound(
        1, 4.0, 10.0, HostDelay(0.0, 0.0), flow, samples, Verdict.of([] if trusted else ["late"]), []
    )


def test_equal_flows_are_fair():
    assert round_of(40e6, 40e6).fairness == pytest.approx(1.0)


def test_a_flow_with_twice_as_much_is_at_the_bound():
    # (2 + 1)^2 / (2 * (4 + 1)) = 0.9
    assert round_of(60e6, 30e6).fairness == pytest.approx(0.9)


def test_what_both_have_is_a_part_of_the_payload_rate():
    assert round_of(PAYLOAD_BPS / 2, PAYLOAD_BPS / 4).used == pytest.approx(0.75)


def test_the_checks_hold_for_fair_trusted_rounds_only():
    assert [check.holds for check in checks_of([round_of(45e6, 45e6)])] == [True, True, True]
    assert [check.holds for check in checks_of([round_of(80e6, 10e6)])] == [False, True, True]
    assert [check.holds for check in checks_of([round_of(30e6, 30e6)])] == [True, False, True]
    assert [check.holds for check in checks_of([round_of(45e6, 45e6, False)])] == [True, True, False]


def test_rates_are_of_intervals_that_are_long_enough():
    assert rates([0.0, 0.4, 1.0, 1.5, 2.0], [0, 50, 125, 200, 375], 1.0) == [(0.5, 1000.0), (1.5, 2000.0)]


def test_whoever_interrupts_a_round_waits_for_no_flow(monkeypatch: pytest.MonkeyPatch):
    ended = threading.Event()
    waited: list[bool] = []

    class Network(dict[str, Any]):
        """Its flow ends with it."""

        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(h1=Host(), h2=Host())

        def __enter__(self) -> Network:
            return self

        def __exit__(self, *_: object) -> None:
            ended.set()

        def snapshot(self) -> dict[str, Any]:
            return {"m1": {"time_ns": 0}}

    class Host:
        execute = staticmethod(lambda _: None)
        IP = staticmethod(lambda: "10.0.0.1")

    class Machines:
        call = staticmethod(lambda *_: {"epochs_ns": {experiment.MACHINE: 0}})

    def interrupted(*_: object) -> list[dict[str, Any]]:
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "Net", Network)
    monkeypatch.setattr(experiment, "prepare", lambda *_, **__: None)
    monkeypatch.setattr(experiment, "clock_of", lambda _: None)
    monkeypatch.setattr(experiment, "run_flows", lambda *_: waited.append(ended.wait(5)))
    monkeypatch.setattr(experiment, "_watch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        experiment._round(Machines(), 1, 60.0, "drop-tail", host_delay=False)  # type: ignore[arg-type]
    assert waited == [True]
