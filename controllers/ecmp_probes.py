# SPDX-License-Identifier: MIT
"""The probes of `ecmp_switch`: LLDP frames that say which port of which switch they left.

They do not go to LLDP's own address, which bridges keep, but to one that they flood, so that switches on both sides of
a bridge of somebody else's find each other. The port is in the source address: a switch can write it there itself, so
one message sends a probe out of many ports.
"""

from __future__ import annotations

import struct

PROBE_TYPE = 0x88CC  # LLDP's
PROBE_TO = "01:23:20:00:00:01"

_TO = bytes.fromhex(PROBE_TO.replace(":", ""))
_LOCALLY_ASSIGNED = b"\x0a\x00"
_NAME = b"hybridnet"
_LEAST_FRAME = 60  # bytes, without check sequence


def probe_source(port: int) -> str:
    """The source address of a probe that leaves by this port."""
    return (_LOCALLY_ASSIGNED + struct.pack("!I", port)).hex(":")


def probe_frame(switch: int, sent: float) -> bytes:
    """A probe of a switch, as of its port 0; on its way out it gets the source address of its port. `sent`: in seconds
    of the app's clock.
    """
    chassis = _field(1, b"\x07" + struct.pack("!Q", switch))  # 7: assigned locally
    port = _field(2, b"\x07" + b"source address")
    rest = _field(3, struct.pack("!H", 120)) + _field(5, _NAME + struct.pack("!d", sent)) + _field(0, b"")
    frame = _TO + _LOCALLY_ASSIGNED + bytes(4) + struct.pack("!H", PROBE_TYPE) + chassis + port + rest
    return frame.ljust(_LEAST_FRAME, b"\0")


def is_probe(frame: bytes) -> bool:
    """Whether it is a probe."""
    return frame[:6] == _TO and frame[12:14] == struct.pack("!H", PROBE_TYPE) and _NAME in frame[25:-8]


def probe_sender(frame: bytes) -> tuple[int, int]:
    """Datapath id and port number that a probe left."""
    [port] = struct.unpack("!I", frame[8:12])
    [switch] = struct.unpack("!Q", frame[17:25])
    return switch, port


def probe_sent(frame: bytes) -> float:
    """When a probe was sent."""
    at = frame.index(_NAME) + len(_NAME)
    [sent] = struct.unpack("!d", frame[at : at + 8])
    return float(sent)


def _field(kind: int, value: bytes) -> bytes:
    return struct.pack("!H", kind << 9 | len(value)) + value
