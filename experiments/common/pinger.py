# SPDX-License-Identifier: MIT
"""Echo requests, and how long each answer took, in nanoseconds: ``python pinger.py ADDRESS COUNT INTERVAL_MS [alone]``.

It does what iputils' ping does. But that prints only three digits (0.1 ms at 20 ms), and does not sleep between
requests that follow each other within 10 ms. A request is stamped just before it is sent, its answer by the kernel when
it
comes. Intervals vary by half around their mean, so that no timer of 10 ms keeps step with them. With ``alone`` a
request waits for the answer to the one before, for WAIT_S at most. Prints JSON: ``rtts_ns`` in order of the
requests, and how many were ``sent`` (at most MOST).

Only the standard library is used here: it runs in a host of a machine.
"""

from __future__ import annotations

import json
import os
import random
import select
import socket
import struct
import sys
import time

ECHO_REQUEST, ECHO_REPLY = 8, 0
SO_TIMESTAMPNS = 35  # and the type of its control message
WARM_UP = 5  # requests that are not counted: ARP, and caches
WAIT_S = 1.0
MOST = 60_000  # their sequence numbers are all different


def checksum(data: bytes) -> int:
    """The Internet checksum of an even number of bytes."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def request(identifier: int, sequence: int) -> bytes:
    """An echo request with 56 bytes of payload, as ping's."""
    body = bytes(range(56))
    header = struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, identifier, sequence)
    return struct.pack("!BBHHH", ECHO_REQUEST, 0, checksum(header + body), identifier, sequence) + body


def collect(
    connection: socket.socket, identifier: int, sent_ns: dict[int, int], until: float
) -> dict[int, int]:
    """Take answers until then, or until there is one for each of ``sent_ns``. Return their round trips in nanoseconds.

    Answered requests leave ``sent_ns``.
    """
    rtts_ns = {}
    while sent_ns:
        left = max(0.0, until - time.monotonic())  # what has come is taken, however late it is
        if not select.select([connection], [], [], left)[0]:
            break
        packet, control, _, _ = connection.recvmsg(2048, 64)
        kind, _, _, who, sequence = struct.unpack_from("!BBHHH", packet, (packet[0] & 15) * 4)
        if (kind, who) == (ECHO_REPLY, identifier) and sequence in sent_ns:
            seconds, nanoseconds = struct.unpack_from("@qq", control[0][2])
            rtts_ns[sequence] = int(seconds) * 10**9 + int(nanoseconds) - sent_ns.pop(sequence)
    return rtts_ns


def main() -> None:
    """Ping."""
    address, count, interval_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1e3
    alone = sys.argv[4:] == ["alone"]
    identifier = os.getpid() & 0xFFFF
    intervals = random.Random(1)
    rtts_ns: dict[int, int] = {}
    sent_ns: dict[int, int] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as connection:
        connection.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        connection.connect((address, 0))
        due = time.monotonic()
        for number in range(WARM_UP + count):
            time.sleep(max(0.0, due - time.monotonic()))
            if alone:
                sent_ns.clear()
            packet = request(identifier, number)
            sent_ns[number] = time.clock_gettime_ns(time.CLOCK_REALTIME)
            connection.send(packet)
            due = max(due + interval_s * intervals.uniform(0.5, 1.5), time.monotonic())
            until = time.monotonic() + WAIT_S if alone else due
            rtts_ns |= collect(connection, identifier, sent_ns, until)
        rtts_ns |= collect(connection, identifier, sent_ns, time.monotonic() + WAIT_S)
    counted = [rtts_ns[number] for number in sorted(rtts_ns) if number >= WARM_UP]
    print(json.dumps({"sent": count, "rtts_ns": counted}))


if __name__ == "__main__":
    main()
