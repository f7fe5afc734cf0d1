# SPDX-License-Identifier: MIT
"""What the options of a link do to packets, from the description through the plan into the simulator, in virtual time.

a sends full frames (1514 bytes: 1472 of UDP payload) to b, at a constant rate, over one direction with the options.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import DirectionPlan
from hybridnet.describe.topo.direction import resolve_direction
from hybridnet.simulate.instance.build import with_trace

simcore = pytest.importorskip("hybridnet._simcore")

SECOND = 10**9
PAYLOAD, FRAME = 1472, 1514


def planned(**options: Any) -> dict[str, Any]:
    direction = resolve_direction(options, "link a-b").to_json()
    checked(direction, DirectionPlan, "link a-b")
    return with_trace(direction)


def network(there: dict[str, Any], back: dict[str, Any] | None = None) -> Any:
    simulation = simcore.OfflineSimulation(1)
    for number, host in enumerate("ab", start=1):
        simulation.add_node("host", host)
        simulation.add_interface(host, f"{host}-eth0", f"02:00:00:00:00:0{number}", f"10.0.0.{number}/8")
    simulation.add_link("a-b", "a-eth0", "b-eth0", there, back or planned())
    return simulation


def flow(frames_per_second: int, seconds: float, **options: Any) -> dict[str, Any]:
    """The counters of the direction from a, and of the sink at b, after so many seconds."""
    simulation = network(planned(**options))
    simulation.add_application("b", "udp_sink", {"kind": "udp_sink", "port": 9})
    source = {"destination": "10.0.0.2", "port": 9, "rate_bps": frames_per_second * PAYLOAD * 8}
    simulation.add_application("a", "udp_source", {"kind": "udp_source", **source})
    simulation.run_for(round(seconds * SECOND))
    snapshot = simulation.snapshot()
    sink = next(row for row in snapshot["applications"] if "received_datagrams" in row)
    source = next(row for row in snapshot["applications"] if "sent_datagrams" in row)
    return {
        **snapshot["links"][0],
        **sink,
        "sent": source["sent_datagrams"],
        "dropped": snapshot["links"][0]["dropped"],
    }


def pings(count: int, there: dict[str, Any], back: dict[str, Any] | None = None) -> dict[str, int]:
    simulation = network(there, back)
    ping = {"kind": "ping", "destination": "10.0.0.2", "interval_ns": SECOND, "count": count}
    simulation.add_application("a", "ping", ping)
    simulation.run_for((count + 5) * SECOND)
    row: dict[str, int] = simulation.snapshot()["applications"][0]
    return row


def test_a_trace_sends_one_frame_at_each_opportunity(tmp_path: Path) -> None:
    trace = tmp_path / "wire.up"
    trace.write_text("1\n4\n4\n10\n")  # 4 opportunities in 10 ms
    seen = flow(1000, 2, trace=trace, max_queue_size=10)
    assert seen["received_datagrams"] == pytest.approx(4 * 200, abs=2)
    assert seen["dropped"]["queue_full"] == pytest.approx(2000 - 800 - 10, abs=3)


def test_a_token_bucket_lets_a_burst_pass_and_then_its_rate() -> None:
    # 100 frames a second come in as tokens, and 50 frames are there at the start; 1000 frames a second are offered.
    rate = f"{100 * FRAME * 8} bit/s"
    # The announcement and the ARP request begin at one instant, so the queue has room for two.
    seen = flow(1000, 2, bw=rate, burst=50 * FRAME, max_queue_size=2)
    assert seen["received_datagrams"] == pytest.approx(50 + 2 * 100, abs=3)


def test_slots_take_turns() -> None:
    # A second at 400 frames per second, half a second at 100, and so on; 1000 are offered.
    slots = [("1s", f"{400 * FRAME * 8} bit/s"), ("500ms", f"{100 * FRAME * 8} bit/s")]
    seen = flow(1000, 3, slots=slots, max_queue_size=5)
    assert seen["received_datagrams"] == pytest.approx(2 * (400 + 50), abs=3)


def test_packets_get_their_share_of_a_link_that_a_background_fills() -> None:
    # 400 frames a second beside a fluid of 1200, on a link of 800: half of all is lost, packets and fluid.
    rate = FRAME * 8
    background = {"model": "constant_rate", "rate": f"{1200 * rate} bit/s"}
    seen = flow(400, 20, bw=f"{800 * rate} bit/s", max_queue_size=50, background=background)
    assert seen["received_datagrams"] == pytest.approx(400 * 20 / 2, rel=0.05)
    assert seen["dropped"]["queue_full"] == pytest.approx(400 * 20 / 2, rel=0.05)


def test_the_counters_of_a_background_balance() -> None:
    simulation = network(planned(bw=8, background={"model": "constant_rate", "rate": "10 Mbit/s"}))
    simulation.run_for(10 * SECOND)
    row = simulation.snapshot()["links"][0]
    kept = {name: value for name, value in row.items() if name.startswith("background_")}
    assert kept["background_offered_bytes"] == 12_500_000
    assert kept["background_lost_bytes"] + kept["background_queue_bytes"] == pytest.approx(
        2_500_000, abs=2000
    )
    assert kept["background_served_bytes"] == pytest.approx(10_000_000, abs=2000)


def test_gilbert_and_elliott_lose_in_bursts() -> None:
    # The channel is bad for to_bad / (to_bad + to_good) of the segments: 1 / 21 of them. Losses come in bursts of 5 on
    # average, so the variance is about 2 * 5 times that of independent losses.
    seen = flow(10_000, 10, loss={"model": "gilbert_elliott", "to_bad": 1, "to_good": 20})
    share, sent = 1 / 21, seen["sent"]
    deviation = sqrt(10 * share * (1 - share) / sent)
    assert seen["dropped"]["impaired"] / sent == pytest.approx(share, abs=4 * deviation)


def test_scripted_loss_takes_exactly_those() -> None:
    # 0 is the ARP request; of the datagrams the third and the fifth.
    seen = flow(100, 1, loss={"model": "scripted", "segments": [3, 5]})
    assert seen["dropped"] == {"impaired": 2}
    assert seen["missing"] == 2


def test_duplicates_and_damaged_packets_are_counted() -> None:
    twice = flow(10_000, 1, duplicate=10)
    assert twice["duplicated_packets"] / twice["sent"] == pytest.approx(
        0.1, abs=4 * sqrt(0.09 / twice["sent"])
    )
    damaged = flow(10_000, 1, corrupt=10)
    assert damaged["corrupted_packets"] / damaged["sent"] == pytest.approx(
        0.1, abs=4 * sqrt(0.09 / damaged["sent"])
    )
    # Of 12112 bits each is flipped with 1e-5, so 1 - (1 - 1e-5)^12112 of the frames are damaged.
    share = 1 - (1 - 1e-5) ** (FRAME * 8)
    errors = flow(10_000, 1, bit_error_rate=1e-5)
    deviation = sqrt(share * (1 - share) / errors["sent"])
    assert errors["corrupted_packets"] / errors["sent"] == pytest.approx(share, abs=4 * deviation)


def test_exponential_jitter_has_its_mean_upon_the_delay() -> None:
    seen = pings(2000, planned(delay="10ms", jitter="4ms", jitter_distribution="exponential"))
    assert seen["least_rtt_ns"] >= 10_000_000
    assert seen["mean_rtt_ns"] == pytest.approx(14_000_000, abs=4 * 4_000_000 / sqrt(2000))


def test_a_trace_of_delays_is_taken_one_by_one() -> None:
    # The first two are those of the announcement and of the ARP request; each echo request has the next. The first one
    # waits for the ARP request, 1 + 1 ms.
    jitter = {"model": "trace", "delays": ["9ms", "1ms", "2ms", "3ms", "6ms", "9ms"]}
    seen = pings(4, planned(delay="1ms", jitter=jitter))
    assert (seen["least_rtt_ns"], seen["greatest_rtt_ns"]) == (4_000_000, 10_000_000)
    assert seen["mean_rtt_ns"] == (2 + 3 + 4 + 7 + 10) * 1_000_000 // 4


def test_packets_overtake_each_other_unless_they_keep_their_order() -> None:
    jitter = {"model": "uniform", "low": "0", "high": "20ms"}
    assert flow(1000, 1, jitter=jitter)["out_of_order"] > 100
    assert flow(1000, 1, jitter=jitter, keep_order=True)["out_of_order"] == 0
    assert flow(1000, 1, delay="20ms", reorder=10)["out_of_order"] > 100
    assert flow(1000, 1, delay="20ms", reorder=10, keep_order=True)["out_of_order"] == 0


def test_of_each_gap_packets_one_skips_the_delay() -> None:
    # One of 5 packets has no delay and overtakes the 9 that came in the 9.5 ms before, so those before it are late.
    seen = flow(1000, 1, delay="9500us", reorder=100, reorder_gap=5)
    assert seen["delivered_packets"] - seen["out_of_order"] == pytest.approx(1000 / 5, abs=12)


def test_codel_keeps_the_sojourn_time_near_its_target() -> None:
    # Twice the rate is offered for 30 s, and drop-tail would hold 1000 frames: 8 s at 125 frames per second.
    rate = f"{125 * FRAME * 8} bit/s"
    standing = flow(250, 30, bw=rate)
    short = flow(250, 30, bw=rate, aqm={"model": "codel", "target": "20ms", "interval": "100ms"})
    assert standing["dropped"]["queue_full"] > 0
    assert short["dropped"]["aqm"] > 0
    assert "queue_full" not in short["dropped"]
    assert short["queue_sojourn_mean_ns"] < 4 * SECOND


def test_red_drops_all_above_its_most() -> None:
    # The average is the queue itself (weight 1), and nothing is dropped below 20 frames, everything above 21.
    rate = f"{125 * FRAME * 8} bit/s"
    red = {"model": "red", "least": 20 * FRAME, "most": 21 * FRAME, "highest": 0, "weight": 1}
    seen = flow(1000, 2, bw=rate, aqm=red)
    assert seen["queue_most_packets"] == 21
    assert seen["dropped"] == {
        "aqm": seen["accepted_packets"] - seen["delivered_packets"] - seen["in_flight"]
    }


def test_a_watched_queue_tells_how_long_and_beside_how_many_its_packets_waited() -> None:
    # A frame comes every 8 ms and takes 4 ms: nobody waits.
    rate = f"{250 * FRAME * 8} bit/s"
    idle = flow(125, 4, bw=rate, watch_queue=True)
    assert (idle["queue_sojourn_p99_ns"], idle["queue_others_p99_packets"]) == (0, 0)
    # Twice what the wire carries, and 9 packets are in the queue when one is let in, the one being sent included:
    # whoever comes waits for 8 whole frames and the rest of one. CoDel's limit is one more.
    full = flow(500, 4, bw=rate, max_queue_size=10, watch_queue=True)
    assert full["queue_others_p50_packets"] == 9
    assert full["queue_sojourn_p50_ns"] == pytest.approx((8.5 * 4) * 1_000_000, abs=2_000_000 * 1.02)
    served = flow(
        500, 4, bw=rate, max_queue_size=10, watch_queue=True, aqm={"model": "codel", "target": "10s"}
    )
    assert served["queue_others_p50_packets"] == 9
    assert served["queue_sojourn_p50_ns"] == pytest.approx((9.5 * 4) * 1_000_000, abs=2_000_000 * 1.02)
    for seen, waiting in (
        (full, full["queue_packets"] - 1),
        (served, served["queue_packets"]),
    ):  # a plain queue counts the frame that is being sent, whose wait is over
        in_buckets = sum(count for _, count in seen["queue_sojourn"]["buckets"])
        assert in_buckets == seen["accepted_packets"] - seen["dropped"]["queue_full"] - waiting


def test_an_unwatched_queue_tells_what_it_holds() -> None:
    seen = flow(500, 4, bw=f"{250 * FRAME * 8} bit/s", max_queue_size=10)
    assert 9 <= seen["queue_packets"] <= 10
    assert seen["queue_bytes"] == seen["queue_packets"] * FRAME
    assert "queue_sojourn" not in seen


def test_each_direction_keeps_to_its_own_options() -> None:
    lossy = planned(loss=100)
    assert pings(3, planned(delay="3ms"), planned(delay="4ms"))["least_rtt_ns"] == 7_000_000
    assert pings(3, planned(), lossy)["received"] == 0
