# SPDX-License-Identifier: MIT
"""One end of a connection of this computer's own TCP, as a column of differential asks for it.

``python linux_end.py JSON``, with the fields of `main`. A server prints ``ready`` when it listens, and serves one
connection; a client begins at an instant of CLOCK_MONOTONIC. What they measure is nothing: that is read from the wire.

It runs in a host of a machine, with Debian's interpreter, and imports nothing of hybridnet.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import sys
import time
from typing import Any

PIECE = bytes(1 << 16)
SEGMENT = 1448
SHARE_BY_SEGMENT = (6, 9)
"""From this Linux on, the first full segment says how much of a buffer is data (tcp_measure_rcv_mss)."""


def buffer_of(window: int, release: str) -> int:
    """SO_RCVBUF with which the window is ``window`` bytes, in whole segments, and never larger.

    The kernel takes twice as much, and half of that for data. After the first full segment Linux 6.9 and later take
    more: 1,448 bytes of the 2,304 of a frame's buffer, five eighths; the window grows to that without the segment that
    has just come (tcp_grow_window). TCP_WINDOW_CLAMP is no bound there: the kernel forgets it at that segment, and who
    says it again has already told the peer of a larger window, of which the peer pushes each half.

    Args:
        window: bytes.
        release: of the kernel, as ``uname -r`` says it.

    Example:
        >>> buffer_of(8192, "6.1.0-18-amd64"), buffer_of(8192, "6.12.9")
        (8192, 7712)
    """
    major, minor = (int(number) for number in release.split(".")[:2])
    return (window + SEGMENT) * 4 // 5 if (major, minor) >= SHARE_BY_SEGMENT else window


def prepared(end: dict[str, Any]) -> socket.socket:
    """A socket with the congestion control, the segment size and the receive window of this end."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, end["congestion"].encode())
    if end["mss"]:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, end["mss"])
    if end["window"]:
        size = buffer_of(end["window"], os.uname().release)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)  # one that is set does not grow
    return made


def take(connection: socket.socket, size: int) -> bool:
    """Read so many bytes; False: the peer ended before."""
    while size > 0:
        got = len(connection.recv(min(size, 1 << 20)))
        if got == 0:
            return False
        size -= got
    return True


def serve(end: dict[str, Any]) -> None:
    """Take one connection; answer requests, or read what comes."""
    with prepared(end) as listening:
        listening.bind(("", end["port"]))
        listening.listen()
        print("ready", flush=True)
        connection, _ = listening.accept()
    with connection, contextlib.suppress(ConnectionError):
        while take(connection, end["request"]):
            if end["response"]:
                connection.sendall(bytes(end["response"]))


def ask(connection: socket.socket, end: dict[str, Any]) -> None:
    """Ask so many requests, each so long after the answer to the one before."""
    for _ in range(end["count"]):
        time.sleep(end["think_s"])
        connection.sendall(bytes(end["request"]))
        if not take(connection, end["response"]):
            return


def send(connection: socket.socket, end: dict[str, Any]) -> None:
    """Send as much as it can for some seconds; then reset, for nobody waits for the rest."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    over = time.monotonic() + end["seconds"]
    while (left := over - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            connection.send(PIECE)
        except TimeoutError:
            return


def main(end: dict[str, Any]) -> None:
    """Be this end.

    Args:
        end: ``role`` serve, ask or send; ``port``; ``congestion``, ``mss`` and ``window`` (None: the kernel's own);
            ``request`` and ``response`` in bytes; of a client ``address``, ``begin``, ``seconds``, and of one that asks
            ``count`` and ``think_s``.
    """
    if end["role"] == "serve":
        return serve(end)
    with prepared(end) as connection:
        time.sleep(max(0.0, end["begin"] - time.monotonic()))
        connection.settimeout(end["seconds"])
        with contextlib.suppress(OSError):  # to fail is a result, and seen on the wire
            connection.connect((end["address"], end["port"]))
            connection.settimeout(None)
            (ask if end["role"] == "ask" else send)(connection, end)
    return None


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
