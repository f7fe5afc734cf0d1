# SPDX-License-Identifier: MIT
"""One flow of this computer's own TCP, and what its TCP reports meanwhile.

``python linux_flow.py receive PORT`` prints ``ready``, takes one connection, and throws away what comes until it ends.
``python linux_flow.py send ADDRESS PORT ALGORITHM SECONDS EVERY [BEGIN]`` sends as much as it can for SECONDS, from
BEGIN on (of CLOCK_MONOTONIC; at once without it), and prints a JSON object: `samples`, one row every EVERY seconds and
one at the end, whose columns are COLUMNS. The connection ends by a reset: it does not wait for what is still in the
buffers.

It runs in a host of a machine, with Debian's interpreter, and imports nothing of hybridnet.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time

COLUMNS = (
    "time_s",  # since the SYN
    "acknowledged_bytes",
    "cwnd_segments",
    "ssthresh_segments",
    "srtt_s",
    "mss",
    "retransmitted_segments",
    "receiver_limited_s",  # so long the receiver's window held it back, so far
    "buffer_limited_s",  # so long its own buffer did
)
ESTABLISH_S = 10.0
PIECE = bytes(1 << 16)
_TCP_INFO_BYTES = 232
_IN_SLOW_START = 0x7FFFFFFF


def receive(port: int) -> None:
    """Take one connection at ``port``."""
    with socket.create_server(("", port)) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    room = bytearray(1 << 20)
    with connection:
        try:
            while connection.recv_into(room):
                pass
        except ConnectionResetError:
            return  # its end


def send(
    address: str, port: int, algorithm: str, seconds: float, every: float, begin: float
) -> list[tuple[float, ...]]:
    """Send for ``seconds``; return the samples."""
    time.sleep(max(0.0, begin - time.monotonic()))
    with socket.socket() as flow:
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
        flow.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        flow.settimeout(ESTABLISH_S)
        began = time.monotonic()
        flow.connect((address, port))
        flow.setblocking(False)
        waiting = select.poll()
        waiting.register(flow, select.POLLOUT)
        samples = [_sample(flow, began)]
        while samples[-1][0] < seconds:
            due = min(began + len(samples) * every, began + seconds)
            while (left := due - time.monotonic()) > 0:
                if not waiting.poll(left * 1000):
                    break
                try:
                    flow.send(PIECE)
                except BlockingIOError:
                    continue
            samples.append(_sample(flow, began))
    return samples


def _sample(flow: socket.socket, began: float) -> tuple[float, ...]:
    """A row of COLUMNS, of struct tcp_info."""
    info = flow.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    at = time.monotonic() - began
    words = struct.unpack_from("=24I", info, 8)
    mss, rtt_us, ssthresh, cwnd, retransmitted = (words[place] for place in (2, 15, 17, 18, 23))
    (acknowledged,) = struct.unpack_from("=Q", info, 120)
    receiver_us, buffer_us = struct.unpack_from("=QQ", info, 176)
    return (
        at,
        acknowledged,
        cwnd,
        0 if ssthresh >= _IN_SLOW_START else ssthresh,
        rtt_us / 1e6,
        mss,
        retransmitted,
        receiver_us / 1e6,
        buffer_us / 1e6,
    )


def main(words: list[str]) -> None:
    if words[0] == "receive":
        return receive(int(words[1]))
    address, port, algorithm, seconds, every, *begin = words[1:]
    samples = send(
        address, int(port), algorithm, float(seconds), float(every), float(begin[0]) if begin else 0.0
    )
    print(json.dumps({"columns": COLUMNS, "samples": samples}))
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
