# SPDX-License-Identifier: MIT
"""When routers agree, and how often their daemons are asked: each question starts a program. Time is the test's own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.run.net import convergence
from hybridnet.run.net.convergence import STILL_SECONDS, await_convergence

ROUTERS = 12
AGREE_S = 4.0
LOOK_S = 0.5


class Clock:
    """Stands still but for who sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Router:
    """Lacks a neighbour, and changes its table, until it agrees; and lacks one between two times, if it has them."""

    def __init__(
        self, name: str, clock: Clock, agrees_s: float, again_s: tuple[float, float] | None = None
    ) -> None:
        self.name, self.asked, self.shown = name, 0, 0
        self._clock, self._began, self._agrees_s, self._again_s = clock, clock.now, agrees_s, again_s

    def lacking(self) -> list[str]:
        self.asked += 1
        at = self._clock.now - self._began
        again = self._again_s is not None and self._again_s[0] <= at < self._again_s[1]
        return [f"{self.name}'s neighbour (OSPF)"] if at < self._agrees_s or again else []

    def routes(self) -> str:
        self.shown += 1
        return str(min(self._clock.now - self._began, self._agrees_s))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(convergence, "time", SimpleNamespace(monotonic=made.monotonic, sleep=made.sleep))
    return made


def test_the_last_change_counts_once_tables_are_still(clock: Clock) -> None:
    routers = [Router(f"r{number}", clock, AGREE_S * number / ROUTERS) for number in range(1, ROUTERS + 1)]
    began = clock.now
    assert await_convergence(routers, 60.0) == AGREE_S
    assert clock.now - began == AGREE_S + STILL_SECONDS


def test_daemons_are_asked_hardly_more_often_than_there_are_looks(clock: Clock) -> None:
    routers = [Router(f"r{number}", clock, AGREE_S) for number in range(1, ROUTERS + 1)]
    await_convergence(routers, 60.0)
    looks_until_they_agree = round(AGREE_S / LOOK_S)
    # One in each of those looks, then each of them, and each of them at the end.
    assert sum(router.asked for router in routers) == looks_until_they_agree + 2 * ROUTERS
    assert {router.shown for router in routers} == {1 + round(STILL_SECONDS / LOOK_S)}


def test_a_neighbour_that_is_lost_while_tables_are_still_is_missed_at_the_end(clock: Clock) -> None:
    lost_s = (AGREE_S + 1.0, AGREE_S + STILL_SECONDS + 1.0)
    routers = [Router("r1", clock, AGREE_S), Router("r2", clock, AGREE_S, lost_s)]
    assert await_convergence(routers, 60.0) == lost_s[1]


def test_who_lacks_whom_is_said_when_patience_ends(clock: Clock) -> None:
    routers = [Router(f"r{number}", clock, agrees_s) for number, agrees_s in ((1, 0.0), (2, 99.0), (3, 99.0))]
    with pytest.raises(MachineError, match=r"after 5 s r2 lacks r2's neighbour .*; r3 lacks r3's neighbour"):
        await_convergence(routers, 5.0)


def test_tables_that_change_for_ever_are_said(clock: Clock) -> None:
    changing = Router("r1", clock, 0.0)
    changing.routes = lambda: str(clock.now)  # type: ignore[method-assign]
    with pytest.raises(MachineError, match="tables of routes still change"):
        await_convergence([changing], 5.0)


def test_a_network_without_daemons_has_nothing_to_agree() -> None:
    with pytest.raises(UsageError, match="no node has routing daemons"):
        await_convergence([], 5.0)
