# SPDX-License-Identifier: MIT
"""The network of scale: ten thousand simulated hosts behind switches and routers, a tenth of which send.

::

    h1 .. h100 ── s1 ─┐                    ┌─ s51 ── h5001 .. h5100
        1 Mbit/s      r1 ─── core ─── r6
              s2..10 ─┘   10 Gbit/s        └─ s52..60                    and so on: 10 routers, 100 switches

Host i of the first half sends to host i of the second half, each over its own access link of 1 Mbit/s.
"""

from __future__ import annotations

from typing import Any

from hybridnet import Topo

ROUTERS = 10
SWITCHES_PER_ROUTER = 10
ACCESS_MBPS = 1
CORE_MBPS = 10_000
DELAY = "1ms"
ACCESS_QUEUE = 20
"""Segments: a quarter of a second at 1 Mbit/s."""
CORE_QUEUE = 5000
OVERHEAD = 24
"""Preamble, checksum and gap of a frame. Bytes."""
PAYLOAD, FRAME = 1448, 1514 + OVERHEAD
PAYLOAD_BPS = ACCESS_MBPS * 1e6 * PAYLOAD / FRAME
SERVICE = 9
START_S = 1.0
START_WITHIN_S = 1.0
"""The flows begin one after the other within this time, so that their slow starts do not coincide."""


class ManyHosts(Topo):
    """So many simulated hosts, evenly spread over the switches."""

    def build(self, hosts: int, flows: int) -> None:
        self.addSimRouter("core")
        core: dict[str, Any] = {
            "bw": CORE_MBPS,
            "delay": DELAY,
            "max_queue_size": CORE_QUEUE,
            "overhead": OVERHEAD,
        }
        access: dict[str, Any] = {
            "bw": ACCESS_MBPS,
            "delay": DELAY,
            "max_queue_size": ACCESS_QUEUE,
            "overhead": OVERHEAD,
        }
        switches: list[str] = []
        for router in range(1, ROUTERS + 1):
            self.addSimRouter(f"r{router}")
            self.addLink(f"r{router}", "core", **core)
            for _ in range(SWITCHES_PER_ROUTER):
                switches.append(self.addSimSwitch(f"s{len(switches) + 1}"))
                self.addLink(switches[-1], f"r{router}", **core)
        for number in range(1, hosts + 1):
            name = f"h{number}"
            self.addSimHost(name, applications=_applications(number, hosts, flows))
            self.addLink(name, switches[(number - 1) * len(switches) // hosts], **access)


def _applications(number: int, hosts: int, flows: int) -> list[dict[str, object]]:
    """The first hosts of the first half send, those of the second half take; spread over all switches."""
    half = hosts // 2
    place = (number - 1) % half
    if place * flows // half == (place + 1) * flows // half:
        return []
    if number > half:
        return [{"kind": "tcp_discard", "port": SERVICE}]
    start_s = START_S + START_WITHIN_S * place / half
    bulk = {"kind": "tcp_bulk", "destination": f"h{number + half}", "port": SERVICE}
    return [bulk | {"start": f"{start_s * 1e3:.3f}ms"}]
