# SPDX-License-Identifier: MIT
"""Bridges are asked for the number of their flows in OpenFlow 1.3."""

from __future__ import annotations

import socket
import struct
import threading
from pathlib import Path

from hybridnet.agent.counters.flow_counts import flow_counts


def test_all_flows_of_all_tables_are_counted_and_a_bridge_that_is_gone_is_left_out(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s1.mgmt"))
        listening.listen()
        asked: list[bytes] = []

        def answer() -> None:
            with listening.accept()[0] as bridge, bridge.makefile("rb") as incoming:
                incoming.read(8)  # hello
                asked.append(incoming.read(56))
                body = struct.pack("!HH4x", 2, 0) + struct.pack("!QQI4x", 70, 7000, 11)
                bridge.sendall(struct.pack("!BBHI", 4, 0, 8, 0))
                bridge.sendall(struct.pack("!BBHI", 4, 19, 8 + len(body), 1) + body)

        thread = threading.Thread(target=answer)
        thread.start()
        assert flow_counts(tmp_path, ["s1", "s2"]) == {"s1": 11}
        thread.join()
    # struct ofp_multipart_request and ofp_aggregate_stats_request, OpenFlow 1.3.5, 7.3.5 and 7.3.5.3
    assert asked[0][:2] == bytes([4, 18])
    assert struct.unpack("!HIHH4x", asked[0][2:16]) == (56, 1, 2, 0)
    assert struct.unpack("!B3xII", asked[0][16:28]) == (0xFF, 0xFFFFFFFF, 0xFFFFFFFF)
    assert asked[0][48:52] == struct.pack("!HH", 1, 4)  # OFPMT_OXM, and no field


def test_a_bridge_that_refuses_has_no_count(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s1.mgmt"))
        listening.listen()

        def answer() -> None:
            with listening.accept()[0] as bridge, bridge.makefile("rb") as incoming:
                incoming.read(64)
                bridge.sendall(struct.pack("!BBHI", 4, 1, 8, 1))  # OFPT_ERROR

        thread = threading.Thread(target=answer)
        thread.start()
        assert flow_counts(tmp_path, ["s1"]) == {}
        thread.join()
