# SPDX-License-Identifier: MIT
from __future__ import annotations

from experiments.inet_parts.pinger import checksum, request


def test_an_echo_request_has_a_checksum_that_adds_up() -> None:
    packet = request(0x1234, 7)
    assert packet[:2] == b"\x08\x00"
    assert len(packet) == 8 + 56
    assert checksum(packet) == 0


def test_the_checksum_is_that_of_rfc_1071() -> None:
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == ~0xDDF2 & 0xFFFF
