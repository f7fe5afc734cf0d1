# SPDX-License-Identifier: MIT
"""Sends frames by a host's interfaces, and says what came in by which one. Runs in the host.

``injector.py INTERFACE...`` reads one JSON list a line, ``[quiet_ms, [[interface's number, frame as hex], ...]]``, and
answers with a list of the same pairs for what came, until nothing had come for `quiet_ms`.

Only the standard library is used here.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys

SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 8, 23
VLAN_VALID, TPID_VALID = 0x10, 0x40
BUFFER_BYTES = 8 << 20
SO_RCVBUFFORCE = 33


def opened(interface: str) -> socket.socket:
    """A packet socket for all that comes by an interface."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    made.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    made.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    made.bind((interface, 0))
    return made


def received(from_: socket.socket) -> bytes:
    """A frame, with the tag that the kernel takes out of it."""
    frame, control, _, _ = from_.recvmsg(4096, 128)
    for level, kind, data in control:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tci, tpid = struct.unpack_from("=IIIHHHH", data)
            if status & VLAN_VALID:
                tag = struct.pack("!HH", tpid if status & TPID_VALID else 0x8100, tci)
                return frame[:12] + tag + frame[12:]
    return frame


def main() -> None:
    """Serve."""
    sockets = [opened(name) for name in sys.argv[1:]]
    numbers = {made: number for number, made in enumerate(sockets)}
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        quiet_ms, frames = json.loads(line)
        for number, text in frames:
            sockets[number].send(bytes.fromhex(text))
        came = []
        while ready := select.select(sockets, [], [], quiet_ms / 1e3)[0]:
            came += [[numbers[made], received(made).hex()] for made in ready]
        print(json.dumps(came), flush=True)


if __name__ == "__main__":
    main()
