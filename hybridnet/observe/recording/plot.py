# SPDX-License-Identifier: MIT
"""Draws the pictures of a run into files, with matplotlib; and the distributions of what they show (``cdf``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from hybridnet.errors import UsageError
from hybridnet.observe.recording.pictures import (
    SPREAD,
    Line,
    Picture,
    drawn_folders,
    pictures_in,
    slowdowns_of,
    span_of,
    total_of,
)
from hybridnet.observe.series.table import has_series

__all__ = ["MOST_LINES", "draw_figure", "plot_run", "say_what_is_missing"]

MOST_LINES = 12  # of a picture: those with the greatest mean; a note counts the others
_SIZE_INCHES = (8.0, 4.5)
_DPI = 120


def plot_run(run: Path, out: Path | None = None, seed: int | None = None, form: str = "png") -> list[Path]:
    """Draw the pictures of a run for which there are samples.

    Args:
        run: the run directory.
        out: the folder of the pictures; None: ``plots`` in the run directory.
        seed: of a simulation, which replication; None: the first; of its flows all.
        form: png, svg or pdf.

    Returns:
        The paths of the pictures.

    Raises:
        UsageError: the run has no series, or nothing in it can be drawn.
    """
    target = run / "plots" if out is None else out
    drawn = []
    if slowdowns := slowdowns_of(run, seed):
        target.mkdir(parents=True, exist_ok=True)
        drawn.append(target / f"slowdown.{form}")
        _draw_slowdowns(slowdowns, drawn[-1])
    folders = drawn_folders(run) if not drawn or has_series(run) else []
    for folder in folders:
        prefix = "" if len(folders) == 1 else f"{folder.name}-"
        pictures = pictures_in(folder, seed)
        if pictures:
            target.mkdir(parents=True, exist_ok=True)
        for picture in pictures:
            drawn.append(target / f"{prefix}{picture.name}.{form}")
            _draw(picture, drawn[-1], span_of(pictures))
        curves = [each for each in pictures if each.name in SPREAD]
        if curves:
            drawn.append(target / f"{prefix}cdf.{form}")
            _draw_distributions(curves, drawn[-1])
    if not drawn:
        raise UsageError(
            f"{run}: its series has neither flows, queues nor instances, so there is nothing to draw"
        )
    return drawn


def _draw(picture: Picture, path: Path, span: tuple[float, float] | None) -> None:
    def draw(axes: Any) -> None:
        shown = sorted(picture.lines, key=lambda line: -line.values.mean())[:MOST_LINES]
        for line in shown:
            if picture.histogram:
                axes.stairs(line.values, line.times, label=line.name, linewidth=1.0)
            else:
                axes.plot(line.times, line.values, label=line.name, linewidth=1.0)
        if picture.total and len(picture.lines) > 1:
            whole = total_of(picture.lines)
            axes.plot(whole.times, whole.values, label=whole.name, color="black", linewidth=1.6)
        axes.set_xlabel(picture.axis if picture.histogram else "time (s)")
        axes.set_ylabel("share of packets" if picture.histogram else picture.axis)
        axes.set_ylim(bottom=0)
        if span is not None and not picture.histogram and span[0] < span[1]:
            axes.set_xlim(span)
        axes.set_title(picture.title, fontsize=10, loc="left")
        say_what_is_missing(axes, len(picture.lines) - len(shown))

    draw_figure(path, [draw])


def _draw_slowdowns(lines: list[Line], path: Path) -> None:
    def draw(axes: Any) -> None:
        for line in lines:
            axes.plot(line.times, line.values, label=line.name, linewidth=1.0, marker=".")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("size of the flow (bytes)")
        axes.set_ylabel("slowdown")
        axes.set_title("Slowdown of flows by size", fontsize=10, loc="left")
        say_what_is_missing(axes, 0)

    draw_figure(path, [draw])


def _draw_distributions(pictures: list[Picture], path: Path) -> None:
    def drawing(picture: Picture) -> Callable[[Any], None]:
        def draw(axes: Any) -> None:
            shown = sorted(picture.lines, key=lambda line: -line.values.mean())[:MOST_LINES]
            for line in shown:
                share = numpy.arange(1, len(line.values) + 1) / len(line.values)
                axes.step(numpy.sort(line.values), share, where="post", label=line.name, linewidth=1.0)
            axes.set_xlabel(picture.axis)
            axes.set_ylabel("share of samples")
            axes.set_title(picture.title, fontsize=10, loc="left")
            axes.set_ylim(0, 1)
            say_what_is_missing(axes, len(picture.lines) - len(shown))

        return draw

    draw_figure(path, [drawing(picture) for picture in pictures])


def say_what_is_missing(axes: Any, count: int) -> None:
    """Add the grid, the legend, and how many lines are not drawn."""
    if count > 0:
        axes.set_title(f"and {count} more", fontsize=8, loc="right")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=8, loc="best")


def draw_figure(path: Path, drawings: list[Callable[[Any], None]]) -> None:
    """Write a file with drawings side by side.

    Args:
        path: its name ends with png, svg or pdf.
        drawings: each is given the axes to draw on.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(_SIZE_INCHES[0] * (1 + 0.5 * (len(drawings) - 1)), _SIZE_INCHES[1]), layout="constrained"
    )
    FigureCanvasAgg(figure)
    for number, draw in enumerate(drawings, start=1):
        draw(figure.add_subplot(1, len(drawings), number))
    figure.savefig(path, dpi=_DPI, metadata={"Date": None} if path.suffix == ".svg" else None)
