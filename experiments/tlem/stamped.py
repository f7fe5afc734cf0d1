# SPDX-License-Identifier: MIT
"""UDP packets that say when they were sent, evenly spaced, and how long each was on its way.

``python stamped.py receive FILE COUNT`` prints ``ready``, lets the kernel stamp and keep what comes until its standard
input ends, and saves an array of delays in nanoseconds, from just before the call that sent one to the stamp. It sleeps
while packets are sent: a measurement should not take cores from what it measures.
``python stamped.py send ADDRESS RATE COUNT`` sends them, frames of 64 bytes, and prints how long that took.
"""

from __future__ import annotations

import socket
import struct
import sys
import time

import numpy as np

PORT = 5310
PACKET = struct.Struct("=q14x")  # with the headers of UDP, IPv4 and Ethernet: 64 bytes
KEPT_BYTES = 1_024
"""Of the receive buffer, that a small packet takes; the kernel grants twice what is asked for."""
SILENCE_S = 2.0

SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
STAMP = struct.Struct("=qq")


def send(address: str, rate: int, count: int) -> float:
    """Send ``count`` packets, ``rate`` a second; if it falls behind, it catches up. Returns seconds."""
    clock = time.time_ns
    pack = PACKET.pack
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.connect((address, PORT))
        put = connection.send
        began = clock()
        for number in range(count):
            due = began + number * 1_000_000_000 // rate
            while (now := clock()) < due:
                pass
            put(pack(now))
        return (clock() - began) / 1e9


def receive(most: int) -> np.ndarray:
    """Delays in nanoseconds of up to ``most`` packets, in the order of their arrival."""
    delays = np.empty(most, dtype=np.int64)
    came = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, most * KEPT_BYTES)
        connection.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        connection.bind(("", PORT))
        print("ready", flush=True)
        sys.stdin.read()
        connection.settimeout(SILENCE_S)
        room = socket.CMSG_SPACE(STAMP.size)
        while came < most:
            try:
                data, ancillary, _, _ = connection.recvmsg(PACKET.size, room)
            except TimeoutError:
                break
            seconds, nanoseconds = STAMP.unpack(ancillary[0][2])
            delays[came] = seconds * 1_000_000_000 + nanoseconds - PACKET.unpack(data)[0]
            came += 1
    return delays[:came]


if __name__ == "__main__":
    if sys.argv[1] == "send":
        print(send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        np.save(sys.argv[2], receive(int(sys.argv[3])))
