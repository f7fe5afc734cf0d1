# SPDX-License-Identifier: MIT
"""Endless TCP flows between hosts, counted where they arrive.

``transfer.py sink PORT`` takes connections. For each line on its standard input it prints the bytes that have come from
each address, as JSON. ``transfer.py source ADDRESS PORT`` sends to one until it is ended.

Only the standard library is used here: it runs in the hosts.
"""

from __future__ import annotations

import json
import socket
import sys
import threading

PIECE = bytes(16384)


def sink(port: int) -> None:
    """Until its standard input ends."""
    came: dict[str, int] = {}

    def take(connection: socket.socket, address: str) -> None:
        buffer = bytearray(1 << 16)
        while count := connection.recv_into(buffer):
            came[address] = came.get(address, 0) + count

    def accept(listener: socket.socket) -> None:
        while True:
            connection, (address, _) = listener.accept()
            threading.Thread(target=take, args=(connection, address), daemon=True).start()

    listener = socket.create_server(("", port), backlog=64)
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    print(json.dumps("listening"), flush=True)
    for _ in sys.stdin:
        print(json.dumps(came), flush=True)


def source(address: str, port: int) -> None:
    """Until it is ended."""
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        connection.connect((address, port))
        while True:
            connection.sendall(PIECE)


if __name__ == "__main__":
    if sys.argv[1] == "sink":
        sink(int(sys.argv[2]))
    else:
        source(sys.argv[2], int(sys.argv[3]))
