# SPDX-License-Identifier: MIT
"""Sends frames by a host's interfaces, and says what came in by which one. Runs in the host.

``injector.py INTERFACE...`` reads one JSON list a line, ``[quiet_ms, marker, frames]`` with the frames as pairs of an
interface's number and hexadecimal bytes, and answers with such pairs for what came, until nothing had come for
`quiet_ms`. After each `AT_ONCE` frames it sends the marker by every interface, a frame that the switches send back
where it came from: once it is there, all that were sent before it have been through the switch. So no queue overflows,
and what nothing leaves for has been dealt with, too. Where a marker is not back within `PATIENCE_S`, it ends.

Only the standard library is used here.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time

SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 8, 23
VLAN_VALID, TPID_VALID = 0x10, 0x40
BUFFER_BYTES = 8 << 20
SO_RCVBUFFORCE = 33
PATIENCE_S = 20.0
AT_ONCE = 64


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


class Injector:
    """What sends by these interfaces."""

    def __init__(self, interfaces: list[str]) -> None:
        self.sockets = [opened(name) for name in interfaces]
        self.numbers = {made: number for number, made in enumerate(self.sockets)}

    def send(self, quiet_ms: int, marker: str, frames: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Send all, and return what came."""
        came: list[tuple[int, str]] = []
        for at in range(0, len(frames), AT_ONCE):
            for number, text in frames[at : at + AT_ONCE]:
                self.sockets[number].send(bytes.fromhex(text))
            self._await_marker(marker, came)
        while there := self._take(quiet_ms / 1e3):
            came += there
        return came

    def _await_marker(self, marker: str, came: list[tuple[int, str]]) -> None:
        for made in self.sockets:
            made.send(bytes.fromhex(marker))
        away, end = set(self.numbers.values()), time.monotonic() + PATIENCE_S
        while away:
            if (left_s := end - time.monotonic()) <= 0:
                sys.exit(f"no marker came back by interfaces {sorted(away)} in {PATIENCE_S:g} s")
            for number, text in self._take(left_s):
                if text == marker:
                    away.discard(number)
                else:
                    came.append((number, text))

    def _take(self, wait_s: float) -> list[tuple[int, str]]:
        ready = select.select(self.sockets, [], [], wait_s)[0]
        return [(self.numbers[made], received(made).hex()) for made in ready]


def main() -> None:
    """Serve."""
    injector = Injector(sys.argv[1:])
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(injector.send(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
