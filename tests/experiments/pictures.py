# SPDX-License-Identifier: MIT
"""What experiments draw, for tests: the figures themselves instead of their pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PNG = b"\x89PNG"


def figure_of(monkeypatch: pytest.MonkeyPatch, path: Path, draw: Callable[[], None]) -> Any:
    """The figure that `draw` makes, and has written to `path`."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    closed: list[Any] = []
    monkeypatch.setattr(pyplot, "close", closed.append)
    draw()
    monkeypatch.undo()
    assert path.read_bytes().startswith(PNG)
    [figure] = closed
    pyplot.close(figure)
    return figure


def curves_of(panel: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The lines of a panel that have a name: where their points are."""
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in panel.get_lines()
        if not line.get_label().startswith("_")
    }
