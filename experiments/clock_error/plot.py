# SPDX-License-Identifier: MIT
"""The picture of clock-error: errors of delay and of order over the error of the clock."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from hybridnet.experiments.clock_error.network import SENDERS

if TYPE_CHECKING:
    from hybridnet.experiments.clock_error.experiment import Point


def plot(path: Path, points: Sequence[Point]) -> None:
    """Draw the error of the delay (above) and the share of packets out of order (below): by offset, by drift."""
    figure, grid = plt.subplots(2, 2, figsize=(11, 8), constrained_layout=True, sharex="col")
    styles = {"told": "o--", "measured": "s-"}
    for column, (label, drifting) in enumerate(
        (("second clock ahead, ms", False), ("second clock gains, ppm", True))
    ):
        chosen = [point for point in points if (point.drift_ppm > 0) == drifting]
        for clocks, style in styles.items():
            own = [point for point in chosen if point.clocks == clocks]
            at = [point.drift_ppm if drifting else point.ahead_us / 1e3 for point in own]
            for number, (sink, (_, way)) in enumerate(SENDERS.items()):
                errors = [point.errors[sink] for point in own]
                # Both ways are often alike: an open marker in another one stays visible.
                look = {"color": f"C{number}", "fillstyle": "none", "markersize": 9 - 4 * number}
                look |= {"label": f"{clocks} clocks, {way}"}
                grid[0][column].plot(at, [each.delay_ns / 1e6 for each in errors], style, **look)
                grid[1][column].plot(at, [100 * each.misplaced for each in errors], style, **look)
        grid[1][column].set_xlabel(label)
        for row in (0, 1):
            grid[row][column].grid(alpha=0.3)
    grid[0][0].set_ylabel("error of the one-way delay, ms")
    grid[1][0].set_ylabel("packets out of order, %")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(styles))  # inside, it covers points
    figure.savefig(path, dpi=110)
    plt.close(figure)
