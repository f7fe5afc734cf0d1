# SPDX-License-Identifier: MIT
"""What a flow looks like on its way: how many bursts and units a second, and what a link makes of them. Pure.

A sender of TCP hands the kernel trains: as many segments as its rate sends in a millisecond, and more where the round
trip is short (Linux, `tcp_tso_autosize`). A simulated link lets a train through whole as long as it takes no longer
than the link's `train_limit`. A sender of UDP wakes up every millisecond, and sends what is due.
"""

from __future__ import annotations

from hybridnet.describe.topo.direction import Direction
from hybridnet.tools.forecast.costs import Traffic
from hybridnet.tools.forecast.demand import SEGMENT_BYTES, Flow

__all__ = [
    "at_sender",
    "bursts_both_ways",
    "causes",
    "frame_bits",
    "segmented",
    "through_link",
    "train_bytes",
]

MOST_TRAIN_BYTES = 65_160
"""45 segments: what the kernel makes of its limit of 64 KiB."""
PACING_SHIFT = 10
RTT_SHIFT = 9
LEAST_SEGMENTS = 2
HEADERS = {"tcp": 14 + 20 + 32, "udp": 14 + 20 + 8}
"""Ethernet, IPv4, and TCP with timestamps or UDP. Bytes of each frame."""
LEAST_ETHERNET_FRAME = 60
"""Bytes that a frame is padded to where overhead is given (simcore/link/framing.h); without its check sequence."""


def train_bytes(rate_bps: float, rtt_s: float, segment_bytes: int = SEGMENT_BYTES) -> float:
    """Payload of a train of a TCP flow that is paced at its rate.

    Example:
        >>> train_bytes(100e6, 0.010), train_bytes(100e6, 0.0)
        (12207.03125, 65160)
    """
    paced = rate_bps / 8 / (1 << PACING_SHIFT)
    halvings = int(rtt_s * 1e6) >> RTT_SHIFT
    more = 65_536 >> halvings if halvings < 32 else 0
    most = max(MOST_TRAIN_BYTES, segment_bytes)
    return min(max(paced + more, LEAST_SEGMENTS * segment_bytes), most)


def at_sender(flow: Flow, rtt_s: float) -> Traffic:
    """What the sender's interface gives out.

    Example:
        >>> at_sender(Flow("h1", "h2", 112e6, "udp", 1400), 0.0)
        Traffic(bursts=1000.0, units=10000.0, bytes=14000000.0)
    """
    payload = flow.rate_bps / 8
    if flow.protocol == "udp":
        units = payload / flow.packet_bytes
        return Traffic(min(units, 1 / flow.pacing_s), units, payload)
    trains = payload / train_bytes(flow.rate_bps, rtt_s, flow.packet_bytes)
    return Traffic(trains, trains, payload)


def through_link(traffic: Traffic, flow: Flow, direction: Direction) -> Traffic:
    """The same behind a simulated link, whose rate takes long trains apart.

    A slow link also spreads the datagrams of a burst, which then come one by one.
    """
    if direction.rate_bps is None or traffic.units <= 0:
        return traffic
    most_bytes = direction.rate_bps / 8e9 * direction.train_limit_ns
    unit_bytes = traffic.bytes / traffic.units
    if flow.protocol == "udp":
        apart = most_bytes < unit_bytes
        return Traffic(traffic.units if apart else traffic.bursts, traffic.units, traffic.bytes)
    units = traffic.bytes / min(unit_bytes, max(most_bytes, float(flow.packet_bytes)))
    return Traffic(units, units, traffic.bytes)


def segmented(traffic: Traffic, flow: Flow) -> Traffic:
    """The same where the kernel keeps no trains: AF_XDP ports take single segments."""
    units = max(traffic.units, traffic.bytes / flow.packet_bytes)
    return Traffic(traffic.bursts, units, traffic.bytes)


def causes(traffic: Traffic, protocol: str, stages: int, back: int) -> float:
    """How often in a second a loop has a cause to turn: so many times for each unit, and of TCP for each acknowledgment
    that comes back.
    """
    return traffic.units * (stages + (back if protocol == "tcp" else 0))


def bursts_both_ways(traffic: Traffic, protocol: str) -> float:
    """How often in a second a switch is woken, which takes a burst in at once: of TCP, acknowledgments come back."""
    return traffic.bursts * (2 if protocol == "tcp" else 1)


def frame_bits(flow: Flow, direction: Direction) -> float:
    """Bits on a link for each bit of payload."""
    frame = flow.packet_bytes + HEADERS[flow.protocol]
    if direction.overhead_bytes:
        frame = max(frame, LEAST_ETHERNET_FRAME) + direction.overhead_bytes
    return frame / flow.packet_bytes
