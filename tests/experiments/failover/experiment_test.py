# SPDX-License-Identifier: MIT
"""How long pings were not answered, and the order of the three ways."""

from __future__ import annotations

import pytest

from hybridnet.errors import HybridnetError
from hybridnet.experiments.failover.experiment import checks_of, longest_gap


def said(answered: list[int], sent: int) -> str:
    lines = [f"[1.0] 64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time=0.1 ms" for number in answered]
    return "\n".join([*lines, f"{sent} packets transmitted, {len(answered)} received"])


def test_the_longest_gap_counts_in_seconds() -> None:
    assert longest_gap(said([1, 2, 3, 5, 6, 17, 18, 19, 20], 20), 0.5) == 5.0


def test_without_a_loss_there_is_no_gap() -> None:
    assert longest_gap(said(list(range(1, 101)), 100), 0.01) == 0


def test_traffic_that_does_not_come_back_is_an_error() -> None:
    with pytest.raises(HybridnetError, match="does not flow again"):
        longest_gap(said([1, 2, 3], 400), 0.01)


def test_the_ways_must_come_in_their_order() -> None:
    right = {"spanning tree": [30.0], "shortest paths": [0.1], "fast failover": [0.01]}
    wrong = {**right, "fast failover": [0.3]}
    assert [check.holds for check in checks_of(right)] == [True, True, True, True]
    assert [check.holds for check in checks_of(wrong)] == [True, True, True, False]
