# SPDX-License-Identifier: MIT
"""Figures of one TCP connection, from a capture of it at one end.

``python wire.py FILE SECONDS FIGURE...`` prints a JSON object: the value of each figure, null where the capture does
not tell. SECONDS are counted from the first SYN; what comes later does not count.

Whoever sends and whoever receives, Linux or simulated, in real or in virtual time: the figures are read from what
passed the wire, in the same way. It runs on a machine, with Debian's interpreter, and imports nothing of hybridnet.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import median

FIN, SYN, RST, ACK, ECE, CWR = 0x01, 0x02, 0x04, 0x10, 0x40, 0x80
_NANOSECONDS = 0xA1B23C4D
_TCP = 6
_NO_REQUEST_BYTES = 1000
"""A request is shorter than this, an answer longer."""


@dataclass(frozen=True)
class Segment:
    """One TCP segment.

    Args:
        at: since the first SYN. Seconds.
        from_client: it comes from who opened the connection.
        sequence: of its first byte, 0 being that of the SYN.
        acknowledges: what it acknowledges, 0 being the peer's SYN; 0 as well where it acknowledges nothing.
        size: of its payload. Bytes.
    """

    at: float
    from_client: bool
    flags: int
    sequence: int
    acknowledges: int
    size: int


def segments_of(data: bytes, seconds: float) -> list[Segment]:
    """The segments of the one connection in a pcap file, for ``seconds`` from its first SYN.

    Raises:
        ValueError: the file has no SYN.
    """
    found: list[Segment] = []
    client = b""
    began = 0.0
    initial: dict[bool, int] = {}
    for at, packet in _packets(data):
        if packet[12:14] != b"\x08\x00" or packet[23] != _TCP:
            continue
        tcp = 14 + (packet[14] & 15) * 4
        (total,) = struct.unpack_from(">H", packet, 16)
        sequence, acknowledges = struct.unpack_from(">II", packet, tcp + 4)
        flags = packet[tcp + 13]
        if not client:
            if flags & (SYN | ACK) != SYN:
                continue
            client, began = packet[26:30], at
        if at - began > seconds:
            break
        ours = packet[26:30] == client
        if flags & SYN:
            initial[ours] = sequence
        if ours not in initial:
            continue  # an answer to what came before
        other = initial.get(not ours, acknowledges)
        found.append(
            Segment(
                at - began,
                ours,
                flags,
                sequence - initial[ours] & 0xFFFFFFFF,
                acknowledges - other & 0xFFFFFFFF if flags & ACK else 0,
                14 + total - tcp - (packet[tcp + 12] >> 4) * 4,
            )
        )
    if not found:
        raise ValueError("the capture has no SYN")
    return found


def _packets(data: bytes) -> Iterator[tuple[float, bytes]]:
    """Time and bytes of each frame of a pcap file, as it is written on this computer."""
    (magic,) = struct.unpack_from("<I", data)
    unit = 1e-9 if magic == _NANOSECONDS else 1e-6
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, captured, _ = struct.unpack_from("<4I", data, at)
        at += 16
        yield seconds + fraction * unit, data[at : at + captured]
        at += captured


def throughput_mbps(segments: list[Segment], seconds: float) -> float | None:
    """What the server acknowledged in all the time, the opening included. Mbit/s."""
    acknowledged = [each.acknowledges for each in segments if not each.from_client]
    return 8e-6 * max(acknowledged) / seconds if acknowledged else None


def resent_percent(segments: list[Segment], seconds: float) -> float | None:
    """The share of the client's bytes that it had sent before. Percent."""
    del seconds
    end = sent = again = 0
    for each in segments:
        if each.from_client and each.size:
            sent += each.size
            again += max(0, min(end, each.sequence + each.size) - each.sequence)
            end = max(end, each.sequence + each.size)
    return 100 * again / sent if sent else None


def window_reductions(segments: list[Segment], seconds: float) -> float | None:
    """Data of the client that says CWR: each answer to a mark (RFC 3168, 6.1.2)."""
    del seconds
    return float(sum(bool(each.flags & CWR) for each in segments if each.from_client and each.size))


def syns(segments: list[Segment], seconds: float) -> float | None:
    """Attempts to connect."""
    del seconds
    return float(sum(each.flags & (SYN | ACK) == SYN for each in segments))


def first_data_ms(segments: list[Segment], seconds: float) -> float | None:
    """From the first SYN to the client's first data. ms."""
    del seconds
    return next((1e3 * each.at for each in segments if each.from_client and each.size), None)


def first_flight(segments: list[Segment], seconds: float) -> float | None:
    """Segments of data that the client sends before any of them is acknowledged."""
    del seconds
    flight = 0
    for each in segments:
        if each.from_client and each.size:
            flight += 1
        elif not each.from_client and each.acknowledges > 1:
            return float(flight)
    return None


def response_ms(segments: list[Segment], seconds: float) -> float | None:
    """From a request to the last byte of its answer: the median of all but the first, which opens the window. ms."""
    del seconds
    times: list[float] = []
    asked = last = None
    for each in segments:
        if each.from_client and 0 < each.size < _NO_REQUEST_BYTES:
            if asked is not None and last is not None:
                times.append(1e3 * (last - asked))
            asked, last = each.at, None
        elif not each.from_client and each.size:
            last = each.at
    if asked is not None and last is not None:
        times.append(1e3 * (last - asked))
    return median(times[1:]) if len(times) > 1 else None


FIGURES: dict[str, Callable[[list[Segment], float], float | None]] = {
    each.__name__: each
    for each in (
        throughput_mbps,
        resent_percent,
        window_reductions,
        syns,
        first_data_ms,
        first_flight,
        response_ms,
    )
}


def figures_of(path: str, seconds: float, names: Iterable[str]) -> dict[str, float | None]:
    """These figures of the connection in a pcap file."""
    with open(path, "rb") as file:
        segments = segments_of(file.read(), seconds)
    return {name: FIGURES[name](segments, seconds) for name in names}


if __name__ == "__main__":
    print(json.dumps(figures_of(sys.argv[1], float(sys.argv[2]), sys.argv[3:])))
