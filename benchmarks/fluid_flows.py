# SPDX-License-Identifier: MIT
"""Fluid flows along paths beside the same flows as packets, in virtual time: how far apart they are in random cases,
and how much less they cost.

::

    long flows ──┐                                                          ┌── long flows
    foreground ──┴── r0 ── bottleneck 0 ── r1 ── bottleneck 1 ── r2 ── bottleneck 2 ── r3 ──┴── foreground
                     └──── flows across one ────┘ └─ ... ─┘ └─ ... ─┘

A case is drawn from its number: rates, delays, queues and numbers of flows of three bottlenecks in a row; Reno and
CUBIC; and on one of them also sources that are on and off. All of it as packets is TCP hosts and UDP sources; as a
fluid it is five classes. The foreground, 200 kbit/s of UDP, is packets in both. The speed is that of the dumbbell of
`hybridnet reproduce dumbbell` with 64 flows, in turns.

Unit: differences, of all cases the 95th percentile; processor seconds, and the ratio. Goal: the ratio, 10 times.

Usage: ``python benchmarks/fluid_flows.py [CASES [FIRST]]``, default 5 cases from 1; ``0`` for the speed alone.
"""

from __future__ import annotations

import math
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result
from hybridnet import Topo
from hybridnet.simulate.offline import Replication, simulate

CASES = 5
SAMPLED = "50ms"
WARMUP_S, LENGTH_S = 10, 40
FRAME, PAYLOAD = 1514, 1472
PROBE_BYTES = 200
TURNS = 3
GOAL = 10.0
SHARE = 0.95


@dataclass(frozen=True)
class Bottleneck:
    """One of the three, the flows that cross it alone, and the sources that do."""

    mbps: int
    delay_ms: int
    packets: int
    flows: int
    congestion: str
    on_off: int


@dataclass(frozen=True)
class Case:
    """What is drawn from a number."""

    number: int
    bottlenecks: tuple[Bottleneck, ...]
    flows: int
    congestion: str


def case(number: int) -> Case:
    """The case of that number."""
    drawn = random.Random(number)
    delays = [drawn.randint(2, 15) for _ in range(3)]
    loaded = drawn.randrange(3)
    bottlenecks = []
    for place, delay in enumerate(delays):
        mbps = drawn.randint(10, 30)
        product = mbps * 1e6 * 2 * (sum(delays) + 2) / 1e3 / 8 / FRAME
        queue = max(30, round(product * drawn.uniform(0.5, 1.5)))
        bottlenecks.append(
            Bottleneck(
                mbps,
                delay,
                queue,
                drawn.randint(5, 15),
                drawn.choice(("reno", "cubic")),
                drawn.randint(5, 15) if place == loaded else 0,
            )
        )
    return Case(number, tuple(bottlenecks), drawn.randint(5, 15), drawn.choice(("reno", "cubic")))


class Row(Topo):
    """A case, as fluid or as packets."""

    def build(self, *, drawn: Case, fluid: bool) -> None:
        self._fluid = fluid
        self._made = 0
        self._jitter = random.Random(drawn.number)
        for number in range(4):
            self.addSimRouter(f"r{number}")
        for number, each in enumerate(drawn.bottlenecks):
            self.addLink(
                f"r{number}",
                f"r{number + 1}",
                bw=each.mbps,
                delay=f"{each.delay_ms}ms",
                params1={"max_queue_size": each.packets},
                params2={"max_queue_size": 10_000},
            )
        probe = {"kind": "udp_source", "destination": "g", "port": 7, "rate": "200 kbit/s"}
        self.addSimHost("f", applications=[probe | {"payload": PROBE_BYTES}])
        self.addSimHost("g", applications=[{"kind": "udp_sink", "port": 7}])
        self._attach("f", 0)
        self._attach("g", 3)
        self._tcp(0, 3, drawn.flows, drawn.congestion)
        for number, each in enumerate(drawn.bottlenecks):
            self._tcp(number, number + 1, each.flows, each.congestion)
            if each.on_off:
                self._on_off(number, number + 1, each.on_off, each.mbps)

    def _attach(self, host: str, router: int) -> None:
        self.addLink(host, f"r{router}", bw=1000, delay="1ms", max_queue_size=100_000)

    def _pair(
        self, first: int, last: int, sending: list[dict[str, Any]], taking: list[dict[str, Any]]
    ) -> None:
        self._made += 1
        source, sink = f"a{self._made}", f"b{self._made}"
        self.addSimHost(source, applications=[each | {"destination": sink} for each in sending])
        self.addSimHost(sink, applications=taking)
        self._attach(source, first)
        self._attach(sink, last)

    def _tcp(self, first: int, last: int, flows: int, congestion: str) -> None:
        if self._fluid:
            self._pair(first, last, [], [])
            model = {"model": "tcp_flows", "flows": flows, "congestion": congestion, "segment": f"{FRAME} B"}
            self.addFluid(f"a{self._made}", f"b{self._made}", model)
            return
        for _ in range(flows):
            start = f"{self._jitter.randint(1, 500)}ms"
            flow = {"kind": "tcp_bulk", "port": 9, "start": start, "tcp": {"congestion": congestion}}
            self._pair(first, last, [flow], [{"kind": "tcp_discard", "port": 9}])

    def _on_off(self, first: int, last: int, flows: int, mbps: int) -> None:
        rate = round(mbps * 1e6 * 0.4 / flows)  # a fifth of the link on average
        if self._fluid:
            self._pair(first, last, [], [])
            on_wire = rate * FRAME // PAYLOAD
            model = {
                "model": "on_off",
                "rate": f"{on_wire} bit/s",
                "flows": flows,
                "mean_on": "1s",
                "mean_off": "1s",
            }
            self.addFluid(f"a{self._made}", f"b{self._made}", model)
            return
        for _ in range(flows):
            source = {"kind": "udp_source", "port": 7, "arrivals": "on_off", "rate": f"{rate} bit/s"}
            self._pair(first, last, [source], [{"kind": "udp_sink", "port": 7}])


@dataclass(frozen=True)
class Seen:
    """What came of a case: mean and 99th percentile of what waits on the way (s), what the foreground lost (share) and
    got (bit/s), and how much of the bottlenecks was used (mean share).
    """

    mean_wait: float
    p99_wait: float
    loss: float
    goodput: float
    use: float
    processor_s: float


def look(drawn: Case, *, fluid: bool) -> Seen:
    """Simulate a case."""
    begin = time.process_time()
    topo = Row(drawn=drawn, fluid=fluid)
    [replication] = simulate(topo, f"{LENGTH_S}s", seeds=[drawn.number], series=SAMPLED).replications
    took = time.process_time() - begin
    series = replication.series
    links = [f"r{n}-r{n + 1}:r{n}-eth{1 if n == 0 else 2}>r{n + 1}-eth1" for n in range(3)]
    warm = next(at for at, instant in enumerate(replication.sampled_ns) if instant >= WARMUP_S * 10**9)
    waits = [0.0] * (len(replication.sampled_ns) - warm)
    use = []
    for link, each in zip(links, drawn.bottlenecks, strict=True):
        for name in ("queue_bytes", "background_queue_bytes"):
            for at, value in enumerate(series.get((link, name), [])[warm:]):
                waits[at] += value * 8 / (each.mbps * 1e6)
        carried = sum(
            values[-1] - values[warm]
            for name in ("delivered_bytes", "background_served_bytes")
            if (values := series.get((link, name)))
        )
        use.append(carried * 8 / (each.mbps * 1e6) / (LENGTH_S - WARMUP_S))
    sink = "g:udp_sink:7"
    got, missing = (
        series[sink, name][-1] - series[sink, name][warm] for name in ("received_datagrams", "missing")
    )
    ordered = sorted(waits)
    return Seen(
        fmean(waits),
        ordered[math.ceil(0.99 * len(ordered)) - 1],
        missing / (got + missing),
        got * PROBE_BYTES * 8 / (LENGTH_S - WARMUP_S),
        fmean(use),
        took,
    )


class Dumbbell(Topo):
    """That of Obaida and Liu 2017: hosts with 1 Gbit/s at two routers, and 10 Gbit/s between them."""

    def build(self, *, flows: int, fluid: bool) -> None:
        access: dict[str, Any] = {"delay": "1ms", "max_queue_size": 1000}
        for router in ("r1", "r2"):
            self.addSimRouter(router)
        self.addLink("r1", "r2", bw=10_000, delay="1ms", max_queue_size=5000)
        probe = {"kind": "udp_source", "destination": "g", "port": 7, "rate": "1 Mbit/s"}
        self.addSimHost("f", applications=[probe])
        self.addSimHost("g", applications=[{"kind": "udp_sink", "port": 7}])
        self.addLink("f", "r1", bw=1000, **access)
        self.addLink("g", "r2", bw=1000, **access)
        for number in range(1 if fluid else flows):
            flow = {"kind": "tcp_bulk", "destination": f"b{number}", "port": 9, "tcp": {"preset": "linux"}}
            self.addSimHost(f"a{number}", applications=[] if fluid else [flow])
            self.addSimHost(f"b{number}", applications=[{"kind": "tcp_discard", "port": 9}])
            bandwidth = min(1000 * flows, 1_000_000) if fluid else 1000
            self.addLink(f"a{number}", "r1", bw=bandwidth, **access)
            self.addLink(f"b{number}", "r2", bw=bandwidth, **access)
        if fluid:
            self.addFluid("a0", "b0", {"model": "tcp_flows", "flows": flows, "congestion": "cubic"})


def timed(topo: Topo, length: str) -> tuple[float, Replication]:
    """Processor time (s) of a simulation, and what came of it."""
    begin = time.process_time()
    [replication] = simulate(topo, length, seeds=[1]).replications
    return time.process_time() - begin, replication


def apart(cases: int, first: int = 1) -> list[Result]:
    """The differences that hold for 95 % of the cases."""
    differences: dict[str, list[float]] = {}
    packets_s = fluid_s = 0.0
    for number in range(first, first + cases):
        drawn = case(number)
        packets, fluid = look(drawn, fluid=False), look(drawn, fluid=True)
        packets_s += packets.processor_s
        fluid_s += fluid.processor_s
        for name, difference in (
            ("mean wait, relative", fluid.mean_wait / packets.mean_wait - 1),
            ("p99 wait, relative", fluid.p99_wait / packets.p99_wait - 1),
            ("loss of the foreground, points of %", 100 * (fluid.loss - packets.loss)),
            ("goodput of the foreground, relative", fluid.goodput / packets.goodput - 1),
            ("use of the bottlenecks, points of %", 100 * (fluid.use - packets.use)),
        ):
            differences.setdefault(name, []).append(difference)
        if __name__ == "__main__":
            print(number, packets, fluid, flush=True)
    results = []
    for name, values in differences.items():
        ordered = sorted(abs(value) for value in values)
        bound = ordered[math.ceil(SHARE * len(ordered)) - 1]
        results += [
            Result(f"fluid_flows/{cases} cases/{name}/95 % within", bound, ""),
            Result(f"fluid_flows/{cases} cases/{name}/median", median(values), ""),
        ]
    return [*results, Result(f"fluid_flows/{cases} cases/ratio", packets_s / fluid_s, "times")]


def speed() -> list[Result]:
    """The dumbbell, in turns; and what 100,000 flows take."""
    turns = [
        (timed(Dumbbell(flows=64, fluid=fluid), "2s")[0], fluid)
        for _ in range(TURNS)
        for fluid in (False, True)
    ]
    packets = median(seconds for seconds, fluid in turns if not fluid)
    fluids = median(seconds for seconds, fluid in turns if fluid)
    long = median(
        timed(Dumbbell(flows=100_000, fluid=True), "12s")[0]
        - timed(Dumbbell(flows=100_000, fluid=True), "2s")[0]
        for _ in range(TURNS)
    )
    return [
        Result("fluid_flows/dumbbell, 64 flows, 2s/packets", packets, "s"),
        Result("fluid_flows/dumbbell, 64 flows, 2s/fluid", fluids, "s"),
        Result("fluid_flows/dumbbell, 64 flows, 2s/ratio", packets / fluids, "times", GOAL),
        Result("fluid_flows/dumbbell, 100000 flows/share of a core in real time", 10 * long, "%"),
    ]


def run() -> list[Result]:
    return [*apart(CASES), *speed()]


if __name__ == "__main__":
    asked = [int(each) for each in sys.argv[1:]] or [CASES]
    for result in [*(apart(*asked) if asked[0] > 0 else []), *speed()]:
        print(result)
