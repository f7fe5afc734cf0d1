# SPDX-License-Identifier: MIT
"""A server and a client, a link between them that loses segments, and one transfer: the networks of Idserda 2004."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import linear_regression
from typing import Any

from hybridnet._simcore import OfflineSimulation

NS = 1_000_000_000
AMPLE_QUEUE = 100_000
"""Packets: more than any window of these experiments, so nothing is lost there."""
_INTERFACES = {
    "server": ("server-eth0", "02:00:00:00:00:01", "10.0.0.1/24"),
    "client": ("client-eth0", "02:00:00:00:00:02", "10.0.0.2/24"),
}


@dataclass(frozen=True)
class PathCase:
    """One replication.

    Args:
        down: from server to client, a direction of a link, as in an instance plan.
        up: the other way.
        bytes: that the client fetches.
        tcp: options of both ends.
        limit_s: simulated seconds after which it is given up.
        sample_every_s: interval of the samples of the server's window; 0 for none.
        label: of the curve it belongs to, for the experiment.
        keep_samples: keep them in the result, not only their statistics.
        trace: write down what passes at the server.
    """

    label: str
    seed: int
    down: Mapping[str, Any]
    up: Mapping[str, Any]
    bytes: int
    tcp: Mapping[str, Any]
    limit_s: float
    sample_every_s: float = 0.05
    keep_samples: bool = False
    trace: bool = False


@dataclass(frozen=True)
class PathResult:
    """What became of a replication.

    Args:
        outcome: of the transfer, as the simulator tells it.
        ack_loss: the part of the client's segments that its own link dropped. 0 to 1.
    """

    case: PathCase
    outcome: dict[str, Any]
    downlink: dict[str, Any]
    uplink: dict[str, Any]
    samples: dict[str, list[float]] = field(default_factory=dict)
    trace: str = ""

    @property
    def finished(self) -> bool:
        return bool(self.outcome["finished"])

    @property
    def seconds(self) -> float:
        """From the client's SYN to its last byte."""
        return float(self.outcome["finished_s"] - self.outcome["started_s"])

    @property
    def throughput(self) -> float:
        """Bytes per second, the opening included, as the paper counts; 0 when it did not finish."""
        return self.case.bytes / self.seconds if self.finished else 0.0

    @property
    def ack_loss(self) -> float:
        dropped: int = sum(self.uplink["dropped"].values())
        accepted: int = self.uplink["accepted_packets"]
        return dropped / max(1, accepted)

    def throughput_after(self, seconds: float) -> float:
        """Bytes per second from ``seconds`` after the first byte on: the slope of what was received over time.

        A window comes in one burst each round trip, so a difference of two counts would be off by a part of one.

        Raises:
            ValueError: the transfer ended before there were two samples.
        """
        begin = self.samples["time_s"][0] + seconds if self.samples["time_s"] else 0.0
        rows = zip(self.samples["time_s"], self.samples["received_bytes"], strict=True)
        late = [(at, received) for at, received in rows if at >= begin]
        if len(late) < 2:
            raise ValueError(f"the transfer ended within {seconds} s of its first byte; fetch more bytes")
        times, received = zip(*late, strict=True)
        return linear_regression(times, received).slope


def run_path(case: PathCase) -> PathResult:
    """Run one replication to its end."""
    simulation = OfflineSimulation(case.seed)
    for host, (interface, mac, address) in _INTERFACES.items():
        simulation.add_node("host", host)
        simulation.add_interface(host, interface, mac, address)
    if case.trace:
        simulation.add_trace("server-eth0")
    simulation.add_link("path", "server-eth0", "client-eth0", dict(case.down), dict(case.up))
    simulation.add_transfer(
        "transfer",
        "server",
        "client",
        bytes=case.bytes,
        server_tcp=dict(case.tcp),
        client_tcp=dict(case.tcp),
        sample_every_ns=round(case.sample_every_s * NS),
    )
    simulation.run_until_finished(round(case.limit_s * NS))
    if case.trace:
        simulation.run_for(NS)  # the closing
    downlink, uplink = simulation.snapshot()["links"]
    return PathResult(
        case,
        simulation.outcome("transfer"),
        downlink,
        uplink,
        simulation.samples("transfer") if case.keep_samples else {},
        simulation.trace("server-eth0") if case.trace else "",
    )
