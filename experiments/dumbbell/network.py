# SPDX-License-Identifier: MIT
"""The dumbbell of figure 6 of Obaida and Liu 2017, in one simulation: hosts on both sides of two routers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hybridnet._simcore import OfflineSimulation

NS = 1_000_000_000
ACCESS_BPS = 1_000_000_000
BOTTLENECK_BPS = 10_000_000_000
LINK_DELAY_NS = 1_000_000
ACCESS_QUEUE = 1000
BOTTLENECK_QUEUE = 5000
"""Segments: one bandwidth-delay product of a round trip of 6 ms."""
OVERHEAD = 24
"""Preamble, checksum and gap of a frame. Bytes."""
PAYLOAD = 1448
FRAME = 1514 + OVERHEAD
TRAIN_LIMIT_NS = 150_000
"""Twelve segments of an access link. Uncut, trains make losses come in so large lumps that 64 flows do not become
equal."""
ANSWER_JITTER_NS = 20_000
"""A receiving host sends each acknowledgement up to so much later, uniformly distributed and in order, as interrupts
and scheduling let a real one do. Without any, flows keep step with the bottleneck's queue, and the same ones lose at
every overflow: the phase effects of Floyd and Jacobson, "Traffic phase effects in packet-switched gateways" (1991).
They vanish when the jitter is longer than a segment takes on the bottleneck, 1.2 µs here. docs/tcp_validation.md has
the evidence."""


@dataclass(frozen=True)
class Step:
    """So many flows for a while.

    Args:
        goodput_bps: of each flow, in the second half of the step.
        wall_s: wall-clock seconds that the step took.
        processor_s: processor seconds that it took, of the one thread that runs it.
    """

    flows: int
    goodput_bps: tuple[float, ...]
    simulated_s: float
    wall_s: float
    processor_s: float
    events: int

    @property
    def total_bps(self) -> float:
        return sum(self.goodput_bps)

    @property
    def fairness(self) -> float:
        """Jain's index: 1 when all flows get the same."""
        squares = sum(value * value for value in self.goodput_bps)
        return self.total_bps**2 / (self.flows * squares) if squares else 0.0

    @property
    def speed(self) -> float:
        """Simulated seconds per processor second."""
        return self.simulated_s / self.processor_s

    @property
    def demand_bps(self) -> float:
        """Payload that the access links let the flows ask for."""
        return self.flows * ACCESS_BPS * PAYLOAD / FRAME

    @property
    def limit_bps(self) -> float:
        """The smaller of the demand and what the framing lets through the bottleneck."""
        return min(self.demand_bps, BOTTLENECK_BPS * PAYLOAD / FRAME)


def tcp_options(trains: bool) -> dict[str, Any]:
    """A Linux of today; with single segments, one without segmentation offloads."""
    return {
        "preset": "linux",
        "longest_train": 44 if trains else 1,
        "ack_per_train": trains,
    }


def build(
    hosts_per_side: int,
    steps: tuple[int, ...],
    step_s: float,
    trains: bool,
    answer_jitter_ns: int = ANSWER_JITTER_NS,
) -> OfflineSimulation:
    """The network, and flow i from host i on the left to host i on the right."""
    simulation = OfflineSimulation(1)
    for number, router in enumerate(("r1", "r2")):
        simulation.add_node("router", router)
        simulation.add_interface(
            router, f"{router}-core", f"02:00:00:ff:00:0{number + 1}", f"100.64.0.{number + 1}/30"
        )
    limit = {"overhead_bytes": OVERHEAD, "train_limit_ns": TRAIN_LIMIT_NS if trains else 0}
    core = {"rate_bps": BOTTLENECK_BPS, "delay_ns": LINK_DELAY_NS, "queue_packets": BOTTLENECK_QUEUE} | limit
    access = {"rate_bps": ACCESS_BPS, "delay_ns": LINK_DELAY_NS, "queue_packets": ACCESS_QUEUE} | limit
    jitter = {"model": "uniform", "low_ns": 0, "high_ns": answer_jitter_ns}
    answers = access | ({"extra_delay": jitter, "keep_order": True} if answer_jitter_ns else {})
    simulation.add_link("core", "r1-core", "r2-core", core, core)
    for side, router in enumerate(("r1", "r2"), start=1):
        simulation.add_route(router, f"10.{3 - side}.0.0/16", f"100.64.0.{3 - side}", f"{router}-core")
        for index in range(hosts_per_side):
            host = f"h{index + 1 + (side - 1) * hosts_per_side}"
            subnet = f"10.{side}.{index}"
            simulation.add_node("host", host)
            simulation.add_interface(
                host, f"{host}-eth0", f"02:00:0{side}:00:{index:02x}:01", f"{subnet}.1/24"
            )
            simulation.add_interface(
                router, f"{router}-eth{index}", f"02:00:0{side}:00:{index:02x}:fe", f"{subnet}.254/24"
            )
            simulation.add_route(host, "0.0.0.0/0", f"{subnet}.254", f"{host}-eth0")
            simulation.add_link(
                f"access-{host}",
                f"{host}-eth0",
                f"{router}-eth{index}",
                answers if side == 2 else access,
                access,
            )
    options = tcp_options(trains)
    begun = 0
    for number, flows in enumerate(steps):
        for index in range(begun, flows):
            simulation.add_transfer(
                f"flow-{index}",
                f"h{index + 1}",
                f"h{index + 1 + hosts_per_side}",
                bytes=None,
                start_ns=round(number * step_s * NS),
                server_tcp=options,
                client_tcp=options,
            )
        begun = flows
    return simulation


def climb(
    steps: tuple[int, ...], step_s: float, trains: bool, tell: Callable[[Step], None]
) -> tuple[list[Step], list[tuple[float, float]]]:
    """Run all steps.

    Returns:
        The steps, and the total goodput over time: (simulated second, bits per second), ten points for each step.
    """
    simulation = build(max(steps), steps, step_s, trains)
    slices = 10
    climbed, series = [], []
    for flows in steps:
        wall, processor, events = time.perf_counter(), time.thread_time(), simulation.events
        counts = [_received(simulation, flows)]
        for _ in range(slices):
            simulation.run_for(round(step_s * NS / slices))
            counts.append(_received(simulation, flows))
            gained = sum(counts[-1]) - sum(counts[-2])
            series.append((simulation.now_ns / NS, gained * 8 / (step_s / slices)))
        half = zip(counts[slices // 2], counts[-1], strict=True)
        climbed.append(
            Step(
                flows,
                tuple((end - begin) * 8 / (step_s / 2) for begin, end in half),
                step_s,
                time.perf_counter() - wall,
                time.thread_time() - processor,
                simulation.events - events,
            )
        )
        tell(climbed[-1])
    return climbed, series


def _received(simulation: OfflineSimulation, flows: int) -> list[int]:
    return [simulation.received_bytes(f"flow-{index}") for index in range(flows)]
