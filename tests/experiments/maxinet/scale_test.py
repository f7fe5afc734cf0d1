# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.maxinet.scale import (
    MET_OF_TRUSTED,
    MET_SHARE,
    PAPER,
    met_scale,
)


def test_paper_scale_is_128_hosts_and_64_flows():
    assert 2 * PAPER.hosts_per_machine == 128
    assert 2 * PAPER.steps[-1] == 64
    assert PAPER.demand_bps(32)["udp"] == 3_200_000_000


def test_the_demand_doubles_with_each_step_to_the_papers_35_gigabits():
    demands = [sum(PAPER.demand_bps(flows).values()) for flows in PAPER.steps]
    assert demands == [1_100_000_000 << step for step in range(6)]


def test_the_demand_to_meet_is_its_share_of_the_capacity_at_the_widest_step():
    scale = met_scale(PAPER, 400_000_000, seconds_per_step=4)
    widest = sum(scale.demand_bps(scale.steps[-1]).values())
    rounded_off = scale.steps[-1] * 2 * 100_000
    assert MET_SHARE * 400_000_000 - rounded_off < widest <= MET_SHARE * 400_000_000


def test_the_papers_ten_to_one_of_tcp_to_udp_is_kept():
    scale = met_scale(PAPER, 1_760_000_000, seconds_per_step=4)
    pair_bps = MET_SHARE * 1_760_000_000 / 16
    assert (scale.tcp_rate_bps, scale.udp_rate_bps) == (pair_bps * 10 / 11, pair_bps / 11)


def test_no_flow_asks_for_more_than_the_papers():
    scale = met_scale(PAPER, 10**13, seconds_per_step=4)
    assert (scale.tcp_rate_bps, scale.udp_rate_bps) == (PAPER.tcp_rate_bps, PAPER.udp_rate_bps)


def test_the_link_that_was_asked_for_is_kept():
    base = replace(PAPER, link_delay_ns=7_000_000)
    assert met_scale(base, 10**9, 4).link_delay_ns == 7_000_000


def test_steps_shorter_than_three_seconds_are_refused():
    with pytest.raises(UsageError, match="at least 3"):
        replace(PAPER, seconds_per_step=2)


def test_more_flows_than_hosts_are_refused():
    with pytest.raises(UsageError, match="need 64 hosts"):
        replace(PAPER, depth=5)


def test_the_demand_to_meet_is_no_more_than_a_part_of_what_stays_trusted():
    scale = met_scale(PAPER, 800_000_000, seconds_per_step=4, trusted_bps=100_000_000)
    widest = sum(scale.demand_bps(scale.steps[-1]).values())
    rounded_off = scale.steps[-1] * 2 * 100_000
    assert MET_OF_TRUSTED * 100_000_000 - rounded_off < widest <= MET_OF_TRUSTED * 100_000_000
    assert met_scale(PAPER, 800_000_000, 4, trusted_bps=10**10) == met_scale(PAPER, 800_000_000, 4)
