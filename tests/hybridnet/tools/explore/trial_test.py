# SPDX-License-Identifier: MIT
"""What happens in a trial and when, with a controller that says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.tools.explore.controller import ControllerFactory
from hybridnet.tools.explore.schedule import LATEST_NS, Event
from hybridnet.tools.explore.site import site_of
from hybridnet.tools.explore.trial import Observed, run_trial
from hybridnet.topologies import SingleSwitchTopo


class Silent:
    """Stands in for a `SteppedController`."""

    wake_ns = None
    closed: tuple[int, ...] = ()

    def __init__(self) -> None:
        self._last = 0

    def connect(self, what: str = "switch") -> int:
        self._last += 1
        return self._last

    def close(self, connection: int) -> None:
        pass

    def give(self, connection: int, data: bytes) -> None:
        pass

    def step(self, now_ns: int) -> dict[int, bytes]:
        return {}

    def log(self) -> str:
        return ""

    def memory(self) -> int:
        return 0

    def end(self) -> None:
        pass


class Factory(ControllerFactory):
    def __init__(self) -> None:
        pass

    def make(self, seed: int | str, settings: Mapping[str, str] | None = None, now_ns: int = 0) -> Any:
        return Silent()


def tried(*schedule: Event) -> Observed:
    return run_trial(site_of(SingleSwitchTopo(k=2)), schedule, Factory())


def test_what_lasts_longer_than_disturbances_may_ends_with_them() -> None:
    """From 5.8 s on, twice a second: down at 5.8, and not at 6.8 and 7.8 s."""
    flaps = Event(5_800_000_000, "port-flaps", {"host": "h1", "times": 3, "every": "500ms"})
    downs = [at_ns for at_ns, said in tried(flaps).timeline if said.endswith(" down")]
    assert downs == [5_800_000_000]
    assert downs[0] < LATEST_NS


def test_the_same_trial_has_the_same_trace() -> None:
    assert tried().trace == tried().trace
