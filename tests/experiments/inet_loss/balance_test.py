# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from hybridnet.experiments.common.numbered import Passage, differences
from hybridnet.experiments.inet_loss.balance import equations_of


def portal(captured: int = 0, accepted: int = 0, **changed: Any) -> dict[str, Any]:
    return {
        "captured_segments": captured,
        "captured_dropped": 0,
        "kernel_drops": 0,
        "accepted_segments": accepted,
        "written_segments": accepted,
        "written_dropped": 0,
        "in_flight": 0,
        "dropped": {},
    } | changed


def link(accepted: int, **dropped: int) -> dict[str, Any]:
    return {
        "accepted_packets": accepted,
        "delivered_packets": accepted - sum(dropped.values()),
        "in_flight": 0,
        "dropped": dropped,
    }


def passage(sent: int, received: int, counters: dict[str, Any], **drops: int) -> Passage:
    receiver = {"received_packets": received, "capture_drops": 0}
    return Passage(
        {"sent_packets": sent}, receiver, counters, {name.replace("_", "-"): n for name, n in drops.items()}
    )


def broken(found: Passage, *machines: str) -> list[str]:
    return [str(each) for each in equations_of(found, machines) if not each.holds]


def one(**changed: Any) -> dict[str, Any]:
    parts = {"p1": portal(captured=100), "p2": portal(accepted=97)} | changed
    return {"m1": {"portals": parts, "links": {"from p1": link(100, queue_full=3)}, "peers": {}}}


def test_what_is_dropped_by_reason_is_accounted_for() -> None:
    assert broken(passage(100, 97, one()), "m1") == []


def test_a_frame_that_is_nowhere_breaks_the_equation_of_its_place() -> None:
    assert broken(passage(101, 97, one()), "m1") == [
        "sent = captured + what the kernel says it dropped: 101 != 100"
    ]
    assert broken(passage(100, 96, one()), "m1") == ["written = received + lost behind the portal: 97 != 96"]
    assert broken(passage(100, 97, one(p2=portal(accepted=97, written_segments=95))), "m1") == [
        "second portal accepted = written + dropped + in flight: 97 != 95",
        "written = received + lost behind the portal: 95 != 97",
    ]


def test_what_the_kernel_says_it_dropped_is_lost_in_capture_and_accounted_for() -> None:
    found = passage(107, 97, one(p1=portal(captured=100, kernel_drops=5)), h1_eth0=2)
    assert found.lost_in_capture == {"socket_buffer_full": 5, "interface": 2}
    assert broken(found, "m1") == []
    assert passage(101, 97, one()).lost_in_capture == {"unknown": 1}
    assert passage(100, 97, one()).lost_in_capture == {}


def test_between_machines_the_peering_is_on_the_way() -> None:
    sending = {"accepted_packets": 97, "sent_packets": 96, "sent_dropped": 1, "queued_packets": 0}
    receiving = {
        "received_packets": 94,
        "pending_packets": 0,
        "lost_packets": 2,
        "received_dropped": 1,
        "in_flight": 0,
    }
    counters = {
        "m1": {
            "portals": {"p1": portal(captured=100)},
            "links": {"from p1": link(100, queue_full=3)},
            "peers": {"m2": sending},
        },
        "m2": {"portals": {"p2": portal(accepted=93)}, "links": {}, "peers": {"m1": receiving}},
    }
    assert broken(passage(100, 93, counters), "m1", "m2") == []
    receiving["lost_packets"] = 0
    assert broken(passage(100, 93, counters), "m1", "m2") == [
        "peering sent = received + pending + lost on the way: 96 != 94"
    ]


def test_counters_are_differences_and_what_is_held_is_not() -> None:
    def snapshot(count: int, held: int, drops: dict[str, int]) -> dict[str, Any]:
        row = {"name": "p1", "device": "x", "captured_segments": count, "in_flight": held, "dropped": drops}
        return {"portals": [row], "links": [{**row, "name": "l", "from": "p1", "to": "p2"}], "peers": []}

    grown = differences(snapshot(10, 4, {"malformed": 1}), snapshot(25, 2, {"malformed": 1, "too_big": 3}))
    expected = {"captured_segments": 15, "in_flight": 2, "dropped": {"too_big": 3}}
    assert grown == {"portals": {"p1": expected}, "links": {"from p1": expected}, "peers": {}}
