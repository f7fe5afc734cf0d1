# SPDX-License-Identifier: MIT
"""Bridges are asked for their ports' counters in OpenFlow 1.3."""

from __future__ import annotations

import socket
import struct
import threading
from pathlib import Path

from hybridnet.agent.counters.port_stats import PortStats, parse_ports

LOCAL = 0xFFFFFFFE
NONE = (1 << 64) - 1


def port(number: int, *counters: int) -> bytes:
    """A row as OpenFlow 1.3.5, 7.3.5.6 has it: 12 counters of 64 bits, and the duration."""
    return (
        struct.pack("!I4x", number) + struct.pack("!12Q", *counters, *[0] * (12 - len(counters))) + bytes(8)
    )


def test_rows_have_packets_bytes_and_drops_and_reserved_ports_are_left_out() -> None:
    data = port(1, 10, 20, 1000, 2000, 3, 4) + port(LOCAL, 1, 1, 1, 1) + port(2, 5, 6, 7, 8, NONE, NONE)
    assert parse_ports(data) == {1: (10, 1000, 20, 2000, 7), 2: (5, 7, 6, 8, 0)}
    assert parse_ports(data[:100]) == {}


def test_a_bridge_is_asked_for_single_ports_and_one_that_is_gone_is_left_out(tmp_path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "s1.mgmt"))
    listening.listen()

    asked: list[int] = []

    def answer() -> None:
        with listening.accept()[0] as bridge, bridge.makefile("rb") as incoming:
            incoming.read(8)
            asked.extend(struct.unpack_from("!I", incoming.read(24), 16)[0] for _ in range(2))
            for kind in (0, 2):  # hello, and an echo request
                bridge.sendall(struct.pack("!BBHI", 4, kind, 8, 9))
            for flags, row in ((1, port(1, 1, 2, 3, 4)), (0, b""), (0, port(2, 5, 6, 7, 8))):
                body = struct.pack("!HH4x", 4, flags) + row
                bridge.sendall(struct.pack("!BBHI", 4, 19, 8 + len(body), 1) + body)
            while incoming.read(1):
                pass

    thread = threading.Thread(target=answer)
    thread.start()
    stats = PortStats(tmp_path)
    assert stats.read({"s1": [1, 2], "s2": [1]}) == {"s1": {1: (1, 3, 2, 4, 0), 2: (5, 7, 6, 8, 0)}}
    assert asked == [1, 2]
    stats.close()
    thread.join()
    listening.close()
    assert stats.read({"s1": [1]}) == {}
