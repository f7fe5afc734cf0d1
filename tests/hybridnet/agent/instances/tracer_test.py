# SPDX-License-Identifier: MIT
from __future__ import annotations

import threading
import time
from typing import Any

from hybridnet.agent.instances.tracer import Tracer
from hybridnet.errors import MachineError

CWND = 14_480


def row(node: str, cwnd: int) -> dict[str, Any]:
    return {
        "name": f"{node}:10.0.0.1:5>10.0.0.2:9",
        "node": node,
        "state": "ESTABLISHED",
        "cwnd_bytes": cwnd,
        "in_flight_bytes": 0,
        "retransmitted_segments": 0,
    }


class Instances:
    """What a tracer asks: m1's window grows with each look for a while, and m2 has ended."""

    def __init__(self, looks: int) -> None:
        self.enough = threading.Event()
        self._looks, self._looked = looks, 0
        self._epoch_ns = time.monotonic_ns()

    def ask(self, name: str, verb: str, **_: Any) -> dict[str, Any]:
        if name == "m2":
            raise MachineError("instance m2 has ended")
        if verb == "clock":
            return {"epoch_ns": self._epoch_ns}
        self._looked += 1
        if self._looked > self._looks:
            self.enough.set()
        cwnd = CWND * min(self._looked, self._looks)
        return {"time_ns": self._looked * 1_000_000, "connections": [row("a", cwnd), row("b", cwnd)]}


def test_each_change_of_the_chosen_hosts_is_a_line_with_the_time_of_day() -> None:
    instances = Instances(looks=3)
    began_s = time.time()
    tracer = Tracer({"m1": ["a"], "m2": ["c"]}, instances.ask)
    assert instances.enough.wait(20)
    found = tracer.close()
    assert found["left_out"] == 0
    assert [line.split(" ", 1)[1] for line in found["lines"]] == [
        f"a:10.0.0.1:5>10.0.0.2:9 ESTABLISHED cwnd {CWND * times} ssthresh - in_flight 0 srtt - retransmitted 0"
        for times in (1, 2, 3)
    ]
    times_s = [float(line.split(" ", 1)[0]) for line in found["lines"]]
    assert times_s == sorted(times_s)
    assert abs(times_s[0] - began_s) < 5
