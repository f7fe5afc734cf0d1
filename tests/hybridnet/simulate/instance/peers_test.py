# SPDX-License-Identifier: MIT
"""Two instances exchange packets over each transport, as processes that were started apart."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.hybridnet.simulate.instance.peered import Pair, pair_plans

PING = {"kind": "ping", "destination": "10.0.0.2", "count": 50, "interval_ns": 1_000_000}


KEY = {"key": "5" * 64}
WAYS: dict[str, dict[str, Any]] = {
    "udp": {},
    "shm": {"transport": "shm"},
    "tcp": {"transport": "tcp"},
    "sealed": KEY,
    "sealed tcp": {"transport": "tcp", **KEY},
    "bulk": {"bulk_filter": "icmp", "compression": "on"},
    "gathered": {"receive_wait_ns": 500_000, "flush": "time"},
}


@pytest.mark.parametrize("way", WAYS)
def test_what_one_sends_the_other_gets_and_nothing_is_lost(way: str) -> None:
    plans = pair_plans(WAYS[way], 2_000_000, {"a": [PING]})
    with tempfile.TemporaryDirectory(prefix="hn") as directory, Pair(plans, Path(directory)) as pair:
        row = pair.await_peer("a", "received_packets", 51)  # an answer to ARP, and 50 echo replies
        there = pair.await_peer("b", "received_packets", row["sent_packets"])
        # Hosts that ask each other for their addresses again may have sent more meanwhile.
        assert there["received_packets"] <= pair.peer("a")["sent_packets"]
        assert row["synchronized"]
        assert not row["peer_silent"]
        assert row["lost_packets"] == row["received_dropped"] == row["datagrams_dropped"] == 0
