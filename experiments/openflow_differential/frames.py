# SPDX-License-Identifier: MIT
"""Random frames of few kinds, each with a number in its last four bytes by which it is known again."""

from __future__ import annotations

import random
import struct

__all__ = ["POOL", "frame"]

POOL: dict[str, tuple[int, ...]] = {
    "eth_dst": (0x020000000A01, 0x020000000A02, 0x020000000B01),
    "ipv4_src": (0x0A010101, 0x0A010201, 0xC0A80101),
    "ipv4_dst": (0x0A020101, 0x0A020201, 0xC0A80201),
    "ipv6_src": (0x20010DB8 << 96 | 1, 0x20010DB8 << 96 | 0xF001),
    "ipv6_dst": (0x20010DB8 << 96 | 2, 0x20010DB8 << 96 | 0xF002),
    "ipv6_flabel": (0, 0x5A3C6),
    "ip_dscp": (0, 10, 46),
    "ip_ecn": (0, 1, 2),
    "tcp_src": (1024, 5001),
    "tcp_dst": (22, 80, 443),
    "udp_src": (1024, 5001),
    "udp_dst": (53, 4789, 5001),
    "icmpv4_type": (8, 13),
    "icmpv4_code": (0, 3),
    "arp_op": (1, 2),
    "arp_spa": (0x0A010101, 0x0A010201),
    "arp_tpa": (0x0A020101, 0x0A020201),
    "vlan_vid": (0x1000 | 10, 0x1000 | 20, 0x1000 | 4000),
    "vlan_pcp": (0, 3, 7),
}
"""The values of each field in frames and in flows: few, so that many match."""
_PAYLOAD_BYTES = 32


def frame(rng: random.Random, kind: str, source: int, number: int) -> bytes:
    """A frame.

    Args:
        kind: "tcp", "udp", "icmp", "arp", "tcp6" or "udp6".
        source: its Ethernet source address.
        number: what its last four bytes say.
    """

    def some(field: str) -> int:
        return rng.choice(POOL[field])

    payload = bytes(rng.randrange(256) for _ in range(_PAYLOAD_BYTES)) + struct.pack("!I", number)
    ethertype = {"arp": 0x0806, "tcp6": 0x86DD, "udp6": 0x86DD}.get(kind, 0x0800)
    head = some("eth_dst").to_bytes(6, "big") + source.to_bytes(6, "big")
    if rng.random() < 0.3:
        head += struct.pack("!HH", 0x8100, some("vlan_pcp") << 13 | some("vlan_vid") & 0xFFF)
    head += struct.pack("!H", ethertype)
    if kind == "arp":
        sha, tha = source.to_bytes(6, "big"), bytes(6)
        spa, tpa = some("arp_spa").to_bytes(4, "big"), some("arp_tpa").to_bytes(4, "big")
        return head + struct.pack("!HHBBH", 1, 0x0800, 6, 4, some("arp_op")) + sha + spa + tha + tpa + payload
    six = kind.endswith("6")
    size = 16 if six else 4
    ends = some("ipv6_src" if six else "ipv4_src").to_bytes(size, "big") + some(
        "ipv6_dst" if six else "ipv4_dst"
    ).to_bytes(size, "big")
    name = kind.removesuffix("6")
    number_of = {"tcp": 6, "udp": 17, "icmp": 1}[name]
    if name == "icmp":
        body = struct.pack("!BBHI", some("icmpv4_type"), some("icmpv4_code"), 0, 7) + payload
        body = body[:2] + struct.pack("!H", checksum(body)) + body[4:]
    else:
        body = _segment(name, some(f"{name}_src"), some(f"{name}_dst"), payload)
        pseudo = ends + (
            struct.pack("!IHBB", len(body), 0, 0, number_of)
            if six
            else struct.pack("!BBH", 0, number_of, len(body))
        )
        at = 16 if name == "tcp" else 6
        total = checksum(pseudo + body) or 0xFFFF
        body = body[:at] + struct.pack("!H", total) + body[at + 2 :]
    tos, ttl = some("ip_dscp") << 2 | some("ip_ecn"), rng.choice((33, 64, 255))
    if six:
        first = 6 << 28 | tos << 20 | some("ipv6_flabel")
        return head + struct.pack("!IHBB", first, len(body), number_of, ttl) + ends + body
    ip = (
        struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(body), number & 0xFFFF, 0x4000, ttl, number_of, 0) + ends
    )
    return head + ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + body


def checksum(data: bytes) -> int:
    """The Internet checksum."""
    data += bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _segment(name: str, source: int, destination: int, payload: bytes) -> bytes:
    if name == "udp":
        return struct.pack("!HHHH", source, destination, 8 + len(payload), 0) + payload
    return struct.pack("!HHIIBBHHH", source, destination, 1, 2, 5 << 4, 0x18, 8192, 0, 0) + payload
