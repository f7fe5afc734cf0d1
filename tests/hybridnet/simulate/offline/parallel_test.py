# SPDX-License-Identifier: MIT
"""A network in parts gives what it gives as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import PlanError
from hybridnet.simulate.offline import Replication, simulate


class Chain(Topo):
    """r1 ─ r2 ─ r3 with two hosts each; those of r1 and r3 exchange TCP, UDP and pings at the same instants."""

    def build(
        self, delay: str = "200us", loss: float = 0.0, machines: bool = False, tcp: bool = True
    ) -> None:
        def on(number: int) -> dict[str, str]:
            return {"machine": f"m{number}"} if machines else {}

        for number in (1, 2, 3):
            self.addSimRouter(f"r{number}", **on(number))
            for host in ("a", "b"):
                there = f"{host}{4 - number}"
                applications: list[dict[str, Any]] = [
                    {"kind": "udp_sink", "port": 7},
                    {"kind": "tcp_discard", "port": 9},
                    {
                        "kind": "udp_source",
                        "destination": there,
                        "port": 7,
                        "rate": "5 Mbit/s",
                        "payload": 500,
                    },
                    {"kind": "ping", "destination": there, "interval": "10ms"},
                ]
                if tcp and number != 2:
                    applications.append({"kind": "tcp_bulk", "destination": there, "port": 9})
                self.addSimHost(
                    f"{host}{number}", applications=applications if number != 2 else [], **on(number)
                )
                self.addLink(f"{host}{number}", f"r{number}", bw=100, delay="50us")
        self.addLink("r1", "r2", bw=20, delay=delay, max_queue_size=20, loss=loss, jitter="100us")
        self.addLink("r2", "r3", bw=20, delay=delay, max_queue_size=20, loss=loss)


def run(topo: Topo, seed: int = 1, **options: Any) -> Replication:
    [replication] = simulate(topo, "40ms", seeds=[seed], trace_hash=True, **options).replications
    return replication


@pytest.mark.parametrize(
    ("loss", "tcp"),
    [
        (1.0, True),
        *(
            pytest.param(*each, marks=pytest.mark.thorough)
            for each in ((1.0, False), (0.0, True), (0.0, False))
        ),
    ],
)
def test_parts_give_the_figures_and_the_trace_of_the_whole(tcp: bool, loss: float) -> None:
    for seed in (1, 2):
        whole = run(Chain(loss=loss, tcp=tcp), seed)
        assert whole.figures["r1-r2:r1-eth3>r2-eth3", "delivered_packets"] > 0
        for parts in (2, 4):
            apart = run(Chain(loss=loss, tcp=tcp), seed, parallel=parts)
            assert apart.figures == whole.figures
            assert list(apart.figures) == list(whole.figures)
            assert (apart.trace_hash, apart.events) == (whole.trace_hash, whole.events)


ON_OFF = {"model": "on_off", "rate": "500 kbit/s", "mean_on": "1ms", "mean_off": "1ms", "flows": 80}


class Ring(Topo):
    """Five routers in a ring, and behind each a host with one kind of traffic to the host two further."""

    def build(self, **core: Any) -> None:
        for number in range(5):
            self.addSimRouter(f"r{number}")
            there = f"h{(number + 2) % 5}"
            applications: list[dict[str, Any]] = [
                {"kind": "tcp_bulk", "destination": there, "port": 9},
                {"kind": "udp_source", "destination": there, "port": 7, "rate": "3 Mbit/s"},
                {"kind": "ping", "destination": there, "interval": "1ms"},
            ]
            self.addSimHost(
                f"h{number}",
                applications=[applications[number % 3], {"kind": "tcp_discard", "port": 9}],
                processing_delay="20us",
            )
        for number in range(5):
            self.addLink(f"r{number}", f"r{(number + 1) % 5}", **{"bw": 20, "delay": "2ms"} | core)
            self.addLink(f"h{number}", f"r{number}", bw=100, delay="100us")


@pytest.mark.parametrize(
    "core",
    [
        {"jitter": "1ms"},
        {"jitter": "1ms", "jitter_distribution": "normal", "keep_order": True},
        {"loss": {"model": "gilbert_elliott", "to_bad": 2, "to_good": 20}, "duplicate": 2},
        {"corrupt": 1, "reorder": 5},
        {"bit_error_rate": 1e-6, "max_queue_size": 5},
        {"aqm": "red"},
        {"aqm": "fq_codel", "ecn": True},
        {"aqm": "priority", "burst": "20 kB"},
        {"bw": None, "slots": [("5ms", 12), ("7ms", 3)]},
        {"train_limit": "0us", "watch_queue": True},
        {"background": ON_OFF, "max_queue_size": 20, "jitter": "1ms"},
        {"background": {"model": "tcp_flows", "flows": 20, "round_trip": "1ms"}, "max_queue_size": 20},
        {"background": {"model": "poisson_sessions", "per_second": 2000, "size": "1 kB", "sizes": "pareto"}},
        {"background": ON_OFF, "bw": None, "slots": [("5ms", 12), ("7ms", 30)], "watch_queue": True},
    ],
    ids=lambda core: " ".join(core),
)
def test_whatever_its_links_are_a_network_in_parts_has_the_trace_of_the_whole(core: dict[str, Any]) -> None:
    whole = run(Ring(**core))
    for parts in (2, 3):
        apart = run(Ring(**core), parallel=parts)
        assert (apart.trace_hash, apart.figures) == (whole.trace_hash, whole.figures)


def test_seeds_have_other_traces() -> None:
    assert run(Chain(loss=1.0), 1, parallel=2).trace_hash != run(Chain(loss=1.0), 2, parallel=2).trace_hash


def test_samples_are_those_of_the_whole() -> None:
    whole, apart = (run(Chain(), series="20ms", parallel=parts) for parts in (1, 2))
    assert apart.sampled_ns == whole.sampled_ns
    assert apart.series == whole.series


def test_machines_are_the_parts_where_there_are_as_many() -> None:
    report = simulate(Chain(machines=True), "10ms", parallel=3)
    assert report.partition is not None
    assert report.partition.part_of == {f"{kind}{part + 1}": part for part in range(3) for kind in "rab"}
    assert set(report.partition.cut) == {"r1-r2", "r2-r3"}
    assert report.partition.lookahead_ns == 100_000  # the jitter is around the delay
    [replication] = report.replications
    assert replication.waited_share is not None
    assert 0 < replication.waited_share < 1
    assert replication.synchronization is not None
    assert [part["windows"] > 10 for part in replication.synchronization["parts"]] == [True] * 3


def test_replications_in_processes_have_threads_too() -> None:
    report = simulate(Chain(loss=1.0), "20ms", seeds=2, parallel=2, jobs=2, trace_hash=True)
    assert [each.trace_hash for each in report.replications] == [
        simulate(Chain(loss=1.0), "20ms", seeds=[seed], trace_hash=True).replications[0].trace_hash
        for seed in (1, 2)
    ]


def test_a_net_simulates_in_parts() -> None:
    assert Net(Chain()).simulate("20ms", parallel=2).partition is not None


class Undelayed(Topo):
    def build(self) -> None:
        self.addSimHost("a")
        self.addSimRouter("r")
        self.addSimHost("b")
        self.addLink("a", "r")
        self.addLink("r", "b", delay="1ms")


def test_a_network_without_delays_cannot_be_cut() -> None:
    with pytest.raises(PlanError, match="cannot be cut into 3 parts: links with a delay join only 2 parts"):
        simulate(Undelayed(), "1s", parallel=3)
    assert run(Undelayed(), parallel=2).trace_hash == run(Undelayed()).trace_hash


def test_machines_without_a_delay_between_them_are_refused() -> None:
    with pytest.raises(PlanError, match="link r1-r2: it joins machines"):
        simulate(Chain(delay="0ms", machines=True), "1s", parallel=3)
