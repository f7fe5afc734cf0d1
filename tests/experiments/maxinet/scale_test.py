# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.maxinet.scale import (
    FIRST_SHARE,
    MET_OF_TRUSTED,
    MET_SHARE,
    PAPER,
    capacity_scale,
    met_scale,
)


def test_paper_scale_is_128_hosts_and_64_flows():
    assert 2 * PAPER.hosts_per_machine == 128
    assert 2 * PAPER.steps[-1] == 64
    assert PAPER.demand_bps(32)["udp"] == 3_200_000_000


def test_the_demand_starts_at_its_share_of_the_capacity_and_doubles():
    scale = capacity_scale(PAPER, 400_000_000, seconds_per_step=4)
    demands = [sum(scale.demand_bps(flows).values()) for flows in scale.steps]
    rounded_off = 2 * 100_000  # less than a tenth of a Mbit/s of each flow
    assert FIRST_SHARE * 400_000_000 - rounded_off < demands[0] <= FIRST_SHARE * 400_000_000
    assert demands == [demands[0] << step for step in range(6)]
    assert demands[-1] > 2 * 400_000_000


def test_the_demand_to_meet_is_its_share_of_the_capacity_at_the_widest_step():
    scale = met_scale(PAPER, 400_000_000, seconds_per_step=4)
    widest = sum(scale.demand_bps(scale.steps[-1]).values())
    rounded_off = scale.steps[-1] * 2 * 100_000
    assert MET_SHARE * 400_000_000 - rounded_off < widest <= MET_SHARE * 400_000_000


def test_the_papers_ten_to_one_of_tcp_to_udp_is_kept():
    scale = capacity_scale(PAPER, 880_000_000, seconds_per_step=4)
    assert scale.tcp_rate_bps == 10 * scale.udp_rate_bps == FIRST_SHARE * 800_000_000


def test_no_flow_asks_for_more_than_the_papers():
    scale = capacity_scale(PAPER, 10**13, seconds_per_step=4)
    assert (scale.tcp_rate_bps, scale.udp_rate_bps) == (PAPER.tcp_rate_bps, PAPER.udp_rate_bps)


def test_the_link_that_was_asked_for_is_kept():
    base = replace(PAPER, link_delay_ns=7_000_000)
    assert (
        capacity_scale(base, 10**9, 4).link_delay_ns == met_scale(base, 10**9, 4).link_delay_ns == 7_000_000
    )


def test_steps_shorter_than_three_seconds_are_refused():
    with pytest.raises(UsageError, match="at least 3"):
        replace(PAPER, seconds_per_step=2)


def test_more_flows_than_hosts_are_refused():
    with pytest.raises(UsageError, match="need 64 hosts"):
        replace(PAPER, depth=5)


def test_the_demand_to_meet_is_no_more_than_a_part_of_what_stays_trusted():
    scale = met_scale(PAPER, 400_000_000, seconds_per_step=4, trusted_bps=100_000_000)
    widest = sum(scale.demand_bps(scale.steps[-1]).values())
    rounded_off = scale.steps[-1] * 2 * 100_000
    assert MET_OF_TRUSTED * 100_000_000 - rounded_off < widest <= MET_OF_TRUSTED * 100_000_000
    assert met_scale(PAPER, 400_000_000, 4, trusted_bps=10**10) == met_scale(PAPER, 400_000_000, 4)
