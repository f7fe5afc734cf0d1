# SPDX-License-Identifier: MIT
"""OpenFlow 1.3 on the wire, as far as random tables need it: written by its specification, apart from Ryu's.

Values of match fields are integers; see `hybridnet.experiments.openflow_conformance.fields`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from hybridnet.experiments.openflow_conformance.fields import BY_NAME

__all__ = [
    "HELLO", "apply", "barrier", "bucket", "counters_of", "delete_all", "flow", "flow_statistics", "goto", "group",
    "message", "output", "plain", "push", "set_field", "to_group", "write", "write_metadata",
]  # fmt: skip

Match = Mapping[str, int | tuple[int, int]]

VERSION = 4
HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, FEATURES_REQUEST, FEATURES_REPLY = 0, 1, 2, 3, 5, 6
FLOW_MOD, GROUP_MOD, MULTIPART_REQUEST, MULTIPART_REPLY, BARRIER_REQUEST, BARRIER_REPLY = (
    14,
    15,
    18,
    19,
    20,
    21,
)
ANY = 0xFFFFFFFF
BASIC = 0x8000
POP_VLAN, DEC_NW_TTL, DEC_MPLS_TTL = 18, 24, 16
PUSH_VLAN, PUSH_MPLS = 17, 19


def message(kind: int, body: bytes = b"", xid: int = 0) -> bytes:
    """A message with its header."""
    return struct.pack("!BBHI", VERSION, kind, 8 + len(body), xid) + body


def barrier(xid: int) -> bytes:
    return message(BARRIER_REQUEST, xid=xid)


def delete_all() -> bytes:
    """All flows of all tables, and all groups."""
    flows = struct.pack("!QQBBHHHIIIHxx", 0, 0, 0xFF, 3, 0, 0, 0, ANY, ANY, ANY, 0) + _match({})
    groups = struct.pack("!HBxI", 2, 0, 0xFFFFFFFC)
    return message(FLOW_MOD, flows) + message(GROUP_MOD, groups)


def flow(table: int, priority: int, cookie: int, match: Match, instructions: Sequence[bytes]) -> bytes:
    """A flow that is added."""
    head = struct.pack("!QQBBHHHIIIHxx", cookie, 0, table, 0, 0, 0, priority, ANY, ANY, ANY, 0)
    return message(FLOW_MOD, head + _match(match) + b"".join(instructions))


def group(number: int, kind: int, buckets: Sequence[bytes]) -> bytes:
    """A group that is added: 0: all, 1: select, 2: indirect, 3: fast failover."""
    return message(GROUP_MOD, struct.pack("!HBxI", 0, kind, number) + b"".join(buckets))


def bucket(actions: Sequence[bytes], watched: int = ANY) -> bytes:
    """A bucket; `watched`: a port."""
    body = b"".join(actions)
    return struct.pack("!HHIIxxxx", 16 + len(body), 0, watched, ANY) + body


def output(port: int) -> bytes:
    return struct.pack("!HHIHxxxxxx", 0, 16, port, 0xFFFF)


def to_group(number: int) -> bytes:
    return struct.pack("!HHI", 22, 8, number)


def push(kind: int, ethertype: int) -> bytes:
    return struct.pack("!HHHxx", kind, 8, ethertype)


def plain(kind: int) -> bytes:
    """An action without members."""
    return struct.pack("!HHxxxx", kind, 8)


def set_field(name: str, value: int) -> bytes:
    body = _oxm(name, value)
    return _padded(struct.pack("!HH", 25, (4 + len(body) + 7) // 8 * 8) + body)


def apply(actions: Sequence[bytes]) -> bytes:
    return _actions(4, actions)


def write(actions: Sequence[bytes]) -> bytes:
    return _actions(3, actions)


def goto(table: int) -> bytes:
    return struct.pack("!HHBxxx", 1, 8, table)


def write_metadata(value: int, mask: int) -> bytes:
    return struct.pack("!HHxxxxQQ", 2, 24, value, mask)


def flow_statistics(xid: int) -> bytes:
    """The request for the counters of all flows."""
    body = struct.pack("!BxxxIIxxxxQQ", 0xFF, ANY, ANY, 0, 0) + _match({})
    return message(MULTIPART_REQUEST, struct.pack("!HHxxxx", 1, 0) + body, xid)


def counters_of(body: bytes) -> dict[int, tuple[int, int]]:
    """By cookie the packets and bytes that an answer (from its multipart header on) has."""
    found, at = {}, 8
    while at < len(body):
        [length] = struct.unpack_from("!H", body, at)
        cookie, packets, octets = struct.unpack_from("!QQQ", body, at + 24)
        found[cookie] = (packets, octets)
        at += length
    return found


def _match(match: Match) -> bytes:
    fields = b"".join(
        _oxm(name, *wanted) if isinstance(wanted, tuple) else _oxm(name, wanted)
        for name, wanted in match.items()
    )
    return _padded(struct.pack("!HH", 1, 4 + len(fields)) + fields)


def _oxm(name: str, value: int, mask: int | None = None) -> bytes:
    field = BY_NAME[name]
    size = 4 if field.bits == 20 else (field.bits + 7) // 8  # labels stand in four bytes
    values = value.to_bytes(size, "big") + (b"" if mask is None else mask.to_bytes(size, "big"))
    return struct.pack("!HBB", BASIC, field.code << 1 | (mask is not None), len(values)) + values


def _actions(kind: int, actions: Sequence[bytes]) -> bytes:
    body = b"".join(actions)
    return struct.pack("!HHxxxx", kind, 8 + len(body)) + body


def _padded(body: bytes) -> bytes:
    return body + bytes(-len(body) % 8)
