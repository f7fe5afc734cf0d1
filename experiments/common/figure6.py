# SPDX-License-Identifier: MIT
"""Figure 6 of Obaida and Liu 2017: 128 hosts on both sides of two routers, as a description."""

from __future__ import annotations

from typing import Any

from hybridnet import Topo

HOSTS = 64
"""On each side."""
ACCESS_MBPS, CORE_MBPS = 1000, 10_000
DELAY = "1ms"
ACCESS_QUEUE = 1000
CORE_QUEUE = 5000
"""Segments: one bandwidth-delay product of a round trip of 6 ms."""
OVERHEAD = 24
"""Preamble, checksum and gap of a frame. Bytes."""
PAYLOAD = 1448
FRAME = 1514 + OVERHEAD
PORT = 5001


class Figure6(Topo):
    """h1 ... h64 ─ r1 ═ 10 Gbit/s ═ r2 ─ h65 ... h128; flow i goes from host i to host i + 64. Single segments: exact.

    Args:
        starts: when each flow starts, seconds; as many flows as there are starts, at most 64.
    """

    def build(self, starts: tuple[float, ...] = (0.0,) * HOSTS) -> None:
        exact: dict[str, Any] = {"delay": DELAY, "overhead": OVERHEAD, "train_limit": "0ms"}
        tcp = {"preset": "linux", "longest_train": 1, "ack_per_train": False}
        for side in (1, 2):
            self.addSimRouter(f"r{side}", machine=f"m{side}")
        self.addLink("r1", "r2", bw=CORE_MBPS, max_queue_size=CORE_QUEUE, **exact)
        for side in (1, 2):
            for index in range(HOSTS):
                name = f"h{index + 1 + (side - 1) * HOSTS}"
                applications: list[dict[str, Any]] = []
                if index < len(starts):
                    applications = (
                        [
                            {
                                "kind": "tcp_bulk",
                                "destination": f"h{index + 1 + HOSTS}",
                                "port": PORT,
                                "start": f"{starts[index]}s",
                                "tcp": tcp,
                            }
                        ]
                        if side == 1
                        else [{"kind": "tcp_discard", "port": PORT, "tcp": tcp}]
                    )
                self.addSimHost(name, machine=f"m{side}", applications=applications)
                self.addLink(name, f"r{side}", bw=ACCESS_MBPS, max_queue_size=ACCESS_QUEUE, **exact)


def received(flow: int) -> tuple[str, str]:
    """The counter of what a flow's receiver got, from 0."""
    return f"h{flow + 1 + HOSTS}:tcp_discard:{PORT}", "received_bytes"


def limit_bps(flows: int) -> float:
    """What the framing lets through: of the access links of so many flows, or of the bottleneck."""
    return min(flows * ACCESS_MBPS, CORE_MBPS) * 1e6 * PAYLOAD / FRAME
