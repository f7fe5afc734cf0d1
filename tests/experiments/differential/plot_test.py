# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hybridnet.experiments.common.linux_flows import LinuxFlow
from hybridnet.experiments.differential.cells import PAYLOAD, Cell, Measured
from hybridnet.experiments.differential.plot import plot_throughputs, plot_windows
from tests.experiments.pictures import curves_of, figure_of

CELLS = [Cell(True, "reno", 0.02, 0.001), Cell(False, "cubic", 0.02, 0.001)]


def test_every_round_is_a_dot_beside_its_cell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "throughputs.png"
    measured = [Measured(CELLS[0], [8e6, 9e6], [7e6]), Measured(CELLS[1], [5e6], [])]
    figure = figure_of(monkeypatch, path, lambda: plot_throughputs(path, measured))
    curves = curves_of(figure.axes[0])
    assert curves["simulated, each round"] == (pytest.approx([-0.15, -0.15, 0.85]), [8.0, 9.0, 5.0])
    assert curves["Linux, each round"] == ([0.15], [7.0])
    assert curves["formula"][1] == [cell.formula_bps / 1e6 for cell in CELLS]


def test_windows_of_both_senders_are_in_segments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "windows.png"
    row = dict.fromkeys(LinuxFlow.columns, 0.0) | {"time_s": 1.0, "cwnd_segments": 12.0}
    real = LinuxFlow([tuple(row.values())], 0.0)
    simulated: Any = SimpleNamespace(samples={"time_s": [1.0], "cwnd_bytes": [10.0 * PAYLOAD]})
    names = [str(cell) for cell in CELLS]
    figure = figure_of(
        monkeypatch,
        path,
        lambda: plot_windows(path, CELLS, dict.fromkeys(names, simulated), dict.fromkeys(names, real)),
    )
    assert [panel.get_title() for panel in figure.axes[:2]] == names
    assert curves_of(figure.axes[0]) == {"Linux": ([1.0], [12.0]), "simulated": ([1.0], [10.0])}
