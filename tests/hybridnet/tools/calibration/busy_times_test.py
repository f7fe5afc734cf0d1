# SPDX-License-Identifier: MIT
"""What flows keep busy, from what was counted at a few moments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hybridnet.tools.calibration.busy_times import Look, seen_by
from hybridnet.tools.forecast.demand import Flow

SECOND_NS = 1_000_000_000
TICKS = 100
UDP_HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP
DATAGRAMS, PAYLOAD = 500, 1000
FLOW = Flow("h1", "h2", DATAGRAMS * PAYLOAD * 8, "udp", PAYLOAD)
REPORT = {"host_total": 20.0, "remote_total": 30.0, "sent_bps": float(DATAGRAMS * PAYLOAD * 8)}


def machine(
    at_s: float,
    idle_s: float,
    *,
    count: int = 4,
    computer: str = "boot1",
    instances: Mapping[str, Any] | None = None,
    threads: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    return {
        "time_ns": round(at_s * SECOND_NS),
        "computer": computer,
        "processors": {"count": count, "idle_ticks": round(idle_s * TICKS), "ticks_per_second": TICKS},
        "instances": instances or {},
        "switching": None if threads is None else {"ran_ns": threads},
    }


def sent(datagrams: int, arrived: int | None = None) -> dict[str, dict[str, int]]:
    """What two hosts have counted after so many datagrams."""
    frame = PAYLOAD + UDP_HEADERS
    received = datagrams if arrived is None else arrived
    return {
        "h1": {"tx_packets": datagrams, "tx_bytes": datagrams * frame, "rx_bytes": 0},
        "h2": {"tx_packets": 0, "tx_bytes": 0, "rx_bytes": received * frame},
    }


def test_a_flow_is_what_its_source_sent_without_headers_and_what_its_target_got_with_them() -> None:
    seconds, arrived = 2.0, 900
    looks = [Look({"m1": machine(5, 10)}, sent(0)), Look({"m1": machine(7, 17)}, sent(1000, arrived))]
    seen = seen_by(looks, [REPORT], [FLOW])
    assert seen.seconds == seconds
    assert (seen.sent.units, seen.sent.bytes) == (1000 / seconds, 1000 * PAYLOAD / seconds)
    assert seen.arrived_bps == arrived * (PAYLOAD + UDP_HEADERS) * 8 / seconds
    # Four processors for two seconds, of which 7 s were idle.
    assert seen.cores == {"m1": pytest.approx(4 - 7 / 2)}
    assert (seen.senders, seen.receivers) == ([pytest.approx(0.2)], [pytest.approx(0.3)])


def test_datagrams_come_in_bursts_where_more_are_due_than_the_sender_looks() -> None:
    looks = [Look({"m1": machine(0, 0)}, sent(0)), Look({"m1": machine(1, 3)}, sent(DATAGRAMS))]
    assert seen_by(looks, [REPORT], [FLOW]).sent.bursts == DATAGRAMS
    faster = Flow("h1", "h2", 4000 * PAYLOAD * 8, "udp", PAYLOAD)  # 4 in each of 1000 looks
    assert seen_by(looks, [REPORT], [faster, FLOW]).sent.bursts == 1000 + DATAGRAMS


def test_each_train_of_tcp_is_a_burst() -> None:
    trains = 250
    hosts = {"h1": {"tx_packets": trains, "tx_bytes": trains * (30_000 + 66), "rx_bytes": 0}}
    hosts["h2"] = dict.fromkeys(hosts["h1"], 0)
    nothing = {name: dict.fromkeys(row, 0) for name, row in hosts.items()}
    looks = [Look({"m1": machine(0, 0)}, nothing), Look({"m1": machine(1, 3)}, hosts)]
    traffic = seen_by(looks, [REPORT], [Flow("h1", "h2", 60e6)]).sent
    assert (traffic.bursts, traffic.units, traffic.bytes) == (trains, trains, trains * 30_000)


def test_programs_count_for_the_rate_of_the_window_not_for_that_of_their_life() -> None:
    half = {**REPORT, "sent_bps": REPORT["sent_bps"] / 2}  # it began late
    looks = [Look({"m1": machine(0, 0)}, sent(0)), Look({"m1": machine(1, 3)}, sent(DATAGRAMS))]
    seen = seen_by(looks, [half], [FLOW])
    assert (seen.senders, seen.receivers) == ([pytest.approx(2 * 0.2)], [pytest.approx(2 * 0.3)])
    never = {**REPORT, "sent_bps": 0.0}
    assert seen_by(looks, [never], [FLOW]).senders == [pytest.approx(0.2)]


def test_the_quietest_window_counts_among_those_with_all_the_traffic() -> None:
    looks = [
        Look({"m1": machine(0, 0)}, sent(0)),
        Look({"m1": machine(1, 4)}, sent(100)),  # idle, but flows had not begun
        Look({"m1": machine(2, 5)}, sent(600)),  # 3 busy: something else ran
        Look({"m1": machine(3, 7)}, sent(1060)),  # 2 busy, 92 % of the most datagrams
    ]
    seen = seen_by(looks, [REPORT], [FLOW])
    assert seen.sent.units == 460
    assert seen.cores == {"m1": pytest.approx(2.0)}


def test_without_flows_the_networks_own_work_is_seen() -> None:
    looks = [Look({"m1": machine(at, idle)}, {}) for at, idle in ((0, 0), (1, 3.5), (2, 7.25))]
    seen = seen_by(looks, [], [])
    assert seen.cores == {"m1": pytest.approx(0.25)}
    assert (seen.sent.bursts, seen.sent.units, seen.sent.bytes, seen.arrived_bps) == (0, 0, 0, 0)
    assert seen.threads == 0


def test_machines_of_one_computer_count_once() -> None:
    def look(at: float, idle: float) -> Look:
        counters = {
            "m1": machine(at, idle),
            "m2": machine(at, idle),
            "m3": machine(at, idle / 2, count=2, computer="boot2"),
        }
        return Look(counters, {})

    assert seen_by([look(0, 0), look(1, 3)], [], []).cores == {"m1": 1.0, "m3": 0.5}


def test_busy_processors_are_neither_fewer_than_none_nor_more_than_there_are() -> None:
    for idle_s, busy in ((4.1, 0.0), (-0.1, 4.0)):  # ticks are coarse
        looks = [Look({"m1": machine(0, 1)}, {}), Look({"m1": machine(1, 1 + idle_s)}, {})]
        assert seen_by(looks, [], []).cores == {"m1": busy}


def loop(cpu_ns: int, looked_ns: int, turns: int = 0, sleeps: int = 0, moderated: int = 0) -> dict[str, Any]:
    names = ("cpu_ns", "looked_ns", "turns", "sleeps", "moderated")
    return {"loop": dict(zip(names, (cpu_ns, looked_ns, turns, sleeps, moderated), strict=True))}


def test_an_instances_looks_are_told_from_its_work() -> None:
    before = {"a": loop(100, 50), "b": loop(0, 0), "gone": loop(0, 0), "silent": None}
    after = {
        "a": loop(100 + 600_000_000, 50 + 100_000_000, 4000, 1000, 500),
        "b": loop(200_000_000, 300_000_000),  # ticks of two clocks
        "gone": None,
        "new": loop(5, 5),
        "silent": loop(5, 5),
    }
    looks = [
        Look({"m1": machine(0, 0, instances=before)}, {}),
        Look({"m1": machine(2, 8, instances=after)}, {}),
    ]
    seen = seen_by(looks, [], [])
    assert seen.instances == {"a": pytest.approx((0.6 - 0.1) / 2), "b": 0.0}
    assert seen.looked == {"a": pytest.approx(0.1 / 2), "b": pytest.approx(0.2 / 2)}
    assert seen.turns["a"] == 4000 / 2
    assert seen.wakes["a"] == (1000 + 500) / 2
    assert seen.threads == pytest.approx((0.6 + 0.2) / 2)


def test_of_open_vswitch_the_busiest_thread_counts() -> None:
    before = {"m1": machine(0, 0, threads={"1": 1000, "2": 0}), "m2": machine(0, 0, computer="boot2")}
    later = {"1": 1000 + 100_000_000, "2": 50_000_000, "3": 300_000_000}
    after = {"m1": machine(2, 8, threads=later), "m2": machine(2, 8, computer="boot2")}
    seen = seen_by([Look(before, {}), Look(after, {})], [], [])
    assert seen.switching == {"m1": pytest.approx(0.3 / 2)}
