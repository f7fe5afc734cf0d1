# SPDX-License-Identifier: MIT
"""TCP flows as a fluid do to the link, and to packets of others, what the same flows do as packets."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.simulate.offline import simulate

FLOWS = 50


class Shared(Topo):
    """A foreground of UDP beside Reno flows on 100 Mbit/s, with a round trip of 40 ms and as much queue."""

    def build(self, *, fluid: bool) -> None:
        wide: dict[str, Any] = {"bw": 1000, "delay": "1ms", "max_queue_size": 100_000}
        background = {"model": "tcp_flows", "flows": FLOWS, "round_trip": "40ms", "segment": "1514 B"}
        shared = {"background": background} if fluid else {}
        for router in ("r1", "r2"):
            self.addSimRouter(router)
        self.addLink(
            "r1", "r2", bw=100, delay="18ms", params1={"max_queue_size": 333, "watch_queue": True, **shared}
        )
        source = {"kind": "udp_source", "destination": "g", "port": 7, "rate": "500 kbit/s", "payload": 500}
        self.addSimHost("f", applications=[source])
        self.addSimHost("g", applications=[{"kind": "udp_sink", "port": 7}])
        self.addLink("f", "r1", **wide)
        self.addLink("g", "r2", **wide)
        for number in range(0 if fluid else FLOWS):
            flow = {"kind": "tcp_bulk", "destination": f"b{number}", "port": 9, "tcp": {"congestion": "reno"}}
            self.addSimHost(f"a{number}", applications=[flow | {"start": f"{1 + number * 37 % 100}ms"}])
            self.addSimHost(f"b{number}", applications=[{"kind": "tcp_discard", "port": 9}])
            self.addLink(f"a{number}", "r1", **wide)
            self.addLink(f"b{number}", "r2", **wide)


def seen(*, fluid: bool) -> dict[str, float]:
    """Use of the shared link, shares of all bytes and of the foreground's datagrams lost, median wait (s)."""
    [replication] = simulate(Shared(fluid=fluid), "60s", seeds=[1]).replications
    link, sink = "r1-r2:r1-eth1>r2-eth1", "g:udp_sink:7"
    figures = {name: value for (row, name), value in replication.figures.items() if row == link}
    received, missing = (replication.figures[sink, name] for name in ("received_datagrams", "missing"))
    served = figures["delivered_bytes"] + figures.get("background_served_bytes", 0)
    lost = figures.get("background_lost_bytes", figures["dropped.queue_full"] * 1514)
    return {
        "use": served * 8 / (60 * 100e6),
        "lost": lost / (served + lost),
        "missing": missing / (received + missing),
        "wait": figures["queue_sojourn_p50_ns"] / 1e9,
    }


def test_tcp_flows_do_as_a_fluid_what_they_do_as_packets() -> None:
    packets, fluid = seen(fluid=False), seen(fluid=True)
    assert packets["use"] > 0.98
    assert fluid["use"] == pytest.approx(packets["use"], abs=0.02)
    assert fluid["lost"] == pytest.approx(packets["lost"], rel=0.2)
    assert fluid["missing"] == pytest.approx(packets["missing"], rel=0.25)
    assert fluid["wait"] == pytest.approx(packets["wait"], rel=0.15)
