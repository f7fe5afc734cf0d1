# SPDX-License-Identifier: MIT
"""Two hosts on two machines, and between them a cut link of 10 Gbit/s and 1 ms: portal, peering over UDP, portal.

Goal of the frames: nothing lost and every one accounted for at half of the loss-free rate.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks import capacity, traffic
from benchmarks.result import Result
from hybridnet import Cluster, ExperimentError, Net, Topo
from hybridnet.experiments.common.inet_testbed import Arm, peered_plans
from hybridnet.experiments.common.numbered import FILTER, Place

RATE_MBPS, DELAY_MS, QUEUE_PACKETS = 10_000, 1, 10_000
READY_S = 20.0


def run() -> list[Result]:
    topo = Topo()
    topo.addHost("h1", machine="m1")
    topo.addHost("h2", machine="m2")
    topo.addLink("h1", "h2", bw=RATE_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=QUEUE_PACKETS)
    name = "peering"
    with Net(topo, controller=None) as net:
        h1, h2 = net.get("h1", "h2")
        traffic.raise_windows(h1, h2)
        results = traffic.ping(net, h1, h2, name, 2 * DELAY_MS + 0.2, 2 * DELAY_MS + 0.5)
        results += [traffic.tcp(h1, h2, name), *traffic.fidelity(net, name)]
        for machine, snapshot in net.snapshot().items():
            [peer] = snapshot["peers"]
            results += [
                Result(f"{name}/{machine}/transit_p50", peer["transit_p50_ns"] / 1e6, "ms"),
                Result(f"{name}/{machine}/lost", peer["lost_packets"], "packets", 0, less_is_better=True),
                Result(
                    f"{name}/{machine}/late_fraction",
                    peer["late_packets"] / max(1, peer["received_packets"]),
                    "",
                    1e-4,
                    less_is_better=True,
                ),
            ]
    return results + _frames()


def _frames() -> list[Result]:
    machines = ("m1", "m2")
    results: list[Result] = []
    with Cluster.local(list(machines)) as cluster:
        plans = peered_plans(
            {machine: cluster.address(machine) for machine in machines},
            Arm("packet", "packet", filter=FILTER),
            rate_bps=RATE_MBPS * 1_000_000,
            delay_ns=DELAY_MS * 1_000_000,
            queue_packets=QUEUE_PACKETS,
        )
        for size in capacity.SIZES:
            cluster.call_all({machine: ("build", {"plan": plan}) for machine, plan in plans.items()})
            try:
                _await_ready(cluster, machines)
                results += capacity.measure(
                    cluster, Place("m1", "h1"), Place("m2", "h2"), size, f"peering/{size}_bytes"
                )
            finally:
                cluster.call_all({machine: ("destroy", {}) for machine in machines})
    return results


def _await_ready(cluster: Cluster, machines: Sequence[str]) -> None:
    """Wait until the instances know each other's clocks."""
    deadline = time.monotonic() + READY_S
    while not all(cluster.call(machine, "snapshot")[machine]["ready"] for machine in machines):
        if time.monotonic() > deadline:
            raise ExperimentError(
                f"the instances of {' and '.join(machines)} do not hear each other after {READY_S:g} s"
            )
        time.sleep(0.05)
