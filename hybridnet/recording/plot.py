# SPDX-License-Identifier: MIT
"""The usual pictures of a run, out of its time series.

throughput   of each flow, and of all together      queue   packets that wait in front of a link
rtt, cwnd    of each TCP connection                 cdf     how the values of these are distributed
lateness     of the instances, and how busy the processors were

A flow is a TCP connection that sends; where there is none, an application that receives, or else a host's interface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from hybridnet.errors import UsageError
from hybridnet.series.table import SeriesTable, read_series, series_folders

__all__ = ["FORMATS", "plot_run"]

FORMATS = ("png", "svg", "pdf")
MOST_LINES = 12  # of a picture: those with the greatest mean; a note counts the others
_LEAST_SHARE = 0.01  # of the busiest flow: what sent less is no flow
_SIZE_INCHES = (8.0, 4.5)
_DPI = 120


@dataclass(frozen=True)
class Line:
    """What is drawn of one element: instants in seconds, and values in the picture's unit."""

    name: str
    times: Any
    values: Any


@dataclass(frozen=True)
class Picture:
    """One picture.

    Args:
        name: of its file, and of what it shows.
        axis: what stands beside its values.
        lines: what it shows.
        total: whether it also shows their sum.
    """

    name: str
    axis: str
    lines: list[Line]
    total: bool = False


def plot_run(run: Path, out: Path | None = None, seed: int | None = None, form: str = "png") -> list[Path]:
    """Draw the pictures of a run for which there are samples.

    Args:
        run: the run directory.
        out: the folder of the pictures; None: ``plots`` in the run directory.
        seed: of a simulation, which replication; None: the first.
        form: one of `FORMATS`.

    Returns:
        The paths of the pictures.

    Raises:
        UsageError: the run has no series, or nothing in it can be drawn.
    """
    folders = series_folders(run)
    target = run / "plots" if out is None else out
    drawn = []
    for folder in folders:
        prefix = "" if len(folders) == 1 else f"{folder.name}-"
        pictures = [each for each in pictures_of(read_series(folder, seed)) if each.lines]
        if pictures:
            target.mkdir(parents=True, exist_ok=True)
        for picture in pictures:
            drawn.append(target / f"{prefix}{picture.name}.{form}")
            _draw(picture, drawn[-1])
        curves = [each for each in pictures if each.name in ("throughput", "rtt", "queue")]
        if curves:
            drawn.append(target / f"{prefix}cdf.{form}")
            _draw_distributions(curves, drawn[-1])
    if not drawn:
        raise UsageError(
            f"{run}: its series has neither flows, queues nor instances, so there is nothing to draw"
        )
    return drawn


def pictures_of(series: SeriesTable) -> list[Picture]:
    """What can be drawn of a series."""
    sending = {line.name for line in _flows_of(series, "connections", "acknowledged_bytes")}

    def of_connections(name: str, scale: float) -> list[Line]:
        return [
            Line(element, times, scale * values)
            for element, times, values in series.each("connections", name)
            if element in sending
        ]

    return [
        Picture("throughput", "Mbit/s", _flows(series), total=True),
        Picture("queue", "packets that wait", _changing(series.each("links", "queue_packets"))),
        Picture("rtt", "smoothed round trip (ms)", of_connections("srtt_ns", 1e-6)),
        Picture("cwnd", "congestion window (kB)", of_connections("cwnd_bytes", 1e-3)),
        Picture(
            "lateness",
            "lateness p99.9 (ms); processors busy (share)",
            [
                *(
                    Line(f"{element} late", t, 1e-6 * v)
                    for element, t, v in series.each("instances", "lateness_p999_ns")
                ),
                *(
                    Line(f"{element} busy", t, v)
                    for element, t, v in series.each("machines", "processor_busy")
                ),
            ],
        ),
    ]


def _flows(series: SeriesTable) -> list[Line]:
    for kind, names in (
        ("connections", ("acknowledged_bytes",)),
        ("applications", ("received_bytes",)),
        ("interfaces", ("rx_bytes", "in_bytes")),
    ):
        if lines := [line for name in names for line in _flows_of(series, kind, name)]:
            return lines
    return []


def _flows_of(series: SeriesTable, kind: str, name: str) -> list[Line]:
    """The rates of what sent at least a hundredth of what the busiest did."""
    found = [
        (element, times, values) for element, times, values in series.each(kind, name) if len(values) > 1
    ]
    most = max((values[-1] - values[0] for _, _, values in found), default=0.0)
    return [
        Line(element, times[1:], 8e-6 * numpy.diff(values) / numpy.diff(times))
        for element, times, values in found
        if most > 0 and values[-1] - values[0] > _LEAST_SHARE * most
    ]


def _changing(rows: Iterable[tuple[str, Any, Any]]) -> list[Line]:
    return [Line(*row) for row in rows if row[2].any()]


def _total(lines: list[Line]) -> Line:
    """The sum, at all their instants; a flow counts between its first and its last sample."""
    times = numpy.unique(numpy.concatenate([line.times for line in lines]))
    values = sum(numpy.interp(times, line.times, line.values, left=0.0, right=0.0) for line in lines)
    return Line("together", times, values)


def _draw(picture: Picture, path: Path) -> None:
    def draw(axes: Any) -> None:
        shown = sorted(picture.lines, key=lambda line: -line.values.mean())[:MOST_LINES]
        for line in shown:
            axes.plot(line.times, line.values, label=line.name, linewidth=1.0)
        if picture.total and len(picture.lines) > 1:
            whole = _total(picture.lines)
            axes.plot(whole.times, whole.values, label=whole.name, color="black", linewidth=1.6)
        axes.set_xlabel("time (s)")
        axes.set_ylabel(picture.axis)
        axes.set_ylim(bottom=0)
        _say_what_is_missing(axes, len(picture.lines) - len(shown))

    _figure(path, 1, [draw])


def _draw_distributions(pictures: list[Picture], path: Path) -> None:
    def drawing(picture: Picture) -> Callable[[Any], None]:
        def draw(axes: Any) -> None:
            shown = sorted(picture.lines, key=lambda line: -line.values.mean())[:MOST_LINES]
            for line in shown:
                share = numpy.arange(1, len(line.values) + 1) / len(line.values)
                axes.step(numpy.sort(line.values), share, where="post", label=line.name, linewidth=1.0)
            axes.set_xlabel(picture.axis if picture.name != "throughput" else "throughput (Mbit/s)")
            axes.set_ylabel("share of samples")
            axes.set_ylim(0, 1)
            _say_what_is_missing(axes, len(picture.lines) - len(shown))

        return draw

    _figure(path, len(pictures), [drawing(picture) for picture in pictures])


def _say_what_is_missing(axes: Any, count: int) -> None:
    if count > 0:
        axes.set_title(f"and {count} more", fontsize=8, loc="right")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=6, loc="best")


def _figure(path: Path, columns: int, drawings: list[Callable[[Any], None]]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(_SIZE_INCHES[0] * (1 + 0.5 * (columns - 1)), _SIZE_INCHES[1]), layout="constrained"
    )
    FigureCanvasAgg(figure)
    for number, draw in enumerate(drawings, start=1):
        draw(figure.add_subplot(1, columns, number))
    figure.savefig(path, dpi=_DPI, metadata={"Date": None} if path.suffix == ".svg" else None)
