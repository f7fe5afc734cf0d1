# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.experiments.maxinet.staircase import (
    FlowSpec,
    Second,
    Stay,
    counted_seconds,
    flows_of,
    seconds_of,
    step_result,
)

SMALL = replace(
    PAPER,
    name="small",
    depth=2,
    steps=(1, 2),
    tcp_rate_bps=10_000_000,
    udp_rate_bps=1_000_000,
    seconds_per_step=3,
)


def test_flows_double_at_each_step_and_use_each_host_once():
    flows = flows_of(PAPER)
    assert [sum(flow.step <= step for flow in flows) for step in range(6)] == [2, 4, 8, 16, 32, 64]
    assert len({flow.sender for flow in flows}) == len({flow.receiver for flow in flows}) == 64
    assert {flow.sender for flow in flows} == {f"h{n}" for n in range(1, 65)}


def test_goodput_is_the_received_bytes_without_headers_over_the_real_interval():
    flows = [FlowSpec("h1", "h5", "tcp", 1, 0), FlowSpec("h2", "h6", "udp", 1, 0)]
    before = {"monotonic_s": 10.0, "received": {"h5": [0, 0], "h6": [0, 0]}, "processor": [0, 0, 0]}
    after = {
        "monotonic_s": 12.0,
        "received": {"h5": [100 * (1448 + 66), 100], "h6": [50 * (1400 + 42), 50]},
        "processor": [30, 60, 10],
    }
    (second,) = seconds_of([before, after], flows, started_s=10.0)
    assert second.tcp_bps == pytest.approx(100 * 1448 * 8 / 2)
    assert second.udp_bps == pytest.approx(50 * 1400 * 8 / 2)
    assert second.at_s == pytest.approx(1.0)
    assert second.processor_busy == pytest.approx((30 + 10) / (30 + 60 + 10))  # stolen is not idle


def test_a_step_is_the_mean_of_its_seconds_without_the_first():
    seconds = [
        Second(at, 1.0, tcp, 0.0, 0.5)
        for at, tcp in ((0.5, 1e9), (1.5, 10.0), (2.5, 30.0), (3.5, 1e9), (4.5, 7.0))
    ]
    stays = [Stay(0, 0.0, 3), Stay(1, 3.0, 3)]
    first, second = (step_result(counted_seconds(seconds, stay), SMALL, stay.step) for stay in stays)
    assert first.tcp_bps == pytest.approx(20.0)
    assert first.most_bps == 30.0
    assert second.tcp_bps == pytest.approx(7.0)
    assert second.demand_bps == 2 * (10_000_000 + 1_000_000)


def test_a_long_interval_weighs_more_than_a_short_one():
    seconds = [Second(1.5, 1.5, 10.0, 0.0, 0.5), Second(2.5, 0.5, 50.0, 0.0, 0.5)]
    assert step_result(seconds, SMALL, 0).tcp_bps == pytest.approx((1.5 * 10 + 0.5 * 50) / 2)


def test_another_stay_on_a_step_has_seconds_of_its_own():
    seconds = [Second(at + 0.5, 1.0, float(at), 0.0, 0.5) for at in range(6)]
    again = counted_seconds(seconds, Stay(0, 3.0, 3))
    assert [second.tcp_bps for second in again] == [4.0, 5.0]
    assert step_result(again, SMALL, 0).flows == 1
