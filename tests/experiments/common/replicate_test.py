# SPDX-License-Identifier: MIT
from __future__ import annotations

import io
from math import sqrt

import pytest
from rich.console import Console

from hybridnet.experiments.common.replicate import estimate, run_all


def test_the_interval_of_two_values_is_students():
    # mean 2, deviation sqrt(2), t = 12.706: 12.706 * sqrt(2) / sqrt(2)
    two = estimate([1.0, 3.0])
    assert two.mean == 2.0
    assert two.half_width == pytest.approx(12.706)
    assert (two.low, two.high) == pytest.approx((2.0 - 12.706, 2.0 + 12.706))


def test_ten_values_have_nine_degrees_of_freedom():
    ten = estimate([0.0, 1.0] * 5)
    assert ten.half_width == pytest.approx(2.262 * sqrt(10 * 0.25 / 9) / sqrt(10))


def test_one_value_has_no_interval():
    assert estimate([5.0]).half_width == 0.0


def test_no_values_have_no_mean():
    with pytest.raises(ValueError, match="no values"):
        estimate([])


def test_results_come_in_the_order_of_their_cases():
    quiet = Console(file=io.StringIO())
    assert run_all(lambda case: case * case, range(20), quiet) == [case * case for case in range(20)]


def test_what_a_case_raises_is_raised():
    def fail(case: int) -> int:
        raise RuntimeError(f"case {case}")

    with pytest.raises(RuntimeError, match="case 0"):
        run_all(fail, [0], Console(file=io.StringIO()))
