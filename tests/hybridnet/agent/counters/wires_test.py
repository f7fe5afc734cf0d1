# SPDX-License-Identifier: MIT
"""What wires have carried, from the first end's point of view."""

from __future__ import annotations

from typing import Any

from hybridnet.agent.counters.wires import patch_ends, wire_counters
from hybridnet.agent.hosts.device_counters import Row


def end(node: str, interface: str) -> dict[str, str]:
    return {"node": node, "interface": interface}


PLAN: dict[str, Any] = {
    "pairs": [
        {"kind": "veth", "a": end("h1", "h1-eth0"), "b": end("s1", "s1-eth1")},
        {"kind": "veth", "a": end("s1", "s1-eth2"), "b": end("h2", "h2-eth0")},
        {"kind": "patch", "a": end("s1", "s1-eth3"), "b": end("s2", "s2-eth1")},
        {"kind": "patch", "a": end("s2", "s2-eth2"), "b": end("s3", "s3-eth1")},
    ]
}


def test_a_host_counts_itself_and_a_patch_is_counted_by_its_switch() -> None:
    own = Row(
        rx_bytes=100,
        rx_packets=1,
        rx_errors=0,
        rx_dropped=9,
        tx_bytes=200,
        tx_packets=2,
        tx_errors=0,
        tx_dropped=3,
    )
    other = own._replace(rx_bytes=0, tx_bytes=0, tx_dropped=4)
    tables = {"": {"s1-eth1": other, "s1-eth2": other}, "h1": {"h1-eth0": own}, "h2": {"h2-eth0": own}}
    patches = {("s1", "s1-eth3"): (1, 10, 2, 20, 5)}
    assert wire_counters(PLAN, {"h1": "h1", "h2": "h2"}, tables, patches) == [
        ("h1", "h1-eth0", 2, 200, 1, 100, 3, 4),
        ("s1", "s1-eth2", 1, 100, 2, 200, 4, 3),
        ("s1", "s1-eth3", 2, 20, 1, 10, 5, 0),
    ]


def test_a_patch_is_asked_for_at_its_first_end() -> None:
    assert patch_ends(PLAN) == [("s1", "s1-eth3"), ("s2", "s2-eth2")]
