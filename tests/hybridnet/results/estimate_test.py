# SPDX-License-Identifier: MIT
from __future__ import annotations

from math import sqrt

import pytest

from hybridnet.results.estimate import estimate


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
