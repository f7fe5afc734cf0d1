# SPDX-License-Identifier: MIT
"""The network of clock-error, and what its captures say.

::

    far1 ─┐                     ┌─ sink2        far1 sends to sink2 by the link that is cut, 5 ms
          r1 ═══ cut, 5 ms ═══ r2               near2 sends to sink2 over 5 ms that nothing cuts
    near1 ┘   (sink1, far2, near2 alike)        both ways take the same time

Both ways are equally long, so with right clocks what far1 and near2 send at one instant comes at one instant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from hybridnet import Topo
from hybridnet.observe.recording.frames_text import frames_of

__all__ = ["DELAY_NS", "SENDERS", "Errors", "TwoWays", "errors_of", "watched"]

DELAY_NS = 5_000_000
FAR_PORT, NEAR_PORT = 9, 10
PAYLOAD = 64
FAR_RATE, NEAR_RATE = "512 kbit/s", "5.12 Mbit/s"
"""A datagram every 1 ms, and every 0.1 ms."""
_PROTOCOL_AT = 14 + 9
_PORT_AT = 14 + 20 + 2
_SENT_AT = 14 + 20 + 8 + 8  # after the datagram's number
_UDP = 17

SENDERS = {2: (1, "to the instance whose clock is wrong"), 1: (2, "from it")}
"""By the side of the sink: that of the far sender, and which way that is."""


class TwoWays(Topo):
    """Two sides, each with a sink that hears one sender of its own side and one of the other."""

    def build(self) -> None:
        for side in (1, 2):
            machine = f"m{side}"
            self.addSimRouter(f"r{side}", machine=machine)
            ports = [{"kind": "udp_sink", "port": port} for port in (FAR_PORT, NEAR_PORT)]
            self.addSimHost(f"sink{side}", machine=machine, applications=ports)
            for name, to, port, rate in (
                (f"far{side}", f"sink{3 - side}", FAR_PORT, FAR_RATE),
                (f"near{side}", f"sink{side}", NEAR_PORT, NEAR_RATE),
            ):
                source = {
                    "kind": "udp_source",
                    "destination": to,
                    "port": port,
                    "rate": rate,
                    "payload": PAYLOAD,
                }
                self.addSimHost(name, machine=machine, applications=[source])
            self.addLink(f"sink{side}", f"r{side}")
            self.addLink(f"far{side}", f"r{side}")
            self.addLink(f"near{side}", f"r{side}", delay=f"{DELAY_NS}ns")
        self.addLink("r1", "r2", delay=f"{DELAY_NS}ns")


def watched(directory: Path) -> dict[str, str]:
    """The captures of a run: interfaces and files."""
    return {
        f"{name}{side}-eth0": str(directory / f"{name}{side}.pcap")
        for name in ("far", "near", "sink")
        for side in (1, 2)
    }


@dataclass(frozen=True)
class Errors:
    """What is wrong with the packets that crossed the cut.

    Args:
        delay_ns: median error of the one-way delay: what it was, less what the links' delays say. Nanoseconds.
        spread_ns: and its 1st and 99th percentile.
        misplaced: share of the packets that came after more, or fewer, of the near sender's than they should have.
        packets: that crossed.
    """

    delay_ns: float
    spread_ns: tuple[float, float]
    misplaced: float
    packets: int


def errors_of(directory: Path, sink: int, last_s: float, zeros_ns: Mapping[int, int]) -> Errors:
    """The errors at the sink of one side, in the last seconds of a run.

    Args:
        directory: of the captures.
        last_s: how much of the end is looked at.
        zeros_ns: of each side, what a clock that both have showed at its simulated time zero.
    """
    # A capture counts from an instant near zero; a packet that has just been sent says from which.
    begun_ns = min(each.time_ns - each.sent_ns for each in _passed(directory / f"near{sink}.pcap", NEAR_PORT))
    to_zero_ns = zeros_ns[sink] - begun_ns
    far_zero_ns = zeros_ns[SENDERS[sink][0]]
    far = _passed(directory / f"sink{sink}.pcap", FAR_PORT)
    near = _passed(directory / f"sink{sink}.pcap", NEAR_PORT)
    since_ns = far[-1].time_ns - round(last_s * 1e9)
    looked_at = [
        (each.time_ns + to_zero_ns, each.sent_ns + far_zero_ns) for each in far if each.time_ns >= since_ns
    ]
    errors = sorted(came - sent - DELAY_NS for came, sent in looked_at)
    near_came = sorted(each.time_ns + to_zero_ns for each in near)
    near_due = sorted(each.sent_ns + zeros_ns[sink] + DELAY_NS for each in near)
    misplaced = sum(
        abs(bisect_left(near_came, came) - bisect_left(near_due, sent + DELAY_NS)) > 1
        for came, sent in looked_at
    )
    return Errors(
        median(errors), (_at(errors, 0.01), _at(errors, 0.99)), misplaced / len(looked_at), len(looked_at)
    )


class _Passed(NamedTuple):
    time_ns: int  # of the capture
    sent_ns: int  # by the sender's simulated time


def _passed(capture: Path, port: int) -> list[_Passed]:
    """The datagrams to a port, in the order in which they passed."""
    return [
        _Passed(time_ns, int.from_bytes(frame[_SENT_AT : _SENT_AT + 8], "big"))
        for time_ns, frame in frames_of(capture)
        if len(frame) >= _SENT_AT + 8
        and frame[_PROTOCOL_AT] == _UDP
        and int.from_bytes(frame[_PORT_AT : _PORT_AT + 2], "big") == port
    ]


def _at(ordered: Sequence[int], share: float) -> int:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
