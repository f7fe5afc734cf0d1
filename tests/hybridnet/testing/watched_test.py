# SPDX-License-Identifier: MIT
"""The verdict on a computer without a network, and which errors it may explain."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import (
    ControllerError,
    ControllerLateError,
    EnvironmentLackError,
    HybridnetError,
    MachineError,
    PlanError,
)
from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.verdict import Word
from hybridnet.testing import watched
from hybridnet.testing.watched import Watched, may_be_load
from tests.hybridnet.run.net.support import counters

SECONDS = 60
TICKS = 100 * 2 * SECONDS  # of both processors of `counters`


def judged(monkeypatch: pytest.MonkeyPatch, *, idle_ticks: int, **after: Any) -> Word:
    processors = {"count": 2, "ticks_per_second": 100, "idle_ticks": idle_ticks, "stolen_ticks": 0}
    looks = iter([counters(), counters(time_ns=SECONDS * 10**9, processors=processors, **after)])
    monkeypatch.setattr(watched, "computer_alone", lambda busy: next(looks))
    with Watched(Limits()) as watching:
        return watching.verdict().word


def test_a_minute_of_a_computer_is_judged_as_that_of_a_network_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(monkeypatch, idle_ticks=TICKS // 2) is Word.TRUSTED
    assert judged(monkeypatch, idle_ticks=TICKS // 100) is Word.SATURATED
    of_three_seconds = {"processors": [[400, 114], [1000, 6]], "switching": []}  # six half seconds
    assert judged(monkeypatch, idle_ticks=TICKS // 2, busy=of_three_seconds) is Word.SATURATED
    killed = {"killed_programs": 1, "stalled_us": 0}
    assert judged(monkeypatch, idle_ticks=TICKS // 2, memory=killed) is Word.BROKEN


def test_this_computer_can_be_watched() -> None:
    with Watched(Limits()) as watching:
        figures = watching.verdict().figures
    assert figures["the computer"]["seconds"] > 0


@pytest.mark.parametrize(
    ("kind", "may"),
    [
        (MachineError, True),
        (ControllerLateError, True),
        (ControllerError, False),
        (EnvironmentLackError, False),
        (PlanError, False),
    ],
)
def test_only_what_takes_time_may_be_load(kind: type[HybridnetError], may: bool) -> None:
    assert may_be_load(kind("said")) is may
