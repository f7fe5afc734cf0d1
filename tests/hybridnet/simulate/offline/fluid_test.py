# SPDX-License-Identifier: MIT
"""Fluid flows in simulations: what they load, what packets notice, and how they compare with packets."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.errors import UsageError
from hybridnet.simulate.offline import Replication, simulate

FLOWS = 20
TWO, THREE = "r2-r3:r2-eth2>r3-eth1", "r1-r2:r1-eth2>r2-eth1"


class Tandem(Topo):
    """a - r1 - r2 - r3 - b: 40 Mbit/s, then 20 Mbit/s; a round trip of 44 ms. Flows from a to b beside a foreground."""

    def build(
        self, *, flow: dict[str, Any] | None, packets: int = 0, aqm: dict[str, Any] | None = None
    ) -> None:
        wide: dict[str, Any] = {"bw": 1000, "delay": "1ms", "max_queue_size": 100_000}
        for name in ("r1", "r2", "r3"):
            self.addSimRouter(name)
        source = {"kind": "udp_source", "destination": "g", "port": 7, "rate": "500 kbit/s", "payload": 500}
        self.addSimHost("f", applications=[source])
        self.addSimHost("g", applications=[{"kind": "udp_sink", "port": 7}])
        self.addLink("f", "r1", **wide)
        self.addLink("r1", "r2", bw=40, delay="10ms", params1={"max_queue_size": 100, "watch_queue": True})
        queue = {"max_queue_size": 80} if aqm is None else {"aqm": aqm}
        self.addLink("r2", "r3", bw=20, delay="10ms", params1={**queue, "watch_queue": True})
        self.addLink("g", "r3", **wide)
        self.addSimHost("a")
        self.addSimHost("b")
        self.addLink("a", "r1", **wide)
        self.addLink("b", "r3", **wide)
        if flow is not None:
            self.addFluid("a", "b", flow)
        for number in range(packets):
            bulk = {"kind": "tcp_bulk", "destination": f"b{number}", "port": 9, "tcp": {"congestion": "reno"}}
            self.addSimHost(f"a{number}", applications=[bulk | {"start": f"{1 + number * 37 % 100}ms"}])
            self.addSimHost(f"b{number}", applications=[{"kind": "tcp_discard", "port": 9}])
            self.addLink(f"a{number}", "r1", **wide)
            self.addLink(f"b{number}", "r3", **wide)


def run(topo: Topo, length: str = "10s", **given: Any) -> Replication:
    [replication] = simulate(topo, length, seeds=[1], **given).replications
    return replication


def test_a_rate_fills_the_narrowest_link_and_packets_share_what_is_there() -> None:
    figures = run(Tandem(flow={"model": "constant_rate", "rate": "30 Mbit/s"})).figures
    # 30 Mbit/s of fluid and 0.542 of datagrams on the wire compete for 20.
    assert figures["a-b", "delivered_bytes"] * 8 / 10 == pytest.approx(20e6 * 30 / 30.542, rel=0.02)
    assert figures[THREE, "background_lost_bytes"] == 0
    assert figures[TWO, "background_lost_bytes"] == pytest.approx(figures["a-b", "lost_bytes"], rel=0.01)
    missing, got = figures["g:udp_sink:7", "missing"], figures["g:udp_sink:7", "received_datagrams"]
    # 30.542 on 20: a third is lost, of packets, too.
    assert missing / (missing + got) == pytest.approx(1 - 20 / 30.542, abs=0.03)


def test_what_was_offered_is_delivered_lost_or_under_way() -> None:
    model = {"model": "on_off", "rate": "3 Mbit/s", "flows": 15, "mean_on": "200ms", "mean_off": "200ms"}
    replication = run(Tandem(flow=model), series="100ms")
    rows = [
        replication.series["a-b", f"{name}_bytes"] for name in ("offered", "delivered", "lost", "under_way")
    ]
    for offered, delivered, lost, under_way in zip(*rows, strict=True):
        assert offered == delivered + lost + under_way
    assert rows[2][-1] > 0


def test_the_same_seed_gives_the_same_bytes() -> None:
    def digest() -> str | None:
        return run(Tandem(flow={"model": "tcp_flows", "flows": 10}), "3s", trace_hash=True).trace_hash

    assert digest() == digest()


def test_fluids_stay_in_one_part() -> None:
    topo = Tandem(flow={"model": "constant_rate", "rate": "1 Mbit/s"})
    with pytest.raises(UsageError, match="fluid flows stay in one part"):
        run(topo, parallel=2)


def test_a_simulation_at_the_pace_of_the_clock_has_them_too() -> None:
    topo = Tandem(flow={"model": "constant_rate", "rate": "8 Mbit/s"})
    figures = run(topo, "0.2s", real_time=True).figures
    assert figures["a-b", "delivered_bytes"] > 0


def compared(replication: Replication) -> dict[str, float]:
    """Use of the narrow link, shares of all bytes and of the foreground's datagrams lost, median wait (s)."""
    figures = {name: value for (row, name), value in replication.figures.items() if row == TWO}
    received, missing = (
        replication.figures["g:udp_sink:7", name] for name in ("received_datagrams", "missing")
    )
    served = figures["delivered_bytes"] + figures.get("background_served_bytes", 0)
    dropped = figures.get("dropped.queue_full", 0) + figures.get("dropped.aqm", 0)
    lost = figures.get("background_lost_bytes", dropped * 1514)
    return {
        "use": served * 8 / (40 * 20e6),
        "lost": lost / (served + lost),
        "missing": missing / (received + missing),
        "wait": figures["queue_sojourn_p50_ns"] / 1e9,
    }


def test_tcp_flows_over_two_queues_do_as_a_fluid_what_they_do_as_packets() -> None:
    packets = compared(run(Tandem(flow=None, packets=FLOWS), "40s"))
    model = {"model": "tcp_flows", "flows": FLOWS, "segment": "1514 B"}
    fluid = compared(run(Tandem(flow=model), "40s"))
    assert packets["use"] > 0.97
    assert fluid["use"] == pytest.approx(packets["use"], abs=0.03)
    assert fluid["lost"] == pytest.approx(packets["lost"], rel=0.3)
    assert fluid["missing"] == pytest.approx(packets["missing"], rel=0.5)
    assert fluid["wait"] == pytest.approx(packets["wait"], rel=0.2)


def test_red_does_to_a_fluid_what_it_does_to_packets() -> None:
    red = {"model": "red", "limit": "1 MB", "least": "30 kB", "most": "120 kB", "highest": "10 %"}
    red |= {"weight": 0.002, "gentle": True}
    packets = compared(run(Tandem(flow=None, packets=FLOWS, aqm=red), "40s"))
    model = {"model": "tcp_flows", "flows": FLOWS, "segment": "1514 B"}
    fluid = compared(run(Tandem(flow=model, aqm=red), "40s"))
    assert packets["use"] > 0.97
    assert fluid["use"] == pytest.approx(packets["use"], abs=0.03)
    assert fluid["lost"] == pytest.approx(packets["lost"], rel=0.3)
    assert fluid["missing"] == pytest.approx(packets["missing"], rel=0.5)
    assert fluid["wait"] == pytest.approx(packets["wait"], rel=0.2)
