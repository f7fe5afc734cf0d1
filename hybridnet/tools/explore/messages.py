# SPDX-License-Identifier: MIT
"""OpenFlow messages, as far as one who stands beside a connection must know them: where each begins, and what it is.

What hybridnet itself asks switches is OpenFlow 1.3, whatever the controller speaks; but for what only 1.0 can say.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from hybridnet.tools.explore.tables import ANY

__all__ = [
    "BARRIER_REPLY",
    "ECHO_REQUEST",
    "ERROR",
    "FEATURES_REPLY",
    "FLOW_MOD",
    "HELLO",
    "MULTIPART_REPLY",
    "PACKET_IN",
    "PACKET_OUT",
    "PORT_STATUS",
    "Message",
    "delete_all",
    "error_text",
    "features_request_10",
    "frame_of_packet_in",
    "frame_of_packet_out",
    "hello",
    "hello_10",
    "message",
    "multipart",
    "split",
]

_VERSION, _VERSION_10 = 4, 1
HELLO, ERROR, ECHO_REQUEST, PACKET_IN, FLOW_REMOVED, PORT_STATUS, PACKET_OUT, FLOW_MOD = (
    0, 1, 2, 10, 11, 12, 13, 14,
)  # fmt: skip
FEATURES_REQUEST, FEATURES_REPLY = 5, 6
_GROUP_MOD, _METER_MOD, _MULTIPART_REQUEST, MULTIPART_REPLY, BARRIER_REPLY = 15, 29, 18, 19, 21
_V10_STATISTICS_REPLY, _V10_BARRIER_REPLY = 17, 19
_HEADER = 8
_MULTIPART_HEADER = 16
FLOWS, GROUPS, PORTS = 1, 7, 13  # kinds of multipart
_MORE = 1
_NAMES = {
    0: "HELLO", 1: "ERROR", 2: "ECHO_REQUEST", 3: "ECHO_REPLY", 4: "EXPERIMENTER", 5: "FEATURES_REQUEST",
    6: "FEATURES_REPLY", 7: "GET_CONFIG_REQUEST", 8: "GET_CONFIG_REPLY", 9: "SET_CONFIG", 10: "PACKET_IN",
    11: "FLOW_REMOVED", 12: "PORT_STATUS", 13: "PACKET_OUT", 14: "FLOW_MOD",
}  # fmt: skip
_NAMES_13 = {
    15: "GROUP_MOD", 16: "PORT_MOD", 17: "TABLE_MOD", 18: "MULTIPART_REQUEST", 19: "MULTIPART_REPLY",
    20: "BARRIER_REQUEST", 21: "BARRIER_REPLY", 22: "QUEUE_GET_CONFIG_REQUEST",
    23: "QUEUE_GET_CONFIG_REPLY", 24: "ROLE_REQUEST", 25: "ROLE_REPLY",
    26: "GET_ASYNC_REQUEST", 27: "GET_ASYNC_REPLY", 28: "SET_ASYNC", 29: "METER_MOD",
}  # fmt: skip
_NAMES_10 = {
    15: "PORT_MOD", 16: "STATS_REQUEST", 17: "STATS_REPLY", 18: "BARRIER_REQUEST", 19: "BARRIER_REPLY",
}  # fmt: skip
_FLOW_MOD_FAILED, _TABLE_FULL = 5, 1
_COMMANDS = ("add", "modify", "modify_strict", "delete", "delete_strict")


@final
@dataclass(frozen=True)
class Message:
    """One whole message."""

    data: bytes

    @property
    def version(self) -> int:
        """OpenFlow's: 4 is 1.3, 1 is 1.0."""
        return self.data[0]

    @property
    def type(self) -> int:
        """As in 1.3: the two versions number what is late, such as answers, differently."""
        number = self.data[1]
        if self.version == 1:
            return {_V10_STATISTICS_REPLY: MULTIPART_REPLY, _V10_BARRIER_REPLY: BARRIER_REPLY}.get(
                number, number
            )
        return number

    @property
    def xid(self) -> int:
        """Which request it belongs to."""
        xid: int = struct.unpack_from("!I", self.data, 4)[0]
        return xid

    @property
    def body(self) -> bytes:
        """Behind the header."""
        return self.data[_HEADER:]

    def name(self) -> str:
        """As the specification has it, with what it does, if that is short."""
        number = self.data[1]
        late = _NAMES_10 if self.version == 1 else _NAMES_13
        name = _NAMES.get(number) or late.get(number) or f"type {number}"
        if number == FLOW_MOD:
            at, size = (56, 2) if self.version == 1 else (25, 1)
            command = _number(self.data, at, size)
            return (
                f"{name} {_COMMANDS[command]}" if command is not None and command < len(_COMMANDS) else name
            )
        return f"{name} {error_text(self)}" if number == ERROR else name


def split(data: bytes) -> tuple[list[Message], bytes]:
    """The whole messages that bytes begin with, and the rest."""
    found, at = [], 0
    while len(data) - at >= _HEADER:
        size = max(struct.unpack_from("!H", data, at + 2)[0], _HEADER)
        if len(data) - at < size:
            break
        found.append(Message(data[at : at + size]))
        at += size
    return found, data[at:]


def message(kind: int, body: bytes = b"", xid: int = 0, version: int = _VERSION) -> bytes:
    """One with its header; of 1.3, unless another version is said."""
    return struct.pack("!BBHI", version, kind, _HEADER + len(body), xid) + body


def hello() -> bytes:
    """Of who speaks 1.3."""
    return message(HELLO)


def hello_10() -> bytes:
    """Of who speaks 1.0."""
    return message(HELLO, version=_VERSION_10)


def features_request_10(xid: int) -> bytes:
    """In 1.0, where the answer has the ports, with what 1.3 does not tell of them."""
    return message(FEATURES_REQUEST, xid=xid, version=_VERSION_10)


def multipart(kind: int, xid: int) -> bytes:
    """The request for all flows, groups or ports."""
    any_match = struct.pack("!HHxxxx", 1, 4)
    body = struct.pack("!BxxxIIxxxxQQ", 0xFF, ANY, ANY, 0, 0) + any_match if kind == FLOWS else b""
    return message(_MULTIPART_REQUEST, struct.pack("!HHxxxx", kind, 0) + body, xid)


def bodies(messages: list[Message], xid: int) -> Iterator[bytes]:
    """What the answers to a multipart request say, behind their headers."""
    for each in messages:
        if each.type == MULTIPART_REPLY and each.xid == xid:
            yield each.data[_MULTIPART_HEADER:]


def delete_all() -> bytes:
    """All flows of all tables, all groups and all meters: what a switch forgets when it starts again."""
    any_match = struct.pack("!HHxxxx", 1, 4)
    flows = struct.pack("!QQBBHHHIIIHxx", 0, 0, 0xFF, 3, 0, 0, 0, ANY, ANY, ANY, 0) + any_match
    groups = struct.pack("!HBxI", 2, 0, 0xFFFFFFFC)
    meters = struct.pack("!HHI", 2, 0, ANY)
    return message(FLOW_MOD, flows) + message(_GROUP_MOD, groups) + message(_METER_MOD, meters)


def error_text(of: Message) -> str:
    """What an error says: its type and code, and the name of the most telling one."""
    kind, code = _number(of.data, _HEADER, 2), _number(of.data, _HEADER + 2, 2)
    if code is None:
        return "without a code"
    full = (3, 0) if of.version == 1 else (_FLOW_MOD_FAILED, _TABLE_FULL)
    return "TABLE_FULL" if (kind, code) == full else f"type {kind} code {code}"


def frame_of_packet_in(of: Message) -> bytes:
    """The frame in a PACKET_IN."""
    if of.version == 1:
        return of.data[18:]
    [length] = struct.unpack_from("!H", of.data, 26)  # of the match, padded to 8
    return of.data[24 + (length + 7) // 8 * 8 + 2 :]


def frame_of_packet_out(of: Message) -> bytes:
    """The frame in a PACKET_OUT; empty: it names a buffer."""
    at, head = (14, 16) if of.version == 1 else (16, 24)
    length = _number(of.data, at, 2)
    return b"" if length is None else of.data[head + length :]


def _number(data: bytes, at: int, size: int) -> int | None:
    """The number there; None: the message is too short, which is for the switch to refuse."""
    found = data[at : at + size]
    return int.from_bytes(found, "big") if len(found) == size else None
