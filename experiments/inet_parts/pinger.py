# SPDX-License-Identifier: MIT
"""Echo requests, and how long each answer took, in nanoseconds: ``python pinger.py ADDRESS COUNT INTERVAL_MS``.

What iputils' ping does, which however tells three digits only: 0.1 ms at 20 ms. A request is stamped just before it is
sent, its answer by the kernel when it comes. Intervals vary by half around their mean, so that no timer of 10 ms keeps
step with them. Prints JSON: ``rtts_ns`` in order, and how many were ``sent``.

Only the standard library is used here: it runs in a host of a machine.
"""

from __future__ import annotations

import json
import os
import random
import socket
import struct
import sys
import time

ECHO_REQUEST, ECHO_REPLY = 8, 0
SO_TIMESTAMPNS = 35  # and the type of its control message
WARM_UP = 5  # requests that are not counted: ARP, and caches
WAIT_S = 1.0


def checksum(data: bytes) -> int:
    """The Internet checksum of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def request(identifier: int, sequence: int) -> bytes:
    """An echo request with 56 bytes of payload, as ping's."""
    body = bytes(range(56))
    header = struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, identifier, sequence)
    return struct.pack("!BBHHH", ECHO_REQUEST, 0, checksum(header + body), identifier, sequence) + body


def answered_at(connection: socket.socket, identifier: int, sequence: int, until: float) -> int | None:
    """When the answer came, by the kernel's clock; None when it did not in time."""
    while (left := until - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            packet, control, _, _ = connection.recvmsg(2048, 64)
        except TimeoutError:
            return None
        kind, _, _, who, which = struct.unpack_from("!BBHHH", packet, (packet[0] & 15) * 4)
        if (kind, who, which) == (ECHO_REPLY, identifier, sequence):
            seconds, nanoseconds = struct.unpack_from("@qq", control[0][2])
            return int(seconds) * 10**9 + int(nanoseconds)
    return None


def main() -> None:
    """Pings, one after the other."""
    address, count, interval_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1e3
    identifier = os.getpid() & 0xFFFF
    intervals = random.Random(1)
    rtts_ns = []
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as connection:
        connection.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        connection.connect((address, 0))
        for number in range(-WARM_UP, count):
            begun = time.monotonic()
            packet = request(identifier, number & 0xFFFF)
            sent_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
            connection.send(packet)
            came_ns = answered_at(connection, identifier, number & 0xFFFF, begun + WAIT_S)
            if came_ns is not None and number >= 0:
                rtts_ns.append(came_ns - sent_ns)
            rest = begun + interval_s * intervals.uniform(0.5, 1.5) - time.monotonic()
            if rest > 0:
                time.sleep(rest)
    print(json.dumps({"sent": count, "rtts_ns": rtts_ns}))


if __name__ == "__main__":
    main()
