# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.cli.doctor_machines import Way, opinions_of

GOOD = Way("m1", "m2", 1e-4, 9e9, 9e9, 0.001, 20.0, 5.0, 0)


def test_a_good_way_has_nothing_worth_knowing() -> None:
    assert opinions_of(GOOD) == []


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (replace(GOOD, rtt_s=2e-3), "--cut-delay 2ms"),
        (replace(GOOD, back_bps=94e6), "all cut links share 94 Mbit/s"),
        (replace(GOOD, clock_offset_s=-3.5), "times of day differ by -3.5 s"),
        (replace(GOOD, drift_ppm=-400.0), "drift apart by -400 ppm"),
        (replace(GOOD, lost=3), "3 datagrams were lost"),
    ],
)
def test_what_is_wrong_comes_with_its_cure(way: Way, says: str) -> None:
    [opinion] = opinions_of(way)
    assert says in opinion
    assert "→" in opinion


def test_a_drift_within_its_error_is_none() -> None:
    assert opinions_of(replace(GOOD, drift_ppm=150.0, drift_error_ppm=80.0)) == []
