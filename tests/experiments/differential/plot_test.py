# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hybridnet.experiments.common.linux_flows import LinuxFlow
from hybridnet.experiments.differential.cells import PAYLOAD, Cell, Measured
from hybridnet.experiments.differential.columns import Column
from hybridnet.experiments.differential.pairings import LINUX, SIMULATED
from hybridnet.experiments.differential.plot import plot_columns, plot_throughputs, plot_windows
from hybridnet.experiments.differential.ranges import cells_of
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


def test_the_columns_are_drawn_in_parts_of_linuxs_median(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "columns.png"
    column = Column("a column", "", ("throughput_mbps", "resent_percent"))
    found = {
        ("a column", LINUX): [
            {"throughput_mbps": rate, "resent_percent": 0.0} for rate in (8.0, 10.0, 10.0, 12.0)
        ],
        ("a column", SIMULATED): [{"throughput_mbps": 5.0, "resent_percent": 0.25}],
    }
    figure = figure_of(monkeypatch, path, lambda: plot_columns(path, cells_of([column], found, None)))
    [bar, nothing] = figure.axes[0].patches
    assert (bar.get_x(), bar.get_width(), nothing.get_width()) == (0.8, pytest.approx(0.4), 0.0)
    # what Linux has nothing of is drawn from 1 on
    assert curves_of(figure.axes[0])["simulated to simulated"] == ([0.5, 1.25], [0, 1])
