# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from hybridnet.tools.wire.report import direction_figures, portal_drops, status_line


def snapshot(time_ns: int, packets: int, drops: int, buckets: list[list[int]]) -> dict[str, Any]:
    def link(a: str, count: int) -> dict[str, Any]:
        return {
            "from": a,
            "accepted_packets": count + drops,
            "accepted_bytes": (count + drops) * 1250,
            "delivered_packets": count,
            "delivered_bytes": count * 1250,
            "dropped": {"queue_full": drops} if drops else {},
        }

    portals = [
        {"name": name, "kernel_drops": drops, "dropped": {"portal_backlog": 2 * drops}} for name in "ab"
    ]
    return {
        "time_ns": time_ns,
        "links": [link("a", packets), link("b", 0)],
        "portals": portals,
        "lateness": {"buckets": buckets},
    }


FIRST = snapshot(1_000_000_000, 100, 1, [[1000, 50]])
LAST = snapshot(3_000_000_000, 300, 4, [[1000, 149], [64_000, 1]])


def test_figures_are_those_between_the_snapshots() -> None:
    figures = direction_figures(FIRST, LAST, "a")
    assert figures["delivered_packets"] == 200
    assert figures["accepted_packets"] == 203
    assert figures["goodput_bps"] == 200 * 1250 * 8 / 2
    assert figures["dropped"] == {"queue_full": 3}
    assert portal_drops(FIRST, LAST)["b"] == {"portal_backlog": 6, "capture": 3}


def test_what_was_duplicated_damaged_or_marked_is_told_where_there_was_any() -> None:
    last = snapshot(3_000_000_000, 300, 4, [[1000, 150]])
    last["links"][0] |= {"duplicated_packets": 7, "corrupted_packets": 0}
    figures = direction_figures(FIRST, last, "a")
    assert figures["duplicated_packets"] == 7
    assert "corrupted_packets" not in figures


def test_what_a_watched_queue_measured_is_told() -> None:
    last = snapshot(3_000_000_000, 300, 4, [[1000, 150]])
    watched = {"queue_sojourn_p50_ns": 5, "queue_others_p99_packets": 2, "queue_most_packets": 3}
    last["links"][0] |= {"queue_packets": 7, **watched}
    figures = direction_figures(FIRST, last, "a")
    assert {key: figures.get(key) for key in watched} == watched
    assert "queue_packets" not in figures  # which is the bound, in a wire's figures


def test_no_time_is_no_goodput() -> None:
    assert direction_figures(FIRST, FIRST, "a")["goodput_bps"] == 0
    assert portal_drops(FIRST, FIRST) == {"a": {}, "b": {}}


def test_the_line_has_goodput_drops_and_lateness() -> None:
    assert status_line("a", "b", FIRST, LAST) == (
        "a > b 1 Mbit/s, 3 queue_full   b > a 0 bit/s, 3 queue_full   "
        "a: 6 portal_backlog   a: 3 capture   b: 6 portal_backlog   b: 3 capture   late p99 1 us"
    )
