# SPDX-License-Identifier: MIT
"""Two hosts on one machine, each at an emulation portal, and between these a simulated link of 40 Gbit/s and 10 ms.

Goals, with the backend ``packet``: ping 20 ms and at most 0.2 ms (median), 0.5 ms (99 %); one TCP flow 8 Gbit/s, and 5
times what ``pcap`` does in the same run; frames of 1,400 bytes without loss, 1.5 times ``pcap``'s, which are also sent
in trains: single ones keep the sender as busy as the portals. With both: nothing lost, and every single frame accounted
for, at half of the loss-free rate.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import capacity, traffic
from benchmarks.result import Result
from hybridnet import Cluster, Net, Topo
from hybridnet.experiments.common.inet_testbed import Arm, bridge_plan
from hybridnet.experiments.common.numbered import FILTER, Place

RATE_MBPS, DELAY_MS, QUEUE_PACKETS = 40_000, 10, 50_000
BACKENDS = ("packet", "pcap")
FRAMES = {
    **{f"{size}_bytes": (size, capacity.GATHER) for size in capacity.SIZES},
    "1400_bytes_in_trains": (1400, capacity.TRAINS),
}

MACHINE = "m1"


def run() -> list[Result]:
    results: list[Result] = []
    compared: dict[str, list[float]] = {}
    with Cluster.local([MACHINE]) as cluster:
        for backend in BACKENDS:
            tcp, *others = _ping_and_tcp(backend)
            frames = {what: _frames(cluster, backend, what, *how) for what, how in FRAMES.items()}
            results += [tcp, *others, *(each for figures in frames.values() for each in figures)]
            compared[backend] = [tcp.value or 0.0, *(figures[0].value or 0.0 for figures in frames.values())]
    whats = [("tcp", 5.0), *((what, 1.5 if what.startswith("1400") else None) for what in FRAMES)]
    for (what, goal), ours, theirs in zip(whats, compared["packet"], compared["pcap"], strict=True):
        if theirs:
            results.append(Result(f"portal/packet_to_pcap/{what}", ours / theirs, "", goal))
    return results


def _ping_and_tcp(backend: str) -> list[Result]:
    topo = Topo()
    topo.addHost("h1")
    topo.addHost("h2")
    topo.addLink("h1", "h2", bw=RATE_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=QUEUE_PACKETS)
    name = f"portal/{backend}"
    with Net(topo, controller=None, backend=backend) as net:
        h1, h2 = net.get("h1", "h2")
        traffic.raise_windows(h1, h2)
        goals = (2 * DELAY_MS + 0.2, 2 * DELAY_MS + 0.5) if backend == "packet" else (None, None)
        ping = traffic.ping(net, h1, h2, name, *goals)
        tcp = traffic.tcp(h1, h2, name, 8.0 if backend == "packet" else None)
        fidelity = traffic.fidelity(net, name)
        return [tcp, *ping, *fidelity, *traffic.tcp_both_ways(h1, h2, name)]


def _frames(cluster: Cluster, backend: str, what: str, size: int, sending: Sequence[str]) -> list[Result]:
    plan = bridge_plan(
        MACHINE,
        Arm(backend, backend, filter=FILTER),
        rate_bps=RATE_MBPS * 1_000_000,
        delay_ns=DELAY_MS * 1_000_000,
        queue_packets=QUEUE_PACKETS,
    )
    cluster.call(MACHINE, "build", plan=plan)
    try:
        source, target = Place(MACHINE, "h1"), Place(MACHINE, "h2")
        return capacity.measure(cluster, source, target, size, f"portal/{backend}/{what}", sending=sending)
    finally:
        cluster.call(MACHINE, "destroy")
