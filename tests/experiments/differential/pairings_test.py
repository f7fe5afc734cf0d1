# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.experiments.differential.columns import COLUMNS, NO_ROUTE, Bulk, Column, Requests, Tcp
from hybridnet.experiments.differential.pairings import (
    LINUX,
    SIMULATED,
    Pair,
    application,
    captures_of,
    program,
    simulate,
)

NAMED = {column.name: column for column in COLUMNS}
ASKING = Column("asking", "", ("response_ms",), Requests(0.4, 3))
CLAMPED = Column("clamped", "", ("throughput_mbps",), Bulk(5.0), Tcp("bbr", mss=536, window=8192))


def test_both_kinds_of_ends_get_the_same_options() -> None:
    simulated = application(CLAMPED, "receiver", "a1", 8.0)
    linux = program(CLAMPED, "receiver", "10.1.0.1", 8.0)
    assert simulated["tcp"]["congestion"] == linux["congestion"] == "bbr"
    assert (simulated["tcp"]["mss"], linux["mss"]) == ("536 B", 536)
    assert (simulated["tcp"]["receive_buffer"], linux["window"]) == ("9640 B", 8192)  # and a segment of 1,448


def test_only_the_receiver_has_the_window() -> None:
    assert "receive_buffer" not in application(CLAMPED, "sender", "b1", 8.0)["tcp"]
    assert program(CLAMPED, "sender", "10.1.1.1", 8.0)["window"] is None


def test_the_receiver_asks_and_the_sender_answers() -> None:
    client, server = (application(ASKING, end, "a1", 8.0) for end in ("receiver", "sender"))
    assert (client["kind"], server["kind"]) == ("request_client", "request_server")
    assert (client["think_distribution"], client["mean_think"], client["count"]) == ("constant", "0.4s", 3)
    assert program(ASKING, "receiver", "10.1.0.1", 8.0)["role"] == "ask"
    assert program(ASKING, "sender", "10.1.1.1", 8.0)["role"] == "serve"


def test_an_address_without_a_way_takes_the_place_of_the_receivers() -> None:
    column = NAMED["ICMP error"]
    assert application(column, "sender", "b1", 8.0)["destination"] == NO_ROUTE
    assert program(column, "sender", "10.1.1.1", 8.0)["address"] == NO_ROUTE


def test_captures_are_where_the_figures_are_read() -> None:
    assert captures_of([Pair(ASKING, LINUX), Pair(NAMED["ICMP error"], LINUX)], "/x") == {
        "rb1-eth2": "/x/receiver1.pcap",
        "ra2-eth1": "/x/sender2.pcap",
    }


@pytest.mark.parametrize(
    ("name", "attempts", "window"), [("one lost SYN", 2.0, 10.0), ("two lost SYNs", 3.0, 1.0)]
)
def test_lost_syns_are_repeated_and_the_second_costs_the_initial_window(
    name: str, attempts: float, window: float
) -> None:
    # tcp_init_transfer(): the window is one segment after more than one timeout of the SYN; each takes 1 s
    figures = simulate(Pair(NAMED[name], SIMULATED), 1)
    assert (figures["syns"], figures["first_flight"]) == (attempts, window)
    # one round trip of 40 ms; 78 bytes of SYN and SYN-ACK at 10 Mbit/s
    assert figures["first_data_ms"] == pytest.approx(1000 * (attempts - 1) + 40, abs=0.3)


def test_an_attempt_to_connect_ends_with_the_first_error() -> None:
    assert simulate(Pair(NAMED["ICMP error"], SIMULATED), 1) == {"syns": 1.0}
