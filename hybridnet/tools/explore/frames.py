# SPDX-License-Identifier: MIT
"""The frames of a trial's hosts: ARP (RFC 826), ping (RFC 792), and segments of flows (TCP, RFC 9293).

Each ping, flow and segment has a number of its own, so that each is known wherever it comes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from hybridnet.tools.explore.site import Host

__all__ = [
    "Ping",
    "Segment",
    "arp_reply",
    "arp_request",
    "asked_for",
    "frame_text",
    "ping",
    "read_ping",
    "read_segment",
    "segment",
    "told_by",
]

BROADCAST = (1 << 48) - 1
_ARP, _IPV4 = 0x0806, 0x0800
_REQUEST, _REPLY = 1, 2
_ICMP, _ECHO, _ECHO_REPLY = 1, 8, 0
_MARK = b"explore!"
_TCP, _SYN, _ACK, _PUSH = 6, 2, 16, 8
_SERVICE_PORT, _FIRST_PORT = 80, 20_000  # of the service, and of the first flow's client


@final
@dataclass(frozen=True)
class Ping:
    """One echo request or reply."""

    number: int
    is_reply: bool
    source: int  # MAC addresses
    destination: int


@final
@dataclass(frozen=True)
class Segment:
    """One segment of a flow, from its client or the answer to it.

    Args:
        number: from 1 on in its flow; an answer has that of the segment that it answers.
        source, destination: MAC addresses.
        by, to: IPv4 addresses.
    """

    flow: int
    number: int
    is_reply: bool
    source: int
    destination: int
    by: int
    to: int


def arp_request(sender: Host, target: int) -> bytes:
    """Who has the address? Of its own address: an announcement (RFC 5227)."""
    return _ethernet(BROADCAST, sender.mac, _ARP) + _arp(_REQUEST, sender, 0, target)


def arp_reply(sender: Host, to: Host) -> bytes:
    """I have it."""
    return _ethernet(to.mac, sender.mac, _ARP) + _arp(_REPLY, sender, to.mac, to.address)


def asked_for(frame: bytes) -> tuple[int, int] | None:
    """The sender's and the wanted address of an ARP request; None: it is none."""
    if len(frame) < 42 or struct.unpack_from("!H", frame, 12)[0] != _ARP:
        return None
    if struct.unpack_from("!H", frame, 20)[0] != _REQUEST:
        return None
    sender, wanted = struct.unpack_from("!I", frame, 28)[0], struct.unpack_from("!I", frame, 38)[0]
    return sender, wanted


def told_by(frame: bytes) -> tuple[int, int] | None:
    """The address that an ARP reply tells of, and its MAC address; None: it is none."""
    if len(frame) < 42 or struct.unpack_from("!H", frame, 12)[0] != _ARP:
        return None
    if struct.unpack_from("!H", frame, 20)[0] != _REPLY:
        return None
    return struct.unpack_from("!I", frame, 28)[0], int.from_bytes(frame[22:28], "big")


def ping(sender: Host, to: Host, number: int, *, is_reply: bool = False) -> bytes:
    """An echo request, or the reply."""
    kind = _ECHO_REPLY if is_reply else _ECHO
    body = struct.pack("!HH", number >> 16, number & 0xFFFF) + _MARK
    head = struct.pack("!BBH", kind, 0, 0)
    icmp = struct.pack("!BBH", kind, 0, _checksum(head + body)) + body
    return _ethernet(to.mac, sender.mac, _IPV4) + _ip(sender.address, to.address, _ICMP, icmp)


def read_ping(frame: bytes) -> Ping | None:
    """What `ping` made, with the number that it has by now; None: it is something else."""
    if len(frame) < 50 or frame[42:50] != _MARK or struct.unpack_from("!H", frame, 12)[0] != _IPV4:
        return None
    high, low = struct.unpack_from("!HH", frame, 38)
    destination, source = int.from_bytes(frame[:6], "big"), int.from_bytes(frame[6:12], "big")
    return Ping(high << 16 | low, frame[34] == _ECHO_REPLY, source, destination)


def segment(sender: Host, mac: int, address: int, flow: int, number: int, *, is_reply: bool = False) -> bytes:
    """A segment of a client to a service (the first one: SYN), or the answer of a server to a client.

    Args:
        mac, address: to whom.
        flow: its number, from 1 to 40 000.
        number: of the segment in it, from 1 on.
    """
    ports = (_FIRST_PORT + flow, _SERVICE_PORT)
    flags = (_SYN if number == 1 else _PUSH) | (_ACK if is_reply or number > 1 else 0)
    data = _MARK + struct.pack("!II?x", flow, number, is_reply)
    head = struct.pack(
        "!HHIIBBHHH", *(ports[::-1] if is_reply else ports), number, number, 0x50, flags, 65535, 0, 0
    )
    around = struct.pack("!IIBBH", sender.address, address, 0, _TCP, len(head + data))
    head = head[:16] + struct.pack("!H", _checksum(around + head + data)) + head[18:]
    return _ethernet(mac, sender.mac, _IPV4) + _ip(sender.address, address, _TCP, head + data)


def read_segment(frame: bytes) -> Segment | None:
    """What `segment` made, whatever addresses it has by now; None: it is something else."""
    if len(frame) < 72 or frame[54:62] != _MARK or struct.unpack_from("!H", frame, 12)[0] != _IPV4:
        return None
    flow, number, is_reply = struct.unpack_from("!II?", frame, 62)
    by, to = struct.unpack_from("!II", frame, 26)
    destination, source = int.from_bytes(frame[:6], "big"), int.from_bytes(frame[6:12], "big")
    return Segment(flow, number, is_reply, source, destination, by, to)


def frame_text(frame: bytes, hosts: Iterable[Host]) -> str:
    """What it is and whose, for people: ``an ARP message of h3 to everybody``."""
    names = {host.mac: host.name for host in hosts} | {BROADCAST: "everybody"}
    destination, source = (int.from_bytes(frame[at : at + 6], "big") for at in (0, 6))
    what = "an ARP message" if frame[12:14] == _ARP.to_bytes(2, "big") else "a packet"
    return (
        f"{what} of {names.get(source, f'{source:012x}')} to {names.get(destination, f'{destination:012x}')}"
    )


def _ethernet(destination: int, source: int, kind: int) -> bytes:
    return destination.to_bytes(6, "big") + source.to_bytes(6, "big") + struct.pack("!H", kind)


def _arp(operation: int, sender: Host, mac: int, address: int) -> bytes:
    body = struct.pack("!HHBBH", 1, _IPV4, 6, 4, operation) + sender.mac.to_bytes(6, "big")
    body += struct.pack("!I", sender.address) + mac.to_bytes(6, "big") + struct.pack("!I", address)
    return body + bytes(18)  # up to the 60 bytes of the smallest frame


def _ip(source: int, destination: int, protocol: int, data: bytes) -> bytes:
    head = struct.pack("!BBHHHBBHII", 0x45, 0, 20 + len(data), 0, 0, 64, protocol, 0, source, destination)
    return head[:10] + struct.pack("!H", _checksum(head)) + head[12:] + data


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
