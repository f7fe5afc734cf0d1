# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hybridnet.experiments.tlem.latency import SHARE, Accuracy, median_of
from hybridnet.experiments.tlem.report import plot_errors
from tests.experiments.pictures import curves_of, figure_of


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


def test_the_picture_says_which_part_of_all_packets_sent_is_off_by_how_much(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "latency.png"
    accuracies = [off_by(30.0, -10.0, 20.0, sent=4), off_by(5.0)]
    figure = figure_of(monkeypatch, path, lambda: plot_errors(path, accuracies))
    [panel] = figure.axes
    curves = curves_of(panel)
    assert curves == {"round 1": ([-10.0, 20.0, 30.0], [1 / 4, 2 / 4, 3 / 4]), "round 2": ([5.0], [1.0])}
    assert list(panel.get_lines()[-1].get_ydata()) == [SHARE, SHARE]
