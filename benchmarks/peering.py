# SPDX-License-Identifier: MIT
"""Two hosts on two machines, and between them a cut link of 10 Gbit/s and 1 ms: portal, peering over UDP, portal."""

from __future__ import annotations

from benchmarks import traffic
from benchmarks.result import Result
from hybridnet import Net, Topo

RATE_MBPS, DELAY_MS, QUEUE_PACKETS = 10_000, 1, 10_000


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
        results += [traffic.tcp(h1, h2, name), traffic.udp(h1, h2, name), *traffic.fidelity(net, name)]
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
    return results
