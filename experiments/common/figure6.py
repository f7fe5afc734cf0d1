# SPDX-License-Identifier: MIT
"""Figure 6 of Obaida and Liu 2017: 128 hosts on both sides of two routers, as a description."""

from __future__ import annotations

from collections.abc import Sequence
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
    """h1 ... h64 ─ r1 ═ 10 Gbit/s ═ r2 ─ h65 ... h128; flow i goes from host i to host i + 64.

    Args:
        starts: when each flow starts, seconds; as many flows as there are starts, at most 64.
        kinds: ``"tcp"`` or ``"udp"``, which the flows have in turns.
        udp_rate: of the payload of each UDP flow.
        core_delay: of the link between the routers, the only one that is cut.
        exact: single segments, and not trains of them.
    """

    def build(
        self,
        starts: Sequence[float] = (0.0,) * HOSTS,
        kinds: Sequence[str] = ("tcp",),
        udp_rate: str = "100 Mbit/s",
        core_delay: str = DELAY,
        exact: bool = True,
    ) -> None:
        link: dict[str, Any] = {"overhead": OVERHEAD} | ({"train_limit": "0ms"} if exact else {})
        single = {"longest_train": 1, "ack_per_train": False} if exact else {}
        tcp = {"preset": "linux", **single}
        for side in (1, 2):
            self.addSimRouter(f"r{side}", machine=f"m{side}")
        self.addLink("r1", "r2", bw=CORE_MBPS, delay=core_delay, max_queue_size=CORE_QUEUE, **link)
        for side in (1, 2):
            for index in range(HOSTS):
                name = f"h{index + 1 + (side - 1) * HOSTS}"
                applications: list[dict[str, Any]] = []
                if index < len(starts):
                    kind = kinds[index % len(kinds)]
                    own: dict[str, Any] = {"tcp": tcp} if kind == "tcp" else {}
                    if side == 1:
                        own |= {"destination": f"h{index + 1 + HOSTS}", "start": f"{starts[index]}s"}
                        own |= {"rate": udp_rate} if kind == "udp" else {}
                    applications = [{"kind": _KINDS[kind][side - 1], "port": PORT, **own}]
                self.addSimHost(name, machine=f"m{side}", applications=applications)
                self.addLink(
                    name, f"r{side}", bw=ACCESS_MBPS, delay=DELAY, max_queue_size=ACCESS_QUEUE, **link
                )


_KINDS = {"tcp": ("tcp_bulk", "tcp_discard"), "udp": ("udp_source", "udp_sink")}


def received(flow: int, kind: str = "tcp") -> tuple[str, str]:
    """The counter of what a flow's receiver got, from 0."""
    return f"h{flow + 1 + HOSTS}:{_KINDS[kind][1]}:{PORT}", "received_bytes"


def limit_bps(flows: int) -> float:
    """What the framing lets through: of the access links of so many flows, or of the bottleneck."""
    return min(flows * ACCESS_MBPS, CORE_MBPS) * 1e6 * PAYLOAD / FRAME
