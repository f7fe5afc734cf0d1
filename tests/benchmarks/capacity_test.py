# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from benchmarks.capacity import LEAST_PPS, MOST_PPS, PRECISION, highest_without_loss


@pytest.mark.parametrize("limit", [5_000, 12_345, 200_000, 1_999_999])
def test_the_highest_rate_that_passes_is_found_within_the_precision(limit: int) -> None:
    tried: list[int] = []

    def passes(rate: int) -> bool:
        tried.append(rate)
        return rate <= limit

    found = highest_without_loss(passes)
    assert limit / PRECISION <= found <= limit
    assert len(tried) < 16


def test_a_path_that_passes_nothing_has_no_capacity_and_one_without_limit_is_not_tried_for_ever() -> None:
    assert highest_without_loss(lambda rate: False) == 0
    assert LEAST_PPS < highest_without_loss(lambda rate: True) <= MOST_PPS
