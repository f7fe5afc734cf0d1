# SPDX-License-Identifier: MIT
"""TCP flows in the background of a link as a fluid, and the same flows as packets: processor time in virtual time, in
turns, and the median of five. And how much 100,000 flows cost.

::

    UDP, 500 kbit/s ──┐                                      queue of one bandwidth-delay product
    n Reno flows ─────┴── router ── rate, 18 ms ── router    round trip 40 ms without the queue

Unit: seconds of processor time, and the ratio. Goal: 50 times, with 50 flows on 100 Mbit/s.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result
from hybridnet import Topo
from hybridnet.simulate.offline import Replication, simulate

ROUND_TRIP = "40ms"
TURNS = 5
GOAL = 50.0


class Shared(Topo):
    """A foreground of UDP, and `flows` of TCP on the same link of `mbps`: a fluid, or packets."""

    def build(self, *, flows: int, mbps: int, fluid: bool) -> None:
        queue = round(mbps * 1e6 * 0.040 / 8 / 1500)
        wide: dict[str, Any] = {"bw": 10 * mbps, "delay": "1ms", "max_queue_size": 100_000}
        background = {"model": "tcp_flows", "flows": flows, "round_trip": ROUND_TRIP, "segment": "1514 B"}
        shared: dict[str, Any] = {"max_queue_size": queue, "watch_queue": True}
        if fluid:
            shared["background"] = background
        for router in ("r1", "r2"):
            self.addSimRouter(router)
        self.addLink("r1", "r2", bw=mbps, delay="18ms", params1=shared)
        source = {"kind": "udp_source", "destination": "g", "port": 7, "rate": "500 kbit/s"}
        self.addSimHost("f", applications=[source | {"payload": 500}])
        self.addSimHost("g", applications=[{"kind": "udp_sink", "port": 7}])
        self.addLink("f", "r1", **wide)
        self.addLink("g", "r2", **wide)
        for number in range(0 if fluid else flows):
            flow = {"kind": "tcp_bulk", "destination": f"b{number}", "port": 9, "tcp": {"congestion": "reno"}}
            self.addSimHost(f"a{number}", applications=[flow | {"start": f"{1 + number * 37 % 100}ms"}])
            self.addSimHost(f"b{number}", applications=[{"kind": "tcp_discard", "port": 9}])
            self.addLink(f"a{number}", "r1", **wide)
            self.addLink(f"b{number}", "r2", **wide)


def timed(length: str, **given: Any) -> tuple[float, Replication]:
    """Processor time (s) of a simulation of that length, making the network included, and what came of it."""
    begin = time.process_time()
    [replication] = simulate(Shared(**given), length, seeds=[1]).replications
    return time.process_time() - begin, replication


def run() -> list[Result]:
    results = []
    for flows, mbps, length, goal in ((50, 100, "60s", GOAL), (500, 1000, "10s", None)):
        turns = [
            (timed(length, flows=flows, mbps=mbps, fluid=fluid)[0], fluid)
            for _ in range(TURNS)
            for fluid in (False, True)
        ]
        packets = median(seconds for seconds, fluid in turns if not fluid)
        fluids = median(seconds for seconds, fluid in turns if fluid)
        case = f"background/{flows} flows, {mbps} Mbit/s, {length}"
        results += [
            Result(f"{case}/packets", packets, "s"),
            Result(f"{case}/fluid", fluids, "s"),
            Result(f"{case}/ratio", packets / fluids, "times", goal),
        ]
    many = median(timed("10s", flows=100_000, mbps=100_000, fluid=True)[0] for _ in range(TURNS))
    results.append(Result("background/100000 flows, 100000 Mbit/s, 10s/fluid", many, "s"))
    return results


if __name__ == "__main__":
    for result in run():
        print(result)
