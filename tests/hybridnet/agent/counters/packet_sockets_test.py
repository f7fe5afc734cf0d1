# SPDX-License-Identifier: MIT
"""The kernel's answer about packet sockets, as linux/packet_diag.h lays it out."""

from __future__ import annotations

import struct

from hybridnet.agent.counters.packet_sockets import parse_answer

DONE = struct.pack("=IHHIIi", 20, 3, 2, 1, 0, 0)


def attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def row(inode: int, index: int, drops: int) -> bytes:
    body = struct.pack("=BBHIII", 17, 3, 0x300, inode, 7, 0)
    body += attribute(0, struct.pack("=6I", index, 0, 0, 0, 0, 0))  # PACKET_DIAG_INFO
    body += attribute(5, b"\1")  # one that nobody asked for, and not a multiple of 4
    body += attribute(6, struct.pack("=9I", 0, 212992, 0, 0, 0, 0, 176, 0, drops))  # PACKET_DIAG_MEMINFO
    return struct.pack("=IHHII", 16 + len(body), 20, 2, 1, 0) + body


def test_each_socket_has_its_inode_device_and_drops() -> None:
    assert parse_answer(row(101, 4, 0) + row(102, 5, 523)) == (True, [(101, 4, 0), (102, 5, 523)])


def test_the_end_of_the_answer_is_seen() -> None:
    assert parse_answer(row(101, 4, 9) + DONE) == (False, [(101, 4, 9)])
    assert parse_answer(DONE) == (False, [])
