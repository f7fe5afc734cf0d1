# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.experiments.hedera.plot import plot_bandwidth
from tests.experiments.pictures import figure_of


def test_bars_are_means_over_the_rounds_beside_each_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "hedera.png"
    found = {
        "ecmp": {"stride": [4e6, 6e6], "random": [8e6, 8e6]},
        "hedera": {"stride": [9e6, 9e6], "random": [7e6, 9e6]},
    }
    figure = figure_of(monkeypatch, path, lambda: plot_bandwidth(path, found, 10.0))
    [panel] = figure.axes
    heights = [
        [bar.get_height() for bar in of_arm] for of_arm in panel.containers if hasattr(of_arm, "patches")
    ]
    assert heights == [[5.0, 8.0], [9.0, 8.0]]
    assert [each.get_text() for each in panel.get_xticklabels()] == ["stride", "random"]
