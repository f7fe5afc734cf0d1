# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.describe.topo.direction import Direction
from hybridnet.tools.forecast.costs import Traffic
from hybridnet.tools.forecast.demand import Flow
from hybridnet.tools.forecast.traffic import (
    MOST_TRAIN_BYTES,
    at_sender,
    frame_bits,
    segmented,
    through_link,
    train_bytes,
)

TCP = Flow("a", "b", 80e6)
UDP = Flow("a", "b", 11.2e6, "udp", 1400)


def test_trains_are_a_millisecond_long_where_the_round_trip_is() -> None:
    assert train_bytes(80e6, 0.02) == 80e6 / 8 / 1024
    assert train_bytes(1e6, 0.02) == 2 * 1448  # never less than two segments
    assert train_bytes(10e9, 0.02) == MOST_TRAIN_BYTES
    assert train_bytes(80e6, 0.0004) == MOST_TRAIN_BYTES  # a short round trip: as long as can be
    assert train_bytes(80e6, 0.0021) == 80e6 / 8 / 1024 + 65536 / 16  # 2100 us are four times 512


def test_a_sender_of_udp_sends_what_is_due_each_millisecond() -> None:
    assert at_sender(UDP, 0.0) == Traffic(1000, 1000, 1.4e6)
    assert at_sender(UDP.scaled(10), 0.0) == Traffic(1000, 10_000, 14e6)
    assert at_sender(UDP.scaled(0.1), 0.0) == Traffic(100, 100, 140_000)


def test_a_slow_link_takes_trains_apart() -> None:
    whole = at_sender(TCP, 0.0)
    assert whole.units == pytest.approx(10e6 / MOST_TRAIN_BYTES)
    assert through_link(whole, TCP, Direction()) == whole
    fast = Direction(rate_bps=1_000_000_000, train_limit_ns=50_000)  # 6250 bytes in 50 us
    assert through_link(whole, TCP, fast).units == pytest.approx(10e6 / 6250)
    slow = Direction(rate_bps=10_000_000, train_limit_ns=50_000)
    assert through_link(whole, TCP, slow).units == pytest.approx(10e6 / 1448)


def test_a_slow_link_spreads_a_burst_of_datagrams() -> None:
    burst = at_sender(UDP.scaled(10), 0.0)
    slow = Direction(rate_bps=100_000_000, train_limit_ns=50_000)
    assert through_link(burst, UDP, slow) == Traffic(10_000, 10_000, 14e6)


def test_packet_ports_that_keep_no_trains_have_segments() -> None:
    assert segmented(Traffic(10, 10, 144_800), TCP).units == 100


def test_a_link_carries_headers_too() -> None:
    assert frame_bits(UDP, Direction(overhead_bytes=24)) == 1 + (42 + 24) / 1400
    assert frame_bits(TCP, Direction()) == 1 + 66 / 1448
