# SPDX-License-Identifier: MIT
"""Sends datagrams of new flows and takes them in again, in the two hosts at the ends of a chain.

``prober.py receive PORT`` prints a line when it listens, and then for each datagram, ``number arrival_ns``.
``prober.py send ADDRESS PORT FIRST COUNT`` sends so many, one for each byte of its standard input, each from a source
port of its own, FIRST and following, and prints ``number sent_ns`` for each. Both clocks are the computer's monotonic
one.

Only the standard library is used here.
"""

from __future__ import annotations

import socket
import sys
import time

SO_NO_CHECK = 11


def receive(port: int) -> None:
    """Until it is ended."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taking:
        taking.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        taking.bind(("", port))
        print("listening", flush=True)
        while True:
            data = taking.recv(64)
            print(int(data), time.monotonic_ns(), flush=True)


def send(address: str, port: int, first: int, count: int) -> None:
    """Each as soon as its byte has come."""
    for number in range(first, first + count):
        sys.stdin.buffer.read(1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
            sending.setsockopt(
                socket.SOL_SOCKET, SO_NO_CHECK, 1
            )  # else the device would complete it, after the app
            sending.bind(("", number))
            print(number, time.monotonic_ns())
            sending.sendto(str(number).encode(), (address, port))


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(int(sys.argv[2]))
    else:
        send(sys.argv[2], *map(int, sys.argv[3:6]))
