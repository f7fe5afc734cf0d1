# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np

from hybridnet.experiments.tlem.latency import Accuracy, median_of


def off_by(*errors_us: float, sent: int | None = None) -> Accuracy:
    return Accuracy(2_000.0, np.array(errors_us) * 1e3, sent or len(errors_us))


def test_a_packet_off_by_the_tolerance_counts_and_one_beyond_does_not() -> None:
    assert off_by(50.0, -50.0, 50.1, -50.1).share_within == 0.5


def test_a_lost_packet_did_not_come_in_time() -> None:
    assert off_by(0.0, sent=2).share_within == 0.5
    assert "1 lost" in off_by(0.0, sent=2).check().measured


def test_the_promise_needs_95_of_100() -> None:
    assert off_by(*[1.0] * 95, *[90.0] * 5).check().holds
    assert not off_by(*[1.0] * 94, *[90.0] * 6).check().holds


def test_the_median_round_decides_and_of_two_the_worse() -> None:
    best, middle, worst = off_by(0.0, 0.0), off_by(0.0, 99.0), off_by(99.0, 99.0)
    assert median_of([best, worst, middle]) is middle
    assert median_of([best, worst]) is worst
