# SPDX-License-Identifier: MIT
"""The network of shared-queue, and the result of one round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from hybridnet import Topo
from hybridnet.experiments.common.linux_flows import LinuxFlow
from hybridnet.experiments.shared_queue.host_delay import PING_FRAME, HostDelay
from hybridnet.observe.results import Verdict
from hybridnet.observe.series.snapshot import LinkRow

ALGORITHM = "cubic"
SERVICE = 9
RATE_MBPS = 100
RTT_S = 0.02
OVERHEAD = 24
"""Preamble, checksum and gap of a frame. Bytes."""
PAYLOAD, FRAME = 1448, 1514 + OVERHEAD
QUEUE_PACKETS = round(RATE_MBPS * 1e6 * RTT_S / 8 / FRAME)
PAYLOAD_BPS = RATE_MBPS * 1e6 * PAYLOAD / FRAME
START_S = 8.0
"""The simulated flow begins so long after the instance; by then all is built."""
SIMULATED = (("v1", "r1"), ("v2", "r2"))
"""The simulated hosts, and their routers."""
CROSSED = 4
"""So often a round trip crosses a link of a simulated host."""


class SharedLink(Topo):
    """Two pairs of hosts, one real and one simulated, on both sides of two routers."""

    def build(self, aqm: str | None = None) -> None:
        for router in ("r1", "r2"):
            self.addSimRouter(router)
        self.addLink(
            "r1",
            "r2",
            bw=RATE_MBPS,
            delay=f"{RTT_S / 2 * 1e3:g}ms",
            max_queue_size=QUEUE_PACKETS,
            overhead=OVERHEAD,
            train_limit="0",
            aqm=aqm,
        )
        bulk = {"kind": "tcp_bulk", "destination": "v2", "port": SERVICE, "start": f"{START_S:g}s"}
        self.addHost("h1")
        self.addHost("h2")
        self.addSimHost("v1", applications=[bulk])
        self.addSimHost("v2", applications=[{"kind": "tcp_discard", "port": SERVICE}])
        for host, router in (("h1", "r1"), ("h2", "r2"), *SIMULATED):
            self.addLink(host, router)


class SimulatedSample(NamedTuple):
    """The simulated flow at one instant of the instance's clock."""

    time_s: float
    received_bytes: int
    cwnd_bytes: int
    retransmitted_segments: int


def sample_of(snapshot: Mapping[str, Any]) -> SimulatedSample:
    """What a snapshot says about the simulated flow. Before it begins, it has no window."""
    of_kind = {row["name"].split(":")[1]: row for row in snapshot["applications"]}
    sender = of_kind["tcp_bulk"]
    return SimulatedSample(
        snapshot["time_ns"] / 1e9,
        of_kind["tcp_discard"]["received_bytes"],
        sender.get("cwnd_bytes", 0),
        sender.get("retransmitted_segments", 0),
    )


@dataclass(frozen=True)
class SharedRound:
    """One round.

    Args:
        begin_s: when the real flow began, on the instance's clock, as all times here.
        seconds: how long both are judged.
        answering: what the real hosts take, and the simulated ones were given; zero where they were given nothing.
        links: the counters of the links at the end.
    """

    number: int
    begin_s: float
    seconds: float
    answering: HostDelay
    real: LinuxFlow
    simulated: list[SimulatedSample]
    verdict: Verdict
    links: list[LinkRow]

    @property
    def real_times(self) -> list[float]:
        return [self.begin_s + at for at in self.real.column("time_s")]

    @property
    def real_bps(self) -> float:
        return self.real.throughput_bps

    @property
    def simulated_bps(self) -> float:
        """Between the samples closest to the begin and the end of the real flow."""
        first, last = (
            min(self.simulated, key=lambda sample, at=at: abs(sample.time_s - at))  # type: ignore[misc]
            for at in (self.begin_s, self.begin_s + self.seconds)
        )
        return 8 * (last.received_bytes - first.received_bytes) / (last.time_s - first.time_s)

    @property
    def fairness(self) -> float:
        """Jain's index."""
        return (self.real_bps + self.simulated_bps) ** 2 / (2 * (self.real_bps**2 + self.simulated_bps**2))

    @property
    def used(self) -> float:
        """The part of the link's payload rate that both had together."""
        return (self.real_bps + self.simulated_bps) / PAYLOAD_BPS

    def __str__(self) -> str:
        return (
            f"round {self.number}: real {self.real_bps / 1e6:.1f}, simulated {self.simulated_bps / 1e6:.1f} Mbit/s, "
            f"Jain {self.fairness:.3f}; simulated hosts answer in {self.answering}; {self.verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "answering": self.answering.to_json(),
            "seconds": self.seconds,
            "real_bps": self.real_bps,
            "simulated_bps": self.simulated_bps,
            "jain": self.fairness,
            "used": self.used,
            "verdict": self.verdict.to_json(),
            "links": self.links,
        }


def ping_s() -> float:
    """What the network takes for a ping between the real hosts and its answer, while nothing else is there."""
    return RTT_S + 2 * 8 * (PING_FRAME + OVERHEAD) / (RATE_MBPS * 1e6)


def rates(times: Sequence[float], counts: Sequence[float], every_s: float) -> list[tuple[float, float]]:
    """Bits per second over time, from byte counts that are at least ``every_s`` apart.

    Returns:
        (middle of the interval, rate) for each.
    """
    chosen = list(zip(times[:1], counts[:1], strict=True))
    for at, count in zip(times, counts, strict=True):
        if at - chosen[-1][0] >= every_s:
            chosen.append((at, count))
    return [
        ((begin + end) / 2, 8 * (after - before) / (end - begin))
        for (begin, before), (end, after) in pairwise(chosen)
    ]
