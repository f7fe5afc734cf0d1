# SPDX-License-Identifier: MIT
"""A simulation gone through event by event: it comes to the same as straight through, and says what is in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import HybridnetError, MachineError
from hybridnet.simulate.offline import Condition, Stepper, simulate

THERE, BACK = "a-b:a-eth0>b-eth0", "a-b:b-eth0>a-eth0"
DELAY_NS = 5_000_000
BYTE_NS = 800  # at 10 Mbit/s
ARP, SYN, ACK, SEGMENT = 42, 74, 66, 1514  # bytes of frames; TCP with timestamps
MSS = 1448


class Pair(Topo):
    """a ─ 10 Mbit/s, 5 ms ─ b; a sends to b without end."""

    def build(self, aqm: str | None = None, congestion: str = "cubic") -> None:  # type: ignore[override]
        tcp = {"preset": "linux", "congestion": congestion}
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9, "tcp": tcp}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        queue = {} if aqm is None else {"aqm": aqm}
        self.addLink("a", "b", bw=10, delay="5ms", max_queue_size=40, **queue)


@pytest.fixture
def pair() -> Iterator[Stepper]:
    with Net(Pair()).stepping() as simulation:
        yield simulation


def test_however_it_is_gone_through_the_trace_is_that_of_a_run_straight_through(pair: Stepper) -> None:
    [straight] = simulate(Pair(), "0.4s", jobs=1, trace_hash=True).replications
    full = Condition("links", THERE, "queue_packets", ">=", 20)
    for _ in range(50):
        before = pair.progress.events
        assert pair.step().events == before + 1
        pair.next_events()
        pair.queue("a-b")
    pair.run_until("0.1s", full)
    pair.step(100)
    pair.run("0.2s", speed=1.0)
    pair.packets(), pair.connections(), pair.messages(), pair.snapshot()
    pair.follow(["a-eth0"])
    pair.wait()
    assert pair.progress.time_ns == 200_000_000
    done = pair.run_until("0.4s")
    assert (done.time_ns, done.events, done.stopped) == (400_000_000, straight.events, "end")
    assert pair.trace_hash() == straight.trace_hash
    assert straight.trace_hash is not None
    assert pair.snapshot()["links"][0]["delivered_packets"] > 250


def test_an_event_that_was_to_come_is_the_one_that_a_step_handles(pair: Stepper) -> None:
    for _ in range(300):
        [due] = pair.next_events(1)
        assert pair.step().time_ns == due["time_ns"]


def test_the_first_packets_come_when_arithmetic_says(pair: Stepper) -> None:
    """At zero both tell where they are, and a, which cannot know yet, is to begin."""
    begun = pair.next_events()
    assert {"time_ns": 0, "what": "begins to send", "where": "a"} in begun
    arrivals = [row for row in begun if row["what"] == "a packet arrives"]
    assert [(row["where"], row["time_ns"]) for row in arrivals] == [
        (THERE, ARP * BYTE_NS + DELAY_NS),
        (BACK, ARP * BYTE_NS + DELAY_NS),
    ]
    assert "ARP" in arrivals[0]["packet"]


def test_a_link_shows_what_waits_what_is_sent_and_what_is_on_the_wire(pair: Stepper) -> None:
    established = Condition("connections", the_connection(pair), "state", "==", "ESTABLISHED")
    now_ns = pair.run_until("1s", established).time_ns
    there, back = pair.queue("a-b")
    # The SYN's answer has come. Its acknowledgement and ten segments are offered at once, these as trains of two.
    assert now_ns == ARP * BYTE_NS + DELAY_NS + 2 * (SYN * BYTE_NS + DELAY_NS)
    assert (there["waiting"], there["under_way"], back["packets"]) == (11, 0, [])
    acknowledgement, *trains = there["packets"]
    assert (acknowledgement["segments"], acknowledgement["bytes"]) == (1, ACK)
    assert acknowledgement["begins_ns"] == now_ns
    for place, packet in enumerate(trains):
        assert (packet["segments"], packet["bytes"]) == (2, 2 * SEGMENT)
        assert packet["begins_ns"] == now_ns + (ACK + place * 2 * SEGMENT) * BYTE_NS
        assert packet["departs_ns"] == packet["begins_ns"] + 2 * SEGMENT * BYTE_NS
        assert packet["arrives_ns"] == packet["begins_ns"] + SEGMENT * BYTE_NS + DELAY_NS
    assert [packet["place"] for packet in there["packets"]] == ["sending", *["waiting"] * 5]
    assert f"seq 1:{2 * MSS + 1}, ack 1" in trains[0]["text"]
    # When the third is being sent, the acknowledgement and two are on the wire.
    pair.run_until((trains[2]["begins_ns"] + 1000) / 1e9)
    [there, _] = pair.queue("a-b")
    assert [packet["place"] for packet in there["packets"]] == [
        "wire",
        "wire",
        "wire",
        "sending",
        "waiting",
        "waiting",
    ]
    assert (there["waiting"], there["under_way"]) == (6, 5)


def test_a_queue_with_active_management_shows_what_waits_too() -> None:
    with Net(Pair(aqm="codel")).stepping() as pair:
        pair.run_until("1s", Condition("links", THERE, "queue_packets", ">=", 5))
        there, _ = pair.queue("a-b", most=3)
        [row] = [row for row in pair.snapshot()["links"] if row["name"] == THERE]
        assert row["queue_packets"] == 10  # of an acknowledgement and ten segments; CoDel takes trains apart
        assert there["waiting"] == there["in_all"] == 11  # with the one that is being sent
        assert [packet["place"] for packet in there["packets"]] == ["sending", "waiting", "waiting"]
        assert there["packets"][1]["arrives_ns"] is None


def test_a_connection_shows_its_state(pair: Stepper) -> None:
    name = the_connection(pair)
    [syn] = [row for row in pair.connections() if row["name"] == name]
    assert (syn["node"], syn["state"]) == ("a", "SYN-SENT")
    assert "srtt_ns" not in syn
    pair.run_until("1s", Condition("connections", name, "state", "==", "ESTABLISHED"))
    [row] = [row for row in pair.connections() if row["name"] == name]
    assert row["cwnd_bytes"] == row["in_flight_bytes"] == 10 * MSS
    # The SYN waited until b had told its address.
    assert row["srtt_ns"] == ARP * BYTE_NS + DELAY_NS + 2 * (SYN * BYTE_NS + DELAY_NS)
    assert row["rttvar_ns"] == row["srtt_ns"] // 2  # RFC 6298
    assert "ssthresh_bytes" not in row  # nothing was lost
    assert row["recovery"] == "open"


def test_a_run_stops_after_the_event_by_which_a_condition_holds(pair: Stepper) -> None:
    done = pair.run_until(
        "1s", Condition("connections", the_connection(pair), "retransmitted_segments", ">=", 1)
    )
    assert done.stopped == "condition"
    assert pair.snapshot()["links"][0]["dropped"]["queue_full"] >= 1
    before = pair.progress.time_ns
    done = pair.run_until("1s", Condition("links", THERE, "dropped", "changes"))
    assert done.stopped in ("condition", "end")
    assert done.time_ns >= before


def test_messages_are_the_latest_packets_in_order_and_of_the_interfaces_that_are_followed(
    pair: Stepper,
) -> None:
    pair.run_until("20ms")
    rows = pair.messages()
    assert rows[0]["number"] == 0
    assert rows[0]["text"].startswith("ARP")
    assert [row["time_ns"] for row in rows] == sorted(row["time_ns"] for row in rows)
    [syn] = [row for row in rows if "Flags [S]" in row["text"] and row["sent"]]
    [came] = [row for row in rows if "Flags [S]" in row["text"] and not row["sent"]]
    assert came["interface"] == "b-eth0"
    assert came["time_ns"] == syn["time_ns"] + SYN * BYTE_NS + DELAY_NS
    pair.follow(["b-eth0"])
    last = rows[-1]["number"]
    pair.run_until("40ms")
    assert {row["interface"] for row in pair.messages(last + 1)} == {"b-eth0"}
    assert len(pair.messages(most=3)) == 3


def test_packets_for_a_drawing_are_capped() -> None:
    with Net(Pair(aqm="codel", congestion="reno")).stepping() as pair:  # whose slow start fills the queue
        pair.run_until("12ms")
        assert not pair.packets()["capped"]
        full = Condition("links", THERE, "queue_packets", ">=", 32)
        assert pair.run_until("2s", full).stopped == "condition"
        seen = pair.packets()
        [there] = [each for each in seen["directions"] if each["forward"]]
        assert there["waiting"] == 34  # the last came as a train of two, and one is being sent
        assert [place for place, *_ in there["packets"] if place in ("waiting", "sending")] == [
            "sending",
            *["waiting"] * 29,
        ]
        assert seen["capped"]
        assert {kind for *_, kind in there["packets"]} == {"data"}


def test_it_keeps_a_pace_and_can_be_paused(pair: Stepper) -> None:
    moved = threading.Event()
    pair.on_change = moved.set
    running = pair.run(speed=0.001)  # a second of it takes a thousand
    assert running.running
    assert moved.is_set()
    paused = pair.pause()
    assert (paused.running, paused.stopped) == (False, "pause")
    assert paused.time_ns < 1_000_000_000
    assert pair.pause() == paused


def test_figures_are_what_conditions_can_speak_of(pair: Stepper) -> None:
    pair.run_until("30ms")
    found = pair.figures()
    assert "queue_packets" in found["links"][THERE]
    assert {"cwnd_bytes", "state", "srtt_ns"} <= set(found["connections"][the_connection(pair)])
    for section, elements in found.items():
        for element, figures in elements.items():
            for figure in figures:
                pair.run_until(pair.progress.time_ns / 1e9, Condition(section, element, figure, "changes"))


@pytest.mark.parametrize(
    "what",
    [
        lambda pair: pair.step(0),
        lambda pair: pair.run("5ms"),  # it is 10 ms already
        lambda pair: pair.run("366d"),
        lambda pair: pair.run(speed=0),
        lambda pair: pair.run(condition="links"),
        lambda pair: pair.run(condition=Condition("links", "a-c", "dropped", ">", 0)),
        lambda pair: pair.run(condition=Condition("links", THERE, "length", ">", 0)),
        lambda pair: pair.queue("a-c"),
        lambda pair: pair.next_events(10_000),
        lambda pair: pair.follow("a-eth0"),
        lambda pair: pair.follow(["c-eth0"]),
        lambda pair: Condition("link", THERE, "dropped", ">", 0),
        lambda pair: Condition("links", THERE, "dropped", "=", 0),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_moves(pair: Stepper, what: Any) -> None:
    before = pair.run_until("10ms")
    with pytest.raises(HybridnetError):
        what(pair)
    assert pair.progress == before


def test_what_is_closed_answers_no_more() -> None:
    with Net(Pair()).stepping(until="10ms") as pair:
        assert pair.run_until("10ms").time_ns == 10_000_000
        assert pair.step().stopped == "end"
    with pytest.raises(MachineError, match="closed"):
        pair.step()
    with pytest.raises(HybridnetError):
        Net(Pair()).stepping(until=0)


def the_connection(pair: Stepper) -> str:
    """The name of a's connection, as soon as it has one."""
    while not (rows := [row for row in pair.connections() if row["node"] == "a"]):
        pair.step()
    return str(rows[0]["name"])
