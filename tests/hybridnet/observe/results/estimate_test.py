# SPDX-License-Identifier: MIT
from __future__ import annotations

from math import sqrt

import pytest

from hybridnet.observe.results.estimate import Estimate, estimate, estimate_of_figure, uncounted


def test_the_interval_of_two_values_is_students():
    # mean 2, deviation sqrt(2), t = 12.706: 12.706 * sqrt(2) / sqrt(2)
    two = estimate([1.0, 3.0])
    assert two.mean == 2.0
    assert two.half_width == pytest.approx(12.706, rel=1e-4)
    assert (two.low, two.high) == pytest.approx((2.0 - 12.706, 2.0 + 12.706), rel=1e-4)


def test_ten_values_have_nine_degrees_of_freedom():
    ten = estimate([0.0, 1.0] * 5)
    assert ten.half_width == pytest.approx(2.262 * sqrt(10 * 0.25 / 9) / sqrt(10), rel=1e-3)


def test_one_value_has_no_interval():
    assert estimate([5.0]).half_width == 0.0


def test_no_values_have_no_mean():
    with pytest.raises(ValueError, match="no values"):
        estimate([])


def test_a_run_without_drops_counts_as_none():
    assert estimate_of_figure("dropped.queue_full", [4.0, None, 2.0]) == estimate([4.0, 0.0, 2.0])
    assert estimate_of_figure("r1-r2 duplicated_packets", [4.0, None]) == estimate([4.0, 0.0])


def test_a_run_that_measured_no_round_trip_says_nothing_of_it():
    assert estimate_of_figure("a:ping:0 mean_rtt_ns", [4.0, None]) == Estimate(4.0, 0.0, 1)


def test_only_elements_that_the_run_has_counted_nothing():
    own = ["l delivered_packets", "l dropped.lost"]
    others = ["l dropped.lost", "l dropped.queue_full", "k dropped.lost", "l queue_packets"]
    assert uncounted(own, others) == ["l dropped.queue_full"]
