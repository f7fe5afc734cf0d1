# SPDX-License-Identifier: MIT
"""Measures the way between two machines: `hybridnet doctor --ssh` runs this on both.

``python -m hybridnet.machines.workers.way_probe serve ADDRESS`` reads a token from standard input, prints ``{"port":
N}`` and answers whoever shows the token until standard input ends. ``... measure ADDRESS PORT SECONDS`` reads the same
token and prints one JSON object, see `measure`. Only the standard library is used.

An exchange is a datagram with the token there, and one back with both clocks of the other side. The offset between two
clocks is taken from the exchange with the shortest round trip, and is known to half of that.
"""

from __future__ import annotations

import json
import select
import socket
import statistics
import struct
import sys
import time
from typing import NamedTuple, TypedDict, final

EXCHANGES = 200
EVERY_S = 0.002
PATIENCE_S = 1.0
TOKEN_BYTES = 32
_CLOCKS = struct.Struct("!qq")  # CLOCK_REALTIME and CLOCK_MONOTONIC, ns
_PIECE = bytes(1 << 16)


@final
class Way(TypedDict):
    """From one machine to another."""

    rtt_s: float  # median
    least_rtt_s: float
    lost: int  # of all exchanges
    clock_offset_s: float  # the other machine's CLOCK_REALTIME less this one's
    drift_ppm: float  # how much faster its CLOCK_MONOTONIC is
    drift_error_ppm: float  # by how much that may be wrong
    bandwidth_bps: float  # of one TCP connection to there


class _Exchanges(NamedTuple):
    rtt_s: float  # median
    least_rtt_s: float
    at_ns: (
        int  # when the fastest was sent, on CLOCK_MONOTONIC; the offsets are the other machine's clocks' then
    )
    real_offset_ns: int
    offset_ns: int
    lost: int


def serve(address: str, token: bytes) -> None:
    """Answer exchanges, and count what comes over TCP, until standard input ends."""
    with socket.create_server((address, 0)) as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        port = tcp.getsockname()[1]
        udp.bind((address, port))
        print(json.dumps({"port": port}), flush=True)
        while True:
            ready, _, _ = select.select([sys.stdin, udp, tcp], [], [])
            if sys.stdin in ready:
                return
            if udp in ready:
                said, asker = udp.recvfrom(TOKEN_BYTES + 8)
                if said[:TOKEN_BYTES] == token:
                    answer = said[TOKEN_BYTES:] + _CLOCKS.pack(time.time_ns(), time.monotonic_ns())
                    udp.sendto(answer, asker)
            if tcp in ready:
                _count(tcp, token)


def _count(tcp: socket.socket, token: bytes) -> None:
    """Take one connection; answer, at its end, how many bytes came after the token."""
    connection, _ = tcp.accept()
    with connection:
        connection.settimeout(PATIENCE_S)
        shown = b""
        try:
            while len(shown) < TOKEN_BYTES and (piece := connection.recv(TOKEN_BYTES - len(shown))):
                shown += piece
            if shown != token:
                return
            connection.settimeout(30)
            room, count = bytearray(1 << 20), 0
            while came := connection.recv_into(room):
                count += came
            connection.sendall(struct.pack("!q", count))
        except OSError:
            return  # who asked has gone


def measure(address: str, port: int, seconds: float, token: bytes) -> Way:
    """The way to a machine that serves.

    Raises:
        TimeoutError: fewer than half of the exchanges were answered.
    """
    first = _exchange(address, port, token)
    bandwidth = _fill(address, port, seconds, token)
    second = _exchange(address, port, token)
    elapsed_s = (second.at_ns - first.at_ns) / 1e9
    error_s = (first.least_rtt_s + second.least_rtt_s) / 2
    return {
        "rtt_s": first.rtt_s,
        "least_rtt_s": first.least_rtt_s,
        "lost": first.lost + second.lost,
        "clock_offset_s": first.real_offset_ns / 1e9,
        "drift_ppm": (second.offset_ns - first.offset_ns) / 1e3 / elapsed_s,
        "drift_error_ppm": 1e6 * error_s / elapsed_s,
        "bandwidth_bps": bandwidth,
    }


def _exchange(address: str, port: int, token: bytes) -> _Exchanges:
    rtts: list[int] = []
    best: tuple[int, int, int, int] | None = None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect((address, port))
        for number in range(EXCHANGES):
            real, sent = time.time_ns(), time.monotonic_ns()
            udp.send(token + struct.pack("!q", number))
            answer = _answer_to(udp, number, sent)
            if answer is not None:
                arrived, there_real, there = answer
                rtt = arrived - sent
                rtts.append(rtt)
                if best is None or rtt < best[0]:
                    best = rtt, sent, there_real - (real + rtt // 2), there - (sent + rtt // 2)
            time.sleep(EVERY_S)
    if best is None or len(rtts) < EXCHANGES // 2:
        raise TimeoutError(
            f"{len(rtts)} of {EXCHANGES} datagrams to {address} were answered; is there a firewall?"
        )
    least, at_ns, real_offset_ns, offset_ns = best
    return _Exchanges(
        rtt_s=statistics.median(rtts) / 1e9,
        least_rtt_s=least / 1e9,
        at_ns=at_ns,
        real_offset_ns=real_offset_ns,
        offset_ns=offset_ns,
        lost=EXCHANGES - len(rtts),
    )


def _answer_to(udp: socket.socket, number: int, sent: int) -> tuple[int, int, int] | None:
    """When the answer came, and the clocks in it; None if none came in time."""
    while (left := sent + int(PATIENCE_S * 1e9) - time.monotonic_ns()) > 0:
        udp.settimeout(left / 1e9)
        try:
            said = udp.recv(8 + _CLOCKS.size)
        except TimeoutError:
            return None
        arrived = time.monotonic_ns()
        if len(said) == 8 + _CLOCKS.size and struct.unpack_from("!q", said)[0] == number:
            return (arrived, *_CLOCKS.unpack_from(said, 8))
    return None


def _fill(address: str, port: int, seconds: float, token: bytes) -> float:
    with socket.create_connection((address, port), timeout=30) as tcp:
        tcp.sendall(token)
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            tcp.sendall(_PIECE)
        tcp.shutdown(socket.SHUT_WR)
        count: int = struct.unpack("!q", tcp.recv(8, socket.MSG_WAITALL))[0]
        return 8 * count / (time.monotonic() - began)


def main(words: list[str]) -> int:
    """Serve or measure."""
    token = bytes.fromhex(sys.stdin.readline())
    if words[0] == "serve":
        serve(words[1], token)
        return 0
    try:
        print(json.dumps(measure(words[1], int(words[2]), float(words[3]), token)))
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
