# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
import threading
import time
from array import array
from typing import Any

from hybridnet.agent.instances.sampler import Figures, InstancesSource, ProcessorsSource, Sampler
from hybridnet.agent.instances.series_selection import Chosen
from hybridnet.errors import MachineError

COUNT = ("machines", "m1", "count")


class Counting:
    """Its figure is how often it was asked; the third time it cannot be read."""

    def __init__(self) -> None:
        self.asked = 0
        self.enough = threading.Event()
        self.closed = False

    def figures(self) -> Figures:
        self.asked += 1
        if self.asked == 5:
            self.enough.set()
        if self.asked == 3:
            raise MachineError("it is just ending")
        return {COUNT: self.asked}

    def close(self) -> None:
        self.closed = True


def test_a_source_is_asked_again_and_again_also_after_it_failed() -> None:
    source = Counting()
    sampler = Sampler(0.001, [source])
    assert source.enough.wait(60)
    sampler.close()
    assert source.closed
    taken = sampler.take()
    assert taken["failed"] == "it is just ending"
    assert taken["lost"] == 0
    values = [value for keys, _, packed in taken["blocks"] if keys for value in array("d", packed)]
    assert values == [number for number in range(1, source.asked + 1) if number != 3]
    times = [time for _, packed, _ in taken["blocks"] for time in array("d", packed)]
    assert len(times) == source.asked
    assert times == sorted(times)
    assert sampler.take()["blocks"] == []


def test_a_series_that_began_elsewhere_goes_on_at_its_time() -> None:
    source = Counting()
    sampler = Sampler(0.001, [source], from_s=2.5)
    assert source.enough.wait(60)
    sampler.close()
    times = [time for _, packed, _ in sampler.take()["blocks"] for time in array("d", packed)]
    assert 2.5 <= times[0] < times[1]
    assert times[0] < 2.5 + 60


def test_the_times_of_a_slow_network_are_as_described() -> None:
    source = Counting()
    began = time.monotonic()
    sampler = Sampler(0.001, [source], slow=10)
    assert source.enough.wait(60)
    sampler.close()
    took = time.monotonic() - began
    times = [at for _, packed, _ in sampler.take()["blocks"] for at in array("d", packed)]
    assert 0.004 <= times[4] <= times[-1] <= took / 10


def test_the_share_of_processors_is_a_share() -> None:
    with contextlib.closing(ProcessorsSource("m1")) as source:
        [(key, busy)] = source.figures().items()
    assert key == ("machines", "m1", "processor_busy")
    assert 0.0 <= busy <= 1.0


SNAPSHOT = {
    "time_ns": 1_000,
    "lateness": {"buckets": [[10, 90], [100, 10]]},
    "loop": {"cpu_ns": 5},
    "pool": {"in_use": 3},
    "applications": [{"name": "h3:ping:0", "node": "h3", "sent": 4}],
    "connections": [],
    "fluids": [],
    "links": [{"name": "r1-r2:a>b", "from": "a", "to": "b", "in_flight": 7, "dropped": {"queue_full": 2}}],
    "portals": [{"name": "p-h1-eth0", "device": "d", "captured_frames": 8, "dropped": {}}],
    "interfaces": [],
    "nodes": [],
    "peers": [{"name": "m2", "late_packets": 1, "dropped": {}}],
}


def test_an_instance_tells_its_elements_and_how_late_it_was_since_the_last_sample() -> None:
    asked: list[tuple[str, dict[str, Any]]] = []
    snapshot = dict(SNAPSHOT)

    def ask(instance: str, verb: str, **arguments: Any) -> dict[str, Any]:
        asked.append((verb, arguments))
        return snapshot

    source = InstancesSource(lambda: ["m1"], ask, lambda: Chosen({}, {"m1": ["r1-r2"]}, {"m1": ["r1-eth1"]}))
    figures = source.figures()
    assert asked == [("sample", {"links": ["r1-r2"], "interfaces": ["r1-eth1"]})]
    assert figures["links", "r1-r2:a>b", "in_flight"] == 7
    assert figures["links", "r1-r2:a>b", "dropped.queue_full"] == 2
    assert figures["peers", "m1>m2", "late_packets"] == 1
    assert figures["applications", "h3:ping:0", "sent"] == 4
    assert figures["instances", "m1", "lateness_p50_ns"] == 10
    assert figures["instances", "m1", "lateness_p99_ns"] == 100
    snapshot["lateness"] = {"buckets": [[10, 90], [100, 20]]}
    figures = source.figures()
    assert (figures["instances", "m1", "events"], figures["instances", "m1", "lateness_p50_ns"]) == (10, 100)


def test_without_an_instance_there_is_nothing_to_tell() -> None:
    assert InstancesSource(list, lambda *_, **arguments: {}, lambda: Chosen({}, {}, {})).figures() == {}
