# SPDX-License-Identifier: MIT
"""The flow that a frame belongs to: addresses and ports of TCP or UDP over IPv4."""

from __future__ import annotations

import hashlib
import socket
import struct
from typing import NamedTuple

_IPV4 = b"\x08\x00"
_PORTS = {6: "tcp", 17: "udp"}


class Flow(NamedTuple):
    """What tells one flow from another; `source` and `to` are the hosts' MAC addresses."""

    source: str
    to: str
    ipv4_src: str
    ipv4_dst: str
    protocol: int
    port_src: int
    port_dst: int

    def cookie(self) -> int:
        """A number by which switches name it; not 0."""
        return int.from_bytes(hashlib.blake2b(repr(tuple(self)).encode(), digest_size=8).digest(), "big") | 1

    def match(self) -> dict[str, object]:
        """The match fields, by Ryu's names."""
        name = _PORTS[self.protocol]
        return {
            "eth_type": 0x0800,
            "ip_proto": self.protocol,
            "ipv4_src": self.ipv4_src,
            "ipv4_dst": self.ipv4_dst,
            f"{name}_src": self.port_src,
            f"{name}_dst": self.port_dst,
        }


def flow_of(frame: bytes) -> Flow | None:
    """The flow of a frame without tags; None: it has no ports, or is a later fragment."""
    if len(frame) < 38 or frame[12:14] != _IPV4 or frame[23] not in _PORTS or frame[0] & 1:
        return None
    if struct.unpack_from("!H", frame, 20)[0] & 0x1FFF:
        return None
    at = 14 + (frame[14] & 15) * 4
    if len(frame) < at + 4:
        return None
    source, destination = struct.unpack_from("!HH", frame, at)
    return Flow(
        frame[6:12].hex(":"),
        frame[:6].hex(":"),
        socket.inet_ntoa(frame[26:30]),
        socket.inet_ntoa(frame[30:34]),
        frame[23],
        source,
        destination,
    )
