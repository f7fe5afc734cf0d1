# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.errors import ExperimentError
from hybridnet.experiments.shared_queue.host_delay import PINGS, HostDelay, host_delay_of


def test_the_least_and_the_median_of_the_round_trips_less_what_the_network_takes() -> None:
    third = PINGS // 3 + 1
    found = host_delay_of([0.0201] * third + [0.02018] * third + [0.029] * third, 0.020)
    assert found.least_s == pytest.approx(100e-6)
    assert found.median_s == pytest.approx(180e-6)


def test_a_link_crossed_four_times_takes_a_quarter_and_never_less_than_that_of_the_least() -> None:
    options = HostDelay(least_s=100e-6, median_s=180e-6).link_options(4)
    assert options == {"delay": "45.0us", "jitter": "20.0us", "keep_order": True}


def test_too_few_answers_are_no_measurement() -> None:
    with pytest.raises(ExperimentError, match="10 of 4000 pings were answered"):
        host_delay_of([0.0201] * 10, 0.020)


def test_answers_sooner_than_the_network_allows_are_an_error() -> None:
    with pytest.raises(ExperimentError, match=r"in 15\.000 ms, of which their network needs 20\.000 ms"):
        host_delay_of([0.015] * PINGS, 0.020)
