# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.experiments.clock_error.experiment import Point
from hybridnet.experiments.clock_error.network import SENDERS, Errors
from hybridnet.experiments.clock_error.plot import plot
from tests.experiments.pictures import curves_of, figure_of


def test_errors_by_offset_and_by_drift_have_columns_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "clock.png"
    errors = dict.fromkeys(SENDERS, Errors(2e6, (1e6, 3e6), 0.25, 100))
    points = [Point("told", 500, 0, 5e5, errors), Point("measured", 0, 20, 1e5, errors)]
    figure = figure_of(monkeypatch, path, lambda: plot(path, points))
    delay_by_offset, delay_by_drift, order_by_offset, _ = figure.axes
    way = next(iter(SENDERS.values()))[1]
    assert curves_of(delay_by_offset)[f"told clocks, {way}"] == ([0.5], [2.0])  # ms
    assert curves_of(delay_by_drift)[f"measured clocks, {way}"] == ([20], [2.0])
    assert curves_of(order_by_offset)[f"told clocks, {way}"] == ([0.5], [25.0])  # %
