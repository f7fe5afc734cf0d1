# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.maxinet.scale import PAPER, SOURCE_SHARE, auto_scale


def test_paper_scale_is_128_hosts_and_64_flows():
    assert 2 * PAPER.hosts_per_machine == 128
    assert 2 * PAPER.steps[-1] == 64
    assert PAPER.demand_bps(32)["udp"] == 3_200_000_000


def test_auto_asks_for_its_share_of_the_capacity_at_16_flows():
    scale = auto_scale(400_000_000, seconds_per_step=5)
    rounded_off = 16 * 2 * 100_000  # less than a tenth of a Mbit/s of each flow
    share = SOURCE_SHARE * 400_000_000
    assert share - rounded_off < sum(scale.demand_bps(16).values()) <= share


def test_auto_keeps_the_papers_ten_to_one_of_tcp_to_udp():
    scale = auto_scale(1_602_000_000, seconds_per_step=5)
    assert scale.tcp_rate_bps == 10 * scale.udp_rate_bps == 20_000_000


def test_auto_never_asks_for_more_than_the_paper():
    scale = auto_scale(10**13, seconds_per_step=5)
    assert (scale.tcp_rate_bps, scale.udp_rate_bps) == (PAPER.tcp_rate_bps, PAPER.udp_rate_bps)


def test_steps_shorter_than_three_seconds_are_refused():
    with pytest.raises(UsageError, match="at least 3"):
        replace(PAPER, seconds_per_step=2)


def test_more_flows_than_hosts_are_refused():
    with pytest.raises(UsageError, match="need 64 hosts"):
        replace(PAPER, depth=5)
