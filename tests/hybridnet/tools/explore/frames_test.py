# SPDX-License-Identifier: MIT
"""What hosts send is as the RFCs have it, and is known again wherever it comes."""

from __future__ import annotations

import struct

import pytest

from hybridnet.tools.explore.frames import (
    Segment,
    arp_reply,
    arp_request,
    read_ping,
    read_segment,
    segment,
    told_by,
)
from hybridnet.tools.explore.site import Host

CLIENT = Host("h1", 0x000000000001, 0x0A000001)
SERVICE_MAC, SERVICE = 0x020000000100, 0x0A000064


def words(data: bytes) -> int:
    """The sum of the 16-bit words, with the carry added in: 0xffff where a checksum among them is right (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@pytest.mark.parametrize("number", [1, 2, 40])
@pytest.mark.parametrize("is_reply", [False, True])
def test_a_segment_has_right_checksums_and_is_read_again(number: int, is_reply: bool) -> None:
    frame = segment(CLIENT, SERVICE_MAC, SERVICE, 3, number, is_reply=is_reply)
    assert words(frame[14:34]) == 0xFFFF
    around = frame[26:34] + struct.pack("!BBH", 0, 6, len(frame) - 34)
    assert words(around + frame[34:]) == 0xFFFF
    ports = (20_003, 80)
    assert struct.unpack_from("!HH", frame, 34) == (ports[::-1] if is_reply else ports)
    assert bool(frame[47] & 2) == (number == 1)  # SYN
    assert read_segment(frame) == Segment(
        3, number, is_reply, CLIENT.mac, SERVICE_MAC, CLIENT.address, SERVICE
    )
    assert read_ping(frame) is None


def test_an_arp_reply_tells_an_address_and_a_request_tells_none() -> None:
    other = Host("h2", 2, 0x0A000002)
    assert told_by(arp_reply(other, CLIENT)) == (0x0A000002, 2)
    assert told_by(arp_request(CLIENT, other.address)) is None
    assert read_segment(arp_request(CLIENT, other.address)) is None
