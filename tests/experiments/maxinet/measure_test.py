# SPDX-License-Identifier: MIT
"""A climb on an arm that is none, by a clock of its own."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from hybridnet.experiments.maxinet import measure
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.observe.results import Word

SCALE = replace(PAPER, steps=(1, 2, 4, 8), seconds_per_step=3)
PERIOD_S = 1.0


class Clock:
    """Time passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class FakeCluster:
    def call(self, machine: str, verb: str) -> dict[str, Any]:
        assert verb == "processes"
        return {}


class FakeArm:
    """Its instance is late by 2 ms in some spans of time, from the start of the first stay; its flows carry nothing."""

    name = "hybrid"
    boot_s = 1.0
    controller_pid = os.getpid()

    def __init__(self, clock: Clock, *late: tuple[float, float]) -> None:
        self.clock = clock
        self.late = late
        self.cluster: Any = FakeCluster()
        self.settings: dict[str, Any] = {}
        self.began_s = 0.0
        self.asked: list[tuple[str, float]] = []

    def sender(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._answer(request, {})

    def receiver(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._answer(request, {f"h{number}": [0, 0] for number in range(65, 81)})

    def _answer(self, request: dict[str, Any], received: dict[str, list[int]]) -> dict[str, Any]:
        verb = request["verb"]
        self.asked.append((verb, self.clock.now_s))
        if verb == "sample":
            self.began_s = self.clock.now_s
        samples = [
            {
                "monotonic_s": self.began_s + number * PERIOD_S,
                "received": received,
                "processor": [10 * number, 90 * number, 0],
                "ran_ns": dict.fromkeys(("hosts", "switches", "instances"), 0),
            }
            for number in range(1 + int((self.clock.now_s - self.began_s) / PERIOD_S))
        ]
        return {
            "lost": [],
            "waited_s": 0.5,
            "monotonic_s": self.clock.now_s,
            "computer": "a",
            "cores": 2,
            "ticks_per_second": 100,
            "samples": samples,
            "clients": {},
            "servers": {},
            "unfinished": [],
        }

    def netns(self, host: str) -> str:
        return f"/run/netns/{host}"

    def address(self, host: str) -> str:
        return "10.0.0.1"

    def snapshots(self) -> list[dict[str, Any]]:
        at_s = self.clock.now_s - self.began_s
        late_s = sum(max(0.0, min(at_s, until) - since) for since, until in self.late)
        return [
            {
                "name": "m1",
                "lateness": {"buckets": [(10, round(1000 * at_s)), (2_000_000, round(1000 * late_s))]},
                "loop": {"stalls": 0, "stalled_ns": 0},
                "peers": [],
                "portals": [],
            }
        ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(measure, "time", made)
    return made


def test_a_broken_step_is_measured_again_and_the_second_stay_counts(clock: Clock) -> None:
    arm = FakeArm(clock, (4.0, 6.0))
    run = measure.climb(arm, SCALE, lambda what, seconds: None)
    assert [(stay.step, stay.begin_s) for stay in run.stays] == [(0, 0.0), (1, 6.0), (2, 9.0), (3, 12.0)]
    assert [verdict.word for verdict in run.verdicts] == [Word.TRUSTED] * 4
    assert run.settings == {"settled_after_s": 0.5}
    [(stay, verdict)] = run.again
    assert (stay.step, stay.begin_s) == (1, 3.0)
    assert "m1 ran 2.0" in str(verdict)
    begun = [at_s - arm.began_s for verb, at_s in arm.asked if verb == "go"]
    assert begun == [0.0, 3.0, 9.0, 12.0]  # flows begin once


def test_a_step_that_is_broken_twice_is_broken_and_so_is_a_third_one(clock: Clock) -> None:
    run = measure.climb(FakeArm(clock, (0.0, 9.0), (16.0, 18.0)), SCALE, lambda what, seconds: None)
    assert [(stay.step, stay.begin_s) for stay, _ in run.again] == [(0, 0.0), (1, 6.0)]
    assert [(stay.step, stay.begin_s) for stay in run.stays] == [(0, 3.0), (1, 9.0), (2, 12.0), (3, 15.0)]
    assert [verdict.word for verdict in run.verdicts] == [
        Word.BROKEN,
        Word.TRUSTED,
        Word.TRUSTED,
        Word.BROKEN,
    ]
