# SPDX-License-Identifier: MIT
"""What leaving out steady time is worth: a ring all-reduce as in training, and random workloads, with --fast-forward
and packet by packet, in turns: processor time, and completion times flow by flow.

::

    a fat tree (k = 8) of simulated routers, 128 hosts, 1 Gbit/s at each, 10 Gbit/s between routers, 5 us each
    windows of 32 KiB, four times what the longest way holds, so that nothing is lost, as in networks for training

All rounds of an all-reduce are alike, so the first ones stand for all. Units: times as fast, and percent of a
completion time. Goals: 50 times with 1 % at most; of 50 random workloads no completion time is wrong by more than 1 %.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result
from hybridnet import FastForward, Topo, Workload
from hybridnet.simulate.offline import Replication, simulate
from hybridnet.simulate.offline.forward import ForwardCheck

PORTS = 8
HALF = PORTS // 2
HOSTS = PORTS * HALF * HALF
TURNS = 3
ROUNDS = 2
SIZE = "72 GB"
RANDOM = 50
ERROR = 0.01
WINDOW = {"preset": "linux", "receive_buffer": 32 << 10}
QUEUE = {"max_queue_size": 1000}


class FatTree(Topo):
    """Routers, which route; hosts are numbered edge by edge."""

    def build(self) -> None:
        for number in range(HALF * HALF):
            self.addSimRouter(f"c{number}")
        for layer in "ae":
            for number in range(PORTS * HALF):
                self.addSimRouter(f"{layer}{number}")
        for number in range(PORTS * HALF):
            for up in range(HALF):
                self.addLink(f"a{number}", f"c{number % HALF * HALF + up}", bw=10_000, delay="5us", **QUEUE)
                self.addLink(f"e{number}", f"a{number // HALF * HALF + up}", bw=10_000, delay="5us", **QUEUE)
        for number in range(HOSTS):
            self.addSimHost(f"h{number}")
            self.addLink(f"h{number}", f"e{number // HALF}", bw=1000, delay="5us", **QUEUE)


class Leaves(Topo):
    """Routers below one, with four hosts each."""

    def build(self, *, leaves: int, up: int, bw: int, delay: str, link: dict[str, int]) -> None:
        self.addSimRouter("top")
        for leaf in range(leaves):
            self.addSimRouter(f"r{leaf}")
            self.addLink(f"r{leaf}", "top", bw=up, delay=delay, **link)
            for host in range(4):
                self.addSimHost(f"h{4 * leaf + host}")
                self.addLink(f"h{4 * leaf + host}", f"r{leaf}", bw=bw, delay="5us", **link)


def once(
    topo: Topo, until: str, workloads: list[Workload], forward: FastForward | None, seed: int = 1
) -> Replication:
    """One simulation in this process."""
    [made] = simulate(
        topo, until, seeds=[seed], jobs=1, workloads=workloads, fast_forward=forward
    ).replications
    return made


def both(
    topo: Topo, until: str, workloads: list[Workload], seed: int = 1
) -> tuple[Replication, ForwardCheck]:
    """With time left out, and the comparison with packet by packet."""
    forwarded = once(topo, until, workloads, FastForward(f"{ERROR:%}"), seed)
    packets = once(topo, until, workloads, None, seed)
    speed_up = packets.processor_s / forwarded.processor_s
    until_s = packets.simulated_ns / 1e9
    return forwarded, ForwardCheck.of(ERROR, forwarded.flows, packets.flows, until_s, speed_up)


def drawn(seed: int) -> tuple[Topo, str, list[Workload]]:
    """A network, and one or two workloads, at random."""
    random = Random(f"random workload {seed}")
    bw = random.choice([50, 100, 200])
    link = {"max_queue_size": random.choice([50, 200, 1000])}
    topo = Leaves(
        leaves=random.randint(1, 3),
        up=bw * random.choice([1, 2, 10]),
        bw=bw,
        delay=random.choice(["5us", "100us", "2ms"]),
        link=link,
    )
    tcp: Any = random.choice([{"preset": "linux"}, {"congestion": "reno"}, WINDOW, "reno-2004"])
    seconds = 3.0
    megabytes = round(bw / 8 * seconds * random.uniform(0.1, 0.6), 1)
    workloads = [
        random.choice(
            [
                Workload(f"{megabytes} MB", pattern="permutation", load=0.3, tcp=tcp),
                Workload(f"{megabytes / 4} MB", pattern="all-to-all", load=0.2, tcp=tcp),
                Workload("web-search", pattern="all-to-all", load=0.3, tcp=tcp),
                Workload(
                    f"{megabytes} MB",
                    pattern="incast",
                    fan_in=random.randint(1, 3),
                    interval="1500ms",
                    tcp=tcp,
                ),
                Workload(f"{4 * megabytes} MB", pattern="all-reduce", rounds=4, tcp=tcp),
            ]
        )
    ]
    if random.random() < 0.3:
        workloads.append(Workload("20 kB", pattern="incast", fan_in=2, interval="700ms", tcp=tcp))
    return topo, f"{seconds:g}s", workloads


def run() -> list[Result]:
    training = [Workload(SIZE, pattern="all-reduce", rounds=ROUNDS, tcp=WINDOW)]
    checks = [both(FatTree(), "10s", training)[1] for _ in range(TURNS)]
    case = f"fast_forward/all-reduce, {HOSTS} hosts"
    results = [
        Result(f"{case}/speed-up", median(check.speed_up for check in checks), "times", 50),
        Result(
            f"{case}/worst error", 100 * max(check.worst for check in checks), "%", 1, less_is_better=True
        ),
    ]
    found = [both(*drawn(seed), seed) for seed in range(1, RANDOM + 1)]
    refused = sum(forwarded.forwarded is None or forwarded.forwarded.skips == 0 for forwarded, _ in found)
    case = f"fast_forward/{RANDOM} random workloads"
    return [
        *results,
        Result(
            f"{case}/worst error", 100 * max(check.worst for _, check in found), "%", 1, less_is_better=True
        ),
        Result(f"{case}/refused", refused, "workloads"),
        Result(f"{case}/speed-up", median(check.speed_up for _, check in found), "times"),
    ]


if __name__ == "__main__":
    for result in run():
        print(result)
