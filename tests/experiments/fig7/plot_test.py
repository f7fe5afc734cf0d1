# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.experiments.fig7.plot import plot
from tests.experiments.pictures import curves_of, figure_of


def test_an_arm_that_takes_twice_as_long_carries_half_as_much_over_wall_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "fig7.png"
    goodput = [(1.0, 1e9), (2.0, 4e9)]
    figure = figure_of(monkeypatch, path, lambda: plot(path, goodput, {"slow": 2.0}, [1e9, 4e9], 1.0, 100.0))
    [panel] = figure.axes
    curves = curves_of(panel)
    assert curves["simulated time, all arms"] == ([1.0, 2.0], [1.0, 4.0])
    assert curves["wall time, slow"] == ([2.0, 4.0], [0.5, 2.0])
    assert curves["the paper's wall time stayed below"][1] == [0.1, 0.1]
