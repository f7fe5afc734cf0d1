# SPDX-License-Identifier: MIT
"""Two hosts on one machine, each at an emulation portal, and between these a simulated link of 40 Gbit/s and 10 ms.

Goals, with the backend ``packet``: ping 20 ms and at most 0.2 ms (median), 0.5 ms (99 %); one TCP flow 8 Gbit/s, and 5
times what ``pcap`` does in the same run; UDP without loss 1.5 times ``pcap``'s.
"""

from __future__ import annotations

from benchmarks import traffic
from benchmarks.result import Result
from hybridnet import Net, Topo

RATE_MBPS, DELAY_MS, QUEUE_PACKETS = 40_000, 10, 50_000
BACKENDS = ("packet", "pcap")


def run() -> list[Result]:
    results: list[Result] = []
    figures: dict[str, list[Result]] = {}
    for backend in BACKENDS:
        topo = Topo()
        topo.addHost("h1")
        topo.addHost("h2")
        topo.addLink("h1", "h2", bw=RATE_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=QUEUE_PACKETS)
        name = f"portal/{backend}"
        with Net(topo, controller=None, backend=backend) as net:
            h1, h2 = net.get("h1", "h2")
            traffic.raise_windows(h1, h2)
            goals = (2 * DELAY_MS + 0.2, 2 * DELAY_MS + 0.5) if backend == "packet" else (None, None)
            results += traffic.ping(net, h1, h2, name, *goals)
            tcp = traffic.tcp(h1, h2, name, 8.0 if backend == "packet" else None)
            figures[backend] = [tcp, traffic.udp(h1, h2, name)]
            results += [*figures[backend], *traffic.fidelity(net, name)]
    for ours, theirs, goal in zip(figures["packet"], figures["pcap"], (5.0, 1.5), strict=True):
        if ours.value and theirs.value:
            what = ours.name.rpartition("/")[2]
            results.append(Result(f"portal/packet_to_pcap/{what}", ours.value / theirs.value, "", goal))
    return results
