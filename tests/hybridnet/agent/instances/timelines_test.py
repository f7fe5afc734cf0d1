# SPDX-License-Identifier: MIT
from __future__ import annotations

import threading
import time

import pytest

from hybridnet.agent.instances.timelines import InterfaceTimelines
from hybridnet.errors import MachineError

MS = 1_000_000


def entry(number: int, at_ns: int, *, up: bool = False) -> dict[str, object]:
    return {"entry": number, "at_ns": at_ns, "node": "h1", "interface": "h1-eth0", "up": up}


def test_interfaces_are_set_at_their_instants_in_the_order_of_these() -> None:
    done: list[tuple[str, str, bool]] = []
    last = threading.Event()

    def set_interface(node: str, interface: str, up: bool) -> None:
        done.append((node, interface, up))
        if len(done) == 2:
            last.set()
            raise MachineError("it is gone")

    timelines = InterfaceTimelines(set_interface)
    start_ns = time.monotonic_ns() + 500 * MS
    timelines.schedule("t", start_ns, [entry(0, 20 * MS, up=True), entry(1, 10 * MS)])
    assert last.wait(20)
    assert time.monotonic_ns() >= start_ns + 20 * MS
    timelines.close()
    assert done == [("h1", "h1-eth0", False), ("h1", "h1-eth0", True)]
    fired = timelines.fired("t")
    assert [(row["entry"], row["error"]) for row in fired] == [(1, ""), (0, "it is gone")]
    assert all(row["late_ns"] >= 0 for row in fired)


def test_of_a_slow_network_instants_are_so_many_times_later_and_lateness_is_as_described() -> None:
    done = threading.Event()
    timelines = InterfaceTimelines(lambda *_: done.set())
    start_ns = time.monotonic_ns() + 100 * MS
    timelines.schedule("t", start_ns, [entry(0, 50 * MS)], slow=8)
    assert done.wait(20)
    ended_ns = time.monotonic_ns()
    assert ended_ns >= start_ns + 400 * MS
    timelines.close()
    [fired] = timelines.fired("t")
    assert 0 <= fired["late_ns"] <= (ended_ns - start_ns - 400 * MS) // 8


def test_what_is_cancelled_or_has_passed_does_not_happen() -> None:
    timelines = InterfaceTimelines(lambda *_: pytest.fail("it was cancelled"))
    timelines.schedule("t", time.monotonic_ns() + 60_000 * MS, [entry(0, 0)])
    timelines.cancel("t")
    timelines.cancel("unknown")
    with pytest.raises(MachineError, match="let it begin later"):
        timelines.schedule("u", time.monotonic_ns() - 10 * MS, [entry(0, 5 * MS)])
    timelines.close()
    assert timelines.fired("t") == timelines.fired("u") == []
