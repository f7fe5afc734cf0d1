# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.experiments.maxinet.flow_runner import QUIET_STEAL, is_quiet

OF_A_SECOND = 200
"""Ticks of two processors."""


def readings(*stolen_in_second: int) -> list[tuple[float, list[int]]]:
    """One at each second's end, with so many ticks stolen in each."""
    return [
        (
            float(second),
            [0, second * OF_A_SECOND - sum(stolen_in_second[:second]), sum(stolen_in_second[:second])],
        )
        for second in range(len(stolen_in_second) + 1)
    ]


@pytest.mark.parametrize(
    ("stolen", "quiet"),
    [
        ((0, 0, 0), True),
        ((0, 0), False),  # two seconds do not say what three are like
        ((0, 25, 0), False),
        ((25, 0, 0, 0), True),  # it was stolen before
        ((2, 2, 2), True),
        ((2, 2, 3), False),
    ],
)
def test_a_computer_is_quiet_when_three_seconds_had_hardly_anything_stolen(
    stolen: tuple[int, ...], quiet: bool
) -> None:
    assert QUIET_STEAL * 3 * OF_A_SECOND == 6
    assert is_quiet(readings(*stolen), quiet_s=3.0) is quiet
