# SPDX-License-Identifier: MIT
"""Frames of a capture as lines of text, one each, in the manner of tcpdump:

0.020150352 IP 10.0.0.1.40000 > 10.0.0.2.9: Flags [.], seq 1:1449, ack 1, win 1024, length 1448

The time is that of the capture, in seconds; of a simulation it is simulated time. Sequence numbers count from the first
one that was seen of a direction. Read are pcap files with micro- or nanoseconds, of this computer's byte order.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from hybridnet.errors import UsageError

__all__ = ["frames_of", "line_of", "write_frames_text"]

_MAGIC = {0xA1B2C3D4: 1_000, 0xA1B23C4D: 1}
"""By the first word of a file: nanoseconds of a unit of its times."""
_FILE = struct.Struct("=IHHiIII")
_FRAME = struct.Struct("=IIII")
_IPV4, _ARP, _IPV6 = 0x0800, 0x0806, 0x86DD
_ICMP, _TCP, _UDP, _ICMPV6 = 1, 6, 17, 58
_FLAGS = ((0x02, "S"), (0x01, "F"), (0x08, "P"), (0x04, "R"), (0x40, "E"), (0x80, "W"), (0x10, "."))
_ICMP_KINDS = {0: "echo reply", 3: "unreachable", 8: "echo request", 11: "time exceeded"}
_ICMPV6_KINDS = {
    1: "unreachable",
    2: "packet too big",
    3: "time exceeded",
    128: "echo request",
    129: "echo reply",
    135: "neighbour solicitation",
    136: "neighbour advertisement",
}

Ends = tuple[str, int, str, int]


def write_frames_text(capture: Path, target: Path) -> int:
    """Write the lines of a capture into a file. Returns how many.

    Raises:
        UsageError: it is no such capture.
    """
    firsts: dict[Ends, int] = {}
    count = 0
    with target.open("w", encoding="utf-8") as lines:
        for time_ns, frame in frames_of(capture):
            lines.write(
                f"{time_ns // 1_000_000_000}.{time_ns % 1_000_000_000:09d} {line_of(frame, firsts)}\n"
            )
            count += 1
    return count


def frames_of(capture: Path) -> Iterator[tuple[int, bytes]]:
    """Each frame of a pcap file with its time in nanoseconds. One that is cut off at the end is left out.

    Raises:
        UsageError: it is no such capture.
    """
    with capture.open("rb") as file:
        head = file.read(_FILE.size)
        unit_ns = _MAGIC.get(_FILE.unpack(head)[0]) if len(head) == _FILE.size else None
        if unit_ns is None:
            raise UsageError(f"{capture}: it is not a pcap file of this computer's byte order")
        while len(row := file.read(_FRAME.size)) == _FRAME.size:
            seconds, units, length, _ = _FRAME.unpack(row)
            if len(frame := file.read(length)) < length:
                return
            yield seconds * 1_000_000_000 + units * unit_ns, frame


def line_of(frame: bytes, firsts: dict[Ends, int]) -> str:
    """A frame as text.

    Args:
        firsts: of each direction of a TCP connection its first sequence number; grows.
    """
    try:
        (kind,) = struct.unpack_from("!H", frame, 12)
        if kind == _ARP:
            return _arp(frame[14:])
        if kind == _IPV4:
            header = (frame[14] & 0x0F) * 4
            (total,) = struct.unpack_from("!H", frame, 16)
            source, destination = (socket.inet_ntop(socket.AF_INET, frame[at : at + 4]) for at in (26, 30))
            (offset,) = struct.unpack_from("!H", frame, 20)
            if offset & 0x1FFF:
                return f"IP {source} > {destination}: fragment, length {total - header}"
            return _ip("IP", source, destination, frame[23], frame[14 + header :], total - header, firsts)
        if kind == _IPV6:
            (length,) = struct.unpack_from("!H", frame, 18)
            source, destination = (socket.inet_ntop(socket.AF_INET6, frame[at : at + 16]) for at in (22, 38))
            return _ip("IP6", source, destination, frame[20], frame[54:], length, firsts)
    except (struct.error, IndexError, ValueError):
        return f"cut off, length {len(frame)}"
    return f"ethertype {kind:#06x}, length {len(frame)}"


def _arp(body: bytes) -> str:
    (operation,) = struct.unpack_from("!H", body, 6)
    sender, target = (socket.inet_ntop(socket.AF_INET, body[at : at + 4]) for at in (14, 24))
    if operation == 1:
        return f"ARP, request who-has {target} tell {sender}"
    return f"ARP, reply {sender} is-at {body[8:14].hex(':')}"


def _ip(
    family: str,
    source: str,
    destination: str,
    protocol: int,
    body: bytes,
    length: int,
    firsts: dict[Ends, int],
) -> str:
    """`length`: of the datagram's payload, of which the capture may not have all."""
    if protocol in (_TCP, _UDP):
        sport, dport = struct.unpack_from("!HH", body)
        ends = f"{family} {source}.{sport} > {destination}.{dport}"
        if protocol == _UDP:
            return f"{ends}: UDP, length {length - 8}"
        return f"{ends}: {_tcp(body, length, (source, sport, destination, dport), firsts)}"
    names = _ICMP_KINDS if protocol == _ICMP else _ICMPV6_KINDS if protocol == _ICMPV6 else None
    if names is None:
        return f"{family} {source} > {destination}: protocol {protocol}, length {length}"
    what = names.get(body[0], f"type {body[0]}")
    if what.startswith("echo"):
        identifier, number = struct.unpack_from("!HH", body, 4)
        what += f", id {identifier}, seq {number}"
    return f"{family} {source} > {destination}: {'ICMP' if protocol == _ICMP else 'ICMP6'} {what}, length {length}"


def _tcp(body: bytes, length: int, ends: Ends, firsts: dict[Ends, int]) -> str:
    sequence, acknowledged = struct.unpack_from("!II", body, 4)
    flags, (window,) = body[13], struct.unpack_from("!H", body, 14)
    carried = length - (body[12] >> 4) * 4
    said = [f"Flags [{''.join(letter for bit, letter in _FLAGS if flags & bit)}]"]
    begins = bool(flags & 0x02)
    if begins:
        firsts[ends] = sequence
    first = firsts.setdefault(ends, sequence)
    if begins or carried or flags & 0x05:
        number = sequence if begins else (sequence - first) % 2**32
        said.append(f"seq {number}:{(number + carried) % 2**32}" if carried else f"seq {number}")
    if flags & 0x10:
        source, sport, destination, dport = ends
        other = firsts.get((destination, dport, source, sport))
        said.append(f"ack {acknowledged if other is None else (acknowledged - other) % 2**32}")
    return ", ".join([*said, f"win {window}", f"length {carried}"])
