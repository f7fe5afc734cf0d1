# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.experiments.dumbbell.network import Step, climb


def step(*goodput_bps: float) -> Step:
    return Step(len(goodput_bps), goodput_bps, 30.0, 10.0, 5.0, 1000)


def test_fairness_is_one_for_equals_and_one_in_n_for_a_monopoly():
    assert step(3.0, 3.0, 3.0).fairness == pytest.approx(1)
    assert step(9.0, 0.0, 0.0).fairness == pytest.approx(1 / 3)


def test_the_limit_is_the_demand_until_the_bottleneck():
    # 1448 of 1538 bytes are payload: 941.5 Mbit/s for each flow, 9415 Mbit/s for all
    assert step(*[1.0] * 4).limit_bps == pytest.approx(4 * 941.48e6, rel=1e-4)
    assert step(*[1.0] * 64).limit_bps == pytest.approx(9414.8e6, rel=1e-4)


def test_speed_is_of_the_processor():
    assert step(1.0).speed == 6.0


@pytest.mark.parametrize("trains", [True, False])
def test_two_flows_fill_their_access_links(trains):
    heard: list[Step] = []
    steps, series = climb((1, 2), 1.0, trains, heard.append)  # the first losses are in the first half
    assert heard == steps
    assert len(series) == 20
    for each in steps:
        assert each.total_bps == pytest.approx(each.limit_bps, rel=0.03)
