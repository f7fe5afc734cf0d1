# SPDX-License-Identifier: MIT
"""The frames of a trial's hosts: ARP (RFC 826) and ping (RFC 792), each ping with a number of its own."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from hybridnet.tools.explore.site import Host

__all__ = ["Ping", "arp_reply", "arp_request", "asked_for", "frame_text", "ping", "read_ping"]

BROADCAST = (1 << 48) - 1
_ARP, _IPV4 = 0x0806, 0x0800
_REQUEST, _REPLY = 1, 2
_ECHO, _ECHO_REPLY = 8, 0
_MARK = b"explore!"


@final
@dataclass(frozen=True)
class Ping:
    """One echo request or reply."""

    number: int
    is_reply: bool
    source: int  # MAC addresses
    destination: int


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


def ping(sender: Host, to: Host, number: int, *, is_reply: bool = False) -> bytes:
    """An echo request, or the reply."""
    kind = _ECHO_REPLY if is_reply else _ECHO
    body = struct.pack("!HH", number >> 16, number & 0xFFFF) + _MARK
    head = struct.pack("!BBH", kind, 0, 0)
    icmp = struct.pack("!BBH", kind, 0, _checksum(head + body)) + body
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, 20 + len(icmp), 0, 0, 64, 1, 0, sender.address, to.address)
    ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
    return _ethernet(to.mac, sender.mac, _IPV4) + ip + icmp


def read_ping(frame: bytes) -> Ping | None:
    """What `ping` made; None: it is something else."""
    if len(frame) < 50 or frame[42:50] != _MARK or struct.unpack_from("!H", frame, 12)[0] != _IPV4:
        return None
    high, low = struct.unpack_from("!HH", frame, 38)
    destination, source = int.from_bytes(frame[:6], "big"), int.from_bytes(frame[6:12], "big")
    return Ping(high << 16 | low, frame[34] == _ECHO_REPLY, source, destination)


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


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
