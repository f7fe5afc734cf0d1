# SPDX-License-Identifier: MIT
"""Numbered UDP packets at a constant rate, and what became of them.

``python flood.py send ADDRESS RATE SECONDS`` sends single packets, many per system call, and prints how many.
``python flood.py receive MOST`` says ``ready``, takes in packets until none has come for a while, and prints how many
different numbers it has seen, and how many came twice. Each frame has 100 bytes.

It runs in a host of a machine, with this interpreter: the figures are taken in C and numpy, so that sender and
receiver leave the processors to what is measured.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import time
from typing import Any

import numpy as np

PORT = 5300
PAYLOAD_BYTES = 100 - 14 - 20 - 8  # behind the headers of Ethernet, IPv4, UDP
BATCH = 64  # packets per system call
PAUSE_S = 0.0003  # between two looks at the clock: at 125,000/s about 40 packets
SILENCE_S = 2.0
FIRST_S = 30.0
RECEIVE_BUFFER_BYTES = 64 << 20

SO_RCVBUFFORCE = 33
MSG_WAITFORONE = 0x10000


class _IoVec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _MsgHdr(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("parts", ctypes.POINTER(_IoVec)),
        ("part_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    ]


class _MMsgHdr(ctypes.Structure):
    _fields_ = [("header", _MsgHdr), ("length", ctypes.c_uint32)]


class Batch:
    """The packets of one system call, side by side in one array of bytes."""

    def __init__(self) -> None:
        self.bytes = np.zeros((BATCH, PAYLOAD_BYTES), dtype=np.uint8)
        self._parts = (_IoVec * BATCH)()
        self.messages = (_MMsgHdr * BATCH)()
        for place in range(BATCH):
            self._parts[place] = _IoVec(self.bytes[place].ctypes.data, PAYLOAD_BYTES)
            self.messages[place].header.parts = ctypes.pointer(self._parts[place])
            self.messages[place].header.part_count = 1

    def number(self, first: int) -> None:
        """Numbers the packets from ``first`` on."""
        self.bytes[:, :8] = np.arange(first, first + BATCH, dtype=">u8").view(np.uint8).reshape(BATCH, 8)

    def numbers(self, count: int) -> Any:
        """The numbers of the first ``count``."""
        return np.ascontiguousarray(self.bytes[:count, :8]).view(">u8").reshape(count).astype(np.int64)


def send(address: str, rate: int, seconds: float) -> dict[str, float]:
    """Sends ``rate`` packets a second."""
    libc = ctypes.CDLL(None, use_errno=True)
    batch = Batch()
    sent = 0
    total = round(rate * seconds)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.connect((address, PORT))
        begun = time.monotonic()
        while sent < total:
            due = min(int((time.monotonic() - begun) * rate), total)
            while sent < due:
                batch.number(sent)
                done = libc.sendmmsg(connection.fileno(), batch.messages, min(BATCH, due - sent), 0)
                if done < 0:
                    raise OSError(
                        ctypes.get_errno(), f"send packet {sent}: {os.strerror(ctypes.get_errno())}"
                    )
                sent += done
            time.sleep(PAUSE_S)
        return {"sent": sent, "seconds": time.monotonic() - begun}


def receive(most: int) -> dict[str, int]:
    """Takes in packets numbered from 0 to ``most`` - 1."""
    libc = ctypes.CDLL(None, use_errno=True)
    batch = Batch()
    seen = np.zeros(most, dtype=np.uint32)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES)
        connection.bind(("", PORT))
        print("ready", flush=True)
        patience = FIRST_S
        while True:
            connection.settimeout(patience)
            try:
                connection.recv(1, socket.MSG_PEEK)
            except TimeoutError:
                break
            patience = SILENCE_S
            count = libc.recvmmsg(connection.fileno(), batch.messages, BATCH, MSG_WAITFORONE, None)
            if count > 0:
                np.add.at(seen, batch.numbers(count), 1)
    return {
        "received": int(np.count_nonzero(seen)),
        "duplicates": int(seen.sum()) - int(np.count_nonzero(seen)),
    }


if __name__ == "__main__":
    if sys.argv[1] == "send":
        print(json.dumps(send(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))))
    else:
        print(json.dumps(receive(int(sys.argv[2]))))
