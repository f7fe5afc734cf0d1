# SPDX-License-Identifier: MIT
"""The staircase of flows: which flow starts when, and what each step delivered. Pure: no process, no network."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hybridnet.experiments.maxinet.scale import Scale

TCP_HEADERS = 14 + 20 + 32
"""Ethernet, IPv4, TCP with timestamps: what a frame carries besides payload, in bytes."""

UDP_HEADERS = 14 + 20 + 8

SETTLE_S = 1.0
"""At the beginning of a step, not counted: connections are set up and cwnd grows."""


@dataclass(frozen=True)
class FlowSpec:
    """One flow: from a host of the first machine to its pair on the second.

    Args:
        sender, receiver: names of hosts.
        protocol: ``tcp`` or ``udp``.
        rate_bps: what the sender offers, payload bit/s.
        step: index of the step at which it starts; it lasts until the end.
    """

    sender: str
    receiver: str
    protocol: str
    rate_bps: int
    step: int

    @property
    def headers(self) -> int:
        return UDP_HEADERS if self.protocol == "udp" else TCP_HEADERS


def flows_of(scale: Scale) -> list[FlowSpec]:
    """Every flow of the experiment, in the order in which they start.

    Hosts h1, h3, … send TCP to their pairs, h2, h4, … UDP, so that each pair carries at most one flow, as in the paper,
    and both kinds cross the same switches.
    """
    flows = []
    for index in range(scale.steps[-1]):
        step = next(i for i, flows_at in enumerate(scale.steps) if index < flows_at)
        for protocol, rate_bps, host in (
            ("tcp", scale.tcp_rate_bps, 2 * index + 1),
            ("udp", scale.udp_rate_bps, 2 * index + 2),
        ):
            flows.append(FlowSpec(f"h{host}", f"h{host + scale.hosts_per_machine}", protocol, rate_bps, step))
    return flows


@dataclass(frozen=True)
class Stay:
    """A time on one step. A step whose first stay is broken has another one, which counts.

    Args:
        step: its index.
        begin_s: from the start of the first stay.
        lasts_s: as long as the scale says.
    """

    step: int
    begin_s: float
    lasts_s: float

    def counts(self, at_s: float) -> bool:
        """Whether a second around this time counts: not the first ``SETTLE_S``."""
        return self.begin_s + SETTLE_S <= at_s < self.begin_s + self.lasts_s

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Second:
    """What arrived between two samples, payload bit/s by protocol.

    Args:
        at_s: the middle of the interval, from the start of the first stay.
        lasts_s: its length, about a second.
        tcp_bps, udp_bps: payload bit/s.
        processor_busy: part of all cores that was not idle, 0 to 1; what a hypervisor took is not idle.
    """

    at_s: float
    lasts_s: float
    tcp_bps: float
    udp_bps: float
    processor_busy: float

    @property
    def total_bps(self) -> float:
        return self.tcp_bps + self.udp_bps


@dataclass(frozen=True)
class StepResult:
    """One step of one arm: means over its seconds.

    Args:
        flows: of each kind.
        tcp_bps, udp_bps, total_bps: goodput at the receivers' interfaces, payload bit/s.
        most_bps: in total, in the best of its seconds.
        demand_bps: what was offered.
        processor_busy: part of all cores that was not idle, 0 to 1.
    """

    flows: int
    tcp_bps: float
    udp_bps: float
    total_bps: float
    most_bps: float
    demand_bps: int
    processor_busy: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def seconds_of(
    samples: Sequence[Mapping[str, Any]], flows: Sequence[FlowSpec], started_s: float
) -> list[Second]:
    """Goodput between consecutive samples of the receivers' interfaces.

    Payload is what remains of the received bytes without the headers of the received frames. A super-packet counts as
    one frame with one set of headers on the interface too, so the figure is exact with and without offloads.
    """
    headers = {flow.receiver: flow.headers for flow in flows}
    protocols = {flow.receiver: flow.protocol for flow in flows}
    seconds = []
    for before, after in itertools.pairwise(samples):
        elapsed_s = after["monotonic_s"] - before["monotonic_s"]
        bits = {"tcp": 0.0, "udp": 0.0}
        for host, (received_bytes, received_frames) in after["received"].items():
            earlier_bytes, earlier_frames = before["received"][host]
            payload = received_bytes - earlier_bytes - headers[host] * (received_frames - earlier_frames)
            bits[protocols[host]] += 8 * max(0, payload)
        busy, idle, steal = (
            last - first for first, last in zip(before["processor"], after["processor"], strict=True)
        )
        seconds.append(
            Second(
                at_s=(before["monotonic_s"] + after["monotonic_s"]) / 2 - started_s,
                lasts_s=elapsed_s,
                tcp_bps=bits["tcp"] / elapsed_s,
                udp_bps=bits["udp"] / elapsed_s,
                processor_busy=(busy + steal) / max(1, busy + idle + steal),
            )
        )
    return seconds


def counted_seconds(seconds: Sequence[Second], stay: Stay) -> list[Second]:
    """Those of the stay without its first ``SETTLE_S``."""
    return [second for second in seconds if stay.counts(second.at_s)]


def step_result(counted: Sequence[Second], scale: Scale, step: int) -> StepResult:
    """The mean over these seconds of a step; zeros if there are none."""
    flows = scale.steps[step]
    return StepResult(
        flows=flows,
        tcp_bps=_mean(counted, lambda second: second.tcp_bps),
        udp_bps=_mean(counted, lambda second: second.udp_bps),
        total_bps=_mean(counted, lambda second: second.total_bps),
        most_bps=max((second.total_bps for second in counted), default=0.0),
        demand_bps=sum(scale.demand_bps(flows).values()),
        processor_busy=_mean(counted, lambda second: second.processor_busy),
    )


def _mean(seconds: Sequence[Second], figure: Callable[[Second], float]) -> float:
    weight = sum(second.lasts_s for second in seconds)
    return sum(figure(second) * second.lasts_s for second in seconds) / weight if weight else 0.0
