# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hybridnet.experiments.common.tcp_plot import plot_curves, plot_dumbbell, plot_friendly, plot_windows
from hybridnet.experiments.dumbbell.network import Step
from hybridnet.experiments.tcp_friendly.experiment import Point
from hybridnet.observe.results.estimate import Estimate
from tests.experiments.pictures import curves_of, figure_of

THROUGHPUT = Estimate(mean=20_480.0, half_width=2_048.0, replications=5)


def point(mss: int, loss: float) -> Point:
    return Point(mss, loss, 65_535, THROUGHPUT, None, 1.0, 5, 5, 0.1, 0.0)


def test_friendly_has_a_panel_for_each_segment_size_and_formulas_where_something_is_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = [point(mss, loss) for mss in (536, 1460) for loss in (0.0, 0.01, 0.04)]
    path = tmp_path / "friendly.png"
    figure = figure_of(monkeypatch, path, lambda: plot_friendly(path, points))
    assert [panel.get_title() for panel in figure.axes] == [
        "segments of 1460 bytes",
        "segments of 536 bytes",
    ]
    at, periodic = curves_of(figure.axes[0])["1.22·MSS/(RTT·√p)"]
    assert at == pytest.approx([1, 4])
    assert periodic[0] / periodic[1] == pytest.approx(2)  # the root of four times the loss
    assert figure.axes[0].get_ylim() == pytest.approx((0, 1.2 * 22))  # KiB/s


def test_curves_have_their_losses_in_percent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "curves.png"
    curve = [(0.01, Estimate(5.0, 1.0, 3)), (0.02, Estimate(4.0, 0.5, 3))]
    figure = figure_of(monkeypatch, path, lambda: plot_curves(path, "a title", "ms", {"reno": curve}))
    [panel] = figure.axes
    [bars] = panel.containers
    assert (bars.get_label(), panel.get_ylabel(), panel.get_title()) == ("reno", "ms", "a title")
    assert list(bars[0].get_xdata()) == pytest.approx([1, 2])
    assert list(bars[0].get_ydata()) == [5.0, 4.0]


def test_windows_of_at_most_six_replications_are_drawn_over_their_first_seconds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "windows.png"
    samples = {"time_s": [0.0, 1.0, 70.0], "cwnd_bytes": [1024.0, 2048.0, 4096.0]}
    results: list[Any] = [
        SimpleNamespace(samples=samples, case=SimpleNamespace(label=f"seed {seed}")) for seed in range(14)
    ]
    figure = figure_of(monkeypatch, path, lambda: plot_windows(path, results))
    assert [panel.get_title() for panel in figure.axes] == [f"seed {seed}" for seed in range(0, 12, 2)]
    [line] = figure.axes[0].get_lines()
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0.0, 1.0], [1.0, 2.0])


def test_the_dumbbell_has_goodput_over_time_beside_the_speed_of_each_step(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "dumbbell.png"
    steps = [Step(flows, (5e8,) * flows, 2.0, 1.0, 0.5, 1000) for flows in (1, 4)]
    series = {"trains": [(1.0, 5e8), (3.0, 2e9)]}
    figure = figure_of(monkeypatch, path, lambda: plot_dumbbell(path, {"trains": steps}, series))
    over_time, speeds = figure.axes
    assert curves_of(over_time)["trains"] == ([1.0, 3.0], [0.5, 2.0])  # Gbit/s
    assert curves_of(speeds)["trains"] == ([1, 4], [4.0, 4.0])
    [limit] = over_time.patches
    assert list(limit.get_data().edges) == [0.0, 2.0, 4.0]
