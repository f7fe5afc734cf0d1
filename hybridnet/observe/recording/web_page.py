# SPDX-License-Identifier: MIT
"""The pictures of a run as one file that a browser opens: to zoom in, to read off values, to choose lines.

The file has everything in it, the figures and the libraries, and asks nobody for anything: it can be sent and kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy

from hybridnet.errors import UsageError
from hybridnet.observe.recording.figures import manifest_of
from hybridnet.observe.recording.pictures import (
    SPREAD,
    Line,
    Picture,
    drawn_folders,
    pictures_in,
    span_of,
    total_of,
)
from hybridnet.observe.results.run_directory import read_object

__all__ = ["LIBRARIES", "write_web_page"]

LIBRARIES = ("uPlot.iife.min.js", "uPlot.min.css")
MOST_LINES = 100  # of a chart: those with the greatest mean; a note counts the others
INSTANTS = 8000  # of a chart; of more, values are means over equal times
SHARES = 400  # points of a distribution
_STATIC = Path(__file__).parent / "static"
_NAME = "run.html"
_PLACE = re.compile(r"/\*(style|data|library|script)\*/")  # in pictures.html


def write_web_page(
    run: Path, libraries: Mapping[str, str], out: Path | None = None, seed: int | None = None
) -> Path:
    """Write the page of a run's pictures.

    Args:
        run: the run directory.
        libraries: the texts of `LIBRARIES`.
        out: the folder; None: ``plots`` in the run directory.
        seed: of a simulation, which replication; None: the first.

    Returns:
        The path of the page.

    Raises:
        UsageError: the run has no series, or nothing in it can be drawn.
    """
    networks = []
    for folder in drawn_folders(run):
        pictures = pictures_in(folder, seed)
        span = span_of(pictures)
        charts = [chart for picture in pictures for chart in _charts(picture, span)]
        if charts:
            networks.append({"name": folder.name if folder != run else "", "charts": charts})
    if not networks:
        raise UsageError(
            f"{run}: its series has neither flows, queues nor instances, so there is nothing to draw"
        )
    target = run / "plots" if out is None else out
    target.mkdir(parents=True, exist_ok=True)
    page = target / _NAME
    page.write_text(_page({**_facts(run), "networks": networks}, libraries), encoding="utf-8")
    return page


def _facts(run: Path) -> dict[str, object]:
    """What stands above the charts; what is not there is left out: a run that was killed has no verdict."""
    try:
        manifest = manifest_of(run)
    except UsageError:
        manifest = {}
    words = [manifest.get("verb", ""), *manifest.get("arguments", [])]
    facts: dict[str, object] = {
        "name": run.resolve().name,
        "command": " ".join(word for word in words if word),
        "began": manifest.get("began", ""),
    }
    for key in ("verdict", "results"):
        if (file := run / f"{key}.json").is_file():
            facts[key] = read_object(file)
    return facts


def _page(data: dict[str, object], libraries: Mapping[str, str]) -> str:
    # Whatever a name of the network has in it, no tag begins or ends in the data.
    parts = {
        "style": libraries["uPlot.min.css"] + _static("pictures.css"),
        "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "library": libraries["uPlot.iife.min.js"],
        "script": _static("pictures.js"),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _static("pictures.html"))


def _static(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _charts(picture: Picture, span: tuple[float, float] | None) -> list[dict[str, object]]:
    """The picture, and the distribution of its values where that is of interest.

    Args:
        span: what every chart over time shows.
    """
    shown = sorted(picture.lines, key=lambda line: -float(line.values.mean()))[:MOST_LINES]
    common = {"more": len(picture.lines) - len(shown)}
    if picture.histogram:
        charts = [_histogram(picture, shown)]
    else:
        charts = [_over_time(picture, shown, span)]
        if picture.name in SPREAD:
            charts.append(_distribution(picture, shown))
    return [{**chart, **common} for chart in charts]


def _over_time(picture: Picture, shown: list[Line], span: tuple[float, float] | None) -> dict[str, object]:
    drawn = [total_of(picture.lines), *shown] if picture.total and len(picture.lines) > 1 else shown
    instants, columns, mean_of_s = _together(drawn, span)
    return {
        "kind": "time",
        "title": picture.title,
        "x": "time (s)",
        "y": picture.axis,
        "mean_of_s": mean_of_s,
        "total": drawn is not shown,
        "points": _numbers(instants),
        "lines": [
            {"name": line.name, "values": _numbers(column)}
            for line, column in zip(drawn, columns, strict=True)
        ],
    }


def _together(lines: list[Line], span: tuple[float, float] | None) -> tuple[Any, list[Any], float | None]:
    """All lines at the same instants, nan where one has no value; and over how long values are means."""
    instants = numpy.unique(numpy.concatenate([*(line.times for line in lines), span or ()]))
    if len(instants) <= INSTANTS:
        columns = []
        for line in lines:
            column = numpy.full(len(instants), numpy.nan)
            column[numpy.searchsorted(instants, line.times)] = line.values
            columns.append(column)
        return instants, columns, None
    width = (instants[-1] - instants[0]) / INSTANTS
    return (
        instants[0] + (numpy.arange(INSTANTS) + 0.5) * width,
        [_means(line, instants[0], width) for line in lines],
        float(width),
    )


def _means(line: Line, begin: float, width: float) -> Any:
    places = numpy.minimum(((line.times - begin) / width).astype(int), INSTANTS - 1)
    counts = numpy.bincount(places, minlength=INSTANTS)
    sums = numpy.bincount(places, weights=line.values, minlength=INSTANTS)
    return numpy.divide(sums, counts, out=numpy.full(INSTANTS, numpy.nan), where=counts > 0)


def _distribution(picture: Picture, shown: list[Line]) -> dict[str, object]:
    most = max(float(line.values.max()) for line in shown)
    points = numpy.linspace(0.0, most or 1.0, SHARES)
    return {
        "kind": "distribution",
        "title": f"{picture.title}: distribution",
        "x": picture.axis,
        "y": "share of samples at or below",
        "points": _numbers(points),
        "lines": [
            {
                "name": line.name,
                "values": _numbers(
                    numpy.searchsorted(numpy.sort(line.values), points, side="right") / len(line.values)
                ),
            }
            for line in shown
        ],
    }


def _histogram(picture: Picture, shown: list[Line]) -> dict[str, object]:
    """All lines of a histogram have the same bins; the last edge repeats the last bin, as steps are drawn."""
    return {
        "kind": "histogram",
        "title": picture.title,
        "x": picture.axis,
        "y": "share of packets",
        "points": _numbers(shown[0].times),
        "lines": [
            {"name": line.name, "values": _numbers(numpy.append(line.values, line.values[-1]))}
            for line in shown
        ],
    }


def _numbers(values: Any) -> list[float | None]:
    """To six digits, as nobody sees more; null for what is not known."""
    return [float(f"{value:.6g}") if numpy.isfinite(value) else None for value in values.tolist()]
