# SPDX-License-Identifier: MIT
"""Two trees of 63 switches with 64 hosts each, roots joined by a simulated link: what hosts see of its settings.

Goals: over a link of 10 ms, pings of a median of 20 ms and at most 2 ms more, none of 200 lost; over a link of
10 Mbit/s and 5 ms, TCP at 95 to 105 % of the link's payload rate, pings of a median of 10 to 12 ms, and every frame
that a portal captured counted by the link.
"""

from __future__ import annotations

from benchmarks.result import Result
from benchmarks.traffic import tcp
from hybridnet import Net
from hybridnet.topologies import TwoTrees

DEPTH = 6
PINGS = 200
PAYLOAD_SHARE = (
    1448 / 1514
)  # of a full frame: 1460 bytes less 12 of TCP timestamps, in 1500 + 14 bytes of Ethernet


def run() -> list[Result]:
    return [
        *_measure("10 Gbit/s", "10ms", 20.0, with_tcp=False),
        *_measure("10 Mbit/s", "5ms", 10.0, with_tcp=True),
    ]


def _measure(rate: str, delay: str, least_rtt_ms: float, *, with_tcp: bool) -> list[Result]:
    name = f"trees/{rate}, {delay}"
    topo = TwoTrees(depth=DEPTH, bw=10_000 if rate == "10 Gbit/s" else 10, delay=delay)
    with Net(topo) as net:
        source, target = (net[host] for host in topo.pairs[0])
        pairs = [(source.name, target.IP())]
        net.cluster.call(source.machine, "ping_pairs", pairs=pairs, wait_s=10.0)
        [answer] = net.cluster.call(source.machine, "ping_pairs", pairs=pairs, count=PINGS, interval_s=0.02)
        rtts = sorted(answer["rtts_ms"])
        results = [
            Result(f"{name}/ping/p50", rtts[len(rtts) // 2], "ms", least_rtt_ms + 2, less_is_better=True),
            Result(f"{name}/ping/p99", rtts[len(rtts) * 99 // 100], "ms"),
            Result(f"{name}/ping/least", rtts[0], "ms", least_rtt_ms),
            Result(
                f"{name}/ping/lost", answer["sent"] - answer["received"], "packets", 0, less_is_better=True
            ),
        ]
        if with_tcp:
            share = (tcp(source, target, name).value or 0.0) / (0.01 * PAYLOAD_SHARE)
            results += [
                Result(f"{name}/tcp/share_of_payload_rate", share, "", 0.95),
                Result(f"{name}/tcp/share_of_payload_rate_at_most", share, "", 1.05, less_is_better=True),
            ]
        for machine, snapshot in net.snapshot().items():
            captured = sum(
                portal["captured_segments"] - portal["captured_dropped"] for portal in snapshot["portals"]
            )
            accepted = sum(link["accepted_packets"] for link in snapshot["links"])
            results.append(
                Result(f"{name}/{machine}/not_seen_by_link", captured - accepted, "frames", 0, True)
            )
    return results
