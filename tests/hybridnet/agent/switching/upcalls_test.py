# SPDX-License-Identifier: MIT
"""Lost upcalls are what Open vSwitch says of all its datapaths; a daemon that does not answer has not lost none."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hybridnet.agent.counters import unixctl
from hybridnet.agent.switching.upcalls import COVERAGE_S, LostUpcalls
from hybridnet.errors import MachineError

CONTROL = Path("ctl")
SHOWN = "{}@ovs:\n  lookups: hit:7 missed:5 lost:{}\n  flows: 3\n"
COUNTED = (
    "netdev_sent                0.0/sec     1.000/sec        1.0000/sec   total: 17\n"
    "datapath_drop_upcall_error   5.0/sec     0.417/sec        0.0069/sec   total: {}\n"
    "datapath_drop_lock_error   0.0/sec     0.000/sec        0.0000/sec   total: {}\n"
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], float]:
    """What has been slept."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    return lambda: now[0] - 100.0


def answer(monkeypatch: pytest.MonkeyPatch, **answers: str | Callable[[], str]) -> None:
    """Have the daemon say so of ``dpctl``, ``dpif`` and ``coverage``; it does not answer what it has no words for."""

    def ask(_: Path, command: str) -> str:
        if (said := answers.get(command.removesuffix("/show"))) is None:
            raise MachineError(f"Open vSwitch: {command}: ")
        return said if isinstance(said, str) else said()

    monkeypatch.setattr(unixctl, "ask", ask)


def test_what_the_kernel_s_datapaths_lose_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, dpctl=SHOWN.format("system", 2) + SHOWN.format("system", 40))
    assert LostUpcalls(CONTROL).count(settled=True) == 42
    assert LostUpcalls(CONTROL).most() == 42


def test_in_user_space_only_what_was_dropped_is_lost(
    monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]
) -> None:
    answer(
        monkeypatch,
        dpctl=SHOWN.format("netdev", 14) + SHOWN.format("system", 2),
        coverage=COUNTED.format(3, 4),
    )
    upcalls = LostUpcalls(CONTROL)
    assert upcalls.most() == 14 + 2
    assert upcalls.count(settled=False) == 3 + 4 + 2
    assert clock() == 0
    assert upcalls.count(settled=True) == 3 + 4 + 2
    assert clock() == pytest.approx(COVERAGE_S, abs=0.2)
    assert upcalls.count(settled=True) == 3 + 4 + 2
    assert clock() == pytest.approx(COVERAGE_S, abs=0.2), "nothing has moved since"


def test_what_a_packet_thread_has_yet_to_tell_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]
) -> None:
    answer(
        monkeypatch,
        dpctl=SHOWN.format("netdev", 5),
        coverage=lambda: COUNTED.format(5 if clock() > 0.75 else 0, 0),
    )
    assert LostUpcalls(CONTROL).count(settled=True) == 5
    assert 0.75 < clock() < 1


def test_where_nothing_was_without_a_flow_nothing_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, dpctl=SHOWN.format("netdev", 0))
    assert LostUpcalls(CONTROL).count(settled=True) == 0


def test_without_a_bridge_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, dpif="")
    assert LostUpcalls(CONTROL).count(settled=True) == 0


@pytest.mark.parametrize("answers", [{}, {"dpif": "netdev@ovs-netdev: hit:0 missed:0\n"}])
def test_a_daemon_that_has_bridges_or_is_silent_is_an_error(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, str]
) -> None:
    answer(monkeypatch, **answers)
    with pytest.raises(MachineError):
        LostUpcalls(CONTROL).count(settled=True)
