# SPDX-License-Identifier: MIT
"""The usual pictures of a run as data, out of its time series and its final histograms; others draw them.

throughput   of each flow, and of all together      queue   of a link, in packets
rtt, cwnd    of each TCP connection                 lateness     of the instances; processors: how busy they were
slowdown     of a workload's flows, by size          loss     for how long no ping of a stream was answered
queue-wait, queue-found     of links with ``watch_queue``: how long packets waited, and how many others they found

A flow is a TCP connection that sends; where there is none, an application that receives, or else a host's interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy
import pyarrow
from pyarrow import parquet

from hybridnet.describe.values import parse_json, why_unread
from hybridnet.errors import UsageError
from hybridnet.observe.recording.flow_names import flow_names
from hybridnet.observe.results.run_directory import FLOWS, PINGS, PLAN, read_object
from hybridnet.observe.series.figures import Histogram, histograms_of
from hybridnet.observe.series.table import SeriesTable, has_series, read_series, series_folders

__all__ = [
    "SPREAD", "Line", "Picture", "drawn_folders", "histogram_pictures", "loss_of", "pictures_in", "pictures_of",
    "slowdowns_of", "span_of", "total_of",
]  # fmt: skip

SPREAD = ("throughput", "rtt", "queue")
"""The pictures whose values' distribution is of interest."""
FLOW_GROUPS = 20  # of equally many flows each
_FLOW_LEAST = 10  # of a group: its 95th percentile is no single flow
BINS = 40  # of a histogram that is drawn; those that are kept are finer
_UP_TO = 0.9995  # of the values: what is above would make the rest a line at the left
_LEAST_SHARE = 0.01  # of the busiest flow: what sent less is no flow
_ARRIVED = ("delivered_bytes", "acknowledged_bytes")
"""Of a connection, best first: what is acknowledged stops at a hole and then jumps; what is delivered counts SACK, too.
An older run may have only the other.
"""
_OF_QUEUES = (
    ("queue-wait", "How long packets waited", "queue_sojourn_ns", "time in the queue (ms)", 1e-6),
    (
        "queue-found",
        "How many other packets they found in the queue",
        "queue_others_packets",
        "other packets in the queue",
        1.0,
    ),
)


@dataclass(frozen=True)
class Line:
    """What is drawn of one element: instants in seconds, and values in the picture's unit; of a histogram the bins'
    edges, one more than there are values.
    """

    name: str
    times: Any
    values: Any


@dataclass(frozen=True)
class Picture:
    """One picture.

    Args:
        name: of its file, and of what it shows.
        title: what stands above it.
        axis: what stands beside its values; of a histogram, below its bins.
        lines: what it shows.
        total: whether it also shows their sum.
        histogram: whether its lines are histograms: shares of all.
    """

    name: str
    title: str
    axis: str
    lines: list[Line]
    total: bool = False
    histogram: bool = False


def drawn_folders(run: Path) -> list[Path]:
    """The folders of a run directory of which there are pictures over time: one for each network.

    Raises:
        UsageError: there is none.
    """
    with_pings = [folder for folder in (run, *sorted(run.glob("network-*"))) if (folder / PINGS).is_file()]
    if not has_series(run):
        return with_pings or series_folders(run)  # which says what there is not
    return sorted({*with_pings, *series_folders(run)})


def pictures_in(folder: Path, seed: int | None = None) -> list[Picture]:
    """Of one of these folders the pictures that show something. Raises UsageError: a file of it is damaged."""
    found = [
        Picture("loss", "For how long no ping was answered", "time without an answer (s)", loss_of(folder))
    ]
    if has_series(folder):
        found += [*pictures_of(read_series(folder, seed)), *histogram_pictures(folder, seed)]
    return _named([picture for picture in found if picture.lines], folder)


def _named(pictures: list[Picture], folder: Path) -> list[Picture]:
    """The same with names for connections, one in all of them, where the folder says what the network was."""
    if not (folder / PLAN).is_file():
        return pictures
    elements = dict.fromkeys(line.name for picture in pictures for line in picture.lines)
    names = flow_names(elements, read_object(folder / PLAN))

    def named(line: Line) -> Line:
        return replace(line, name=names.get(line.name, line.name))

    return [replace(picture, lines=list(map(named, picture.lines))) for picture in pictures]


def loss_of(folder: Path) -> list[Line]:
    """Of each stream of pings that a network's folder has, how long ago the last answered one had left, when another
    one left: 0, and a tooth where pings were lost, as high as they were lost for. One without answers has no line.

    Raises:
        UsageError: the file is damaged.
    """
    file = folder / PINGS
    if not file.is_file():
        return []
    try:
        return [
            Line(f"pings {row['ends']}", *_teeth(row))
            for row in parse_json(file.read_bytes())
            if row["answered"]
        ]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise UsageError(f"{file}: it is damaged: {why_unread(error)}; repeat the run") from None


def _teeth(row: Mapping[str, Any]) -> tuple[Any, Any]:
    answered, left_s, interval_s = row["answered"], row["left_s"], row["interval_s"]
    times, values = [left_s[0]], [0.0]
    for earlier, later, at, then in zip(answered, answered[1:], left_s, left_s[1:], strict=False):
        if later - earlier > 1:
            lost_s = then - interval_s - at
            times += [at, at + lost_s, then]
            values += [0.0, lost_s, 0.0]
    times.append(left_s[-1])
    values.append(0.0)
    if (after := row["sent"] - answered[-1]) > 0:  # nobody knows for how much longer
        times.append(left_s[-1] + after * interval_s)
        values.append(after * interval_s)
    return numpy.array(times), numpy.array(values)


def pictures_of(series: SeriesTable) -> list[Picture]:
    """What can be drawn of a series."""
    sending = {line.name for name in _ARRIVED for line in _flows_of(series, "connections", name)}

    def of_connections(name: str, scale: float) -> list[Line]:
        """None of these is ever 0: it is while there is no connection yet, and nothing to draw."""
        return [
            Line(element, times[values > 0], scale * values[values > 0])
            for element, times, values in series.each("connections", name)
            if element in sending and values.any()
        ]

    return [
        Picture("throughput", "Throughput of each flow", "throughput (Mbit/s)", _flows(series), total=True),
        Picture(
            "queue", "Queue of each link", "queue (packets)", _changing(series.each("links", "queue_packets"))
        ),
        Picture(
            "rtt",
            "Round trip of each TCP connection, smoothed",
            "smoothed round trip (ms)",
            of_connections("srtt_ns", 1e-6),
        ),
        Picture(
            "cwnd",
            "Congestion window of each TCP connection",
            "congestion window (kB)",
            of_connections("cwnd_bytes", 1e-3),
        ),
        Picture(
            "lateness",
            "Lateness of instances",
            "lateness p99.9 (ms)",
            [Line(name, t, 1e-6 * v) for name, t, v in series.each("instances", "lateness_p999_ns")],
        ),
        Picture(
            "processors",
            "How busy the processors of machines were",
            "busy (%)",
            [Line(name, t, 100 * v) for name, t, v in series.each("machines", "processor_busy")],
        ),
    ]


def _flows(series: SeriesTable) -> list[Line]:
    for kind, names in (
        *(("connections", (name,)) for name in _ARRIVED),
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
        _rate(element, times, values)
        for element, times, values in found
        if most > 0 and values[-1] - values[0] > _LEAST_SHARE * most
    ]


def _rate(element: str, times: Any, values: Any) -> Line:
    """From when it began: before, it is no flow, and no sample of one."""
    begin = max(0, int(numpy.argmax(values > 0)) - 1)
    times, values = times[begin:], values[begin:]
    return Line(element, times[1:], 8e-6 * numpy.diff(values) / numpy.diff(times))


def _changing(rows: Iterable[tuple[str, Any, Any]]) -> list[Line]:
    return [Line(*row) for row in rows if row[2].any()]


def slowdowns_of(folder: Path, seed: int | None = None) -> list[Line]:
    """The median, and the 95th and 99th percentile, of the slowdown of a simulation's counted flows over their size:
    the flows by size are cut into at most twenty groups of about equally many, each at its mean size; flows of one size
    are in one group. None: no flow finished.

    Args:
        folder: of the run; it may have no flows.
        seed: one replication; None: all.

    Raises:
        UsageError: the file is damaged, or has no such seed.
    """
    file = folder / FLOWS
    if not file.is_file():
        return []
    try:
        table = parquet.read_table(file, columns=["seed", "counted", "size_bytes", "slowdown"])
    except (OSError, pyarrow.ArrowException) as error:
        raise UsageError(f"{file}: it is damaged: {why_unread(error)}; repeat the run") from None
    seeds = set(table["seed"].to_pylist())
    if seed is not None and seed not in seeds:
        raise UsageError(
            f"{file}: it has no flows of seed {seed}; it has {', '.join(map(str, sorted(seeds)))}"
        )
    columns = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    points = sorted(
        (size, slowdown)
        for of_seed, counted, size, slowdown in columns
        if counted and slowdown is not None and seed in (None, of_seed)
    )
    if not points:
        return []
    groups = _groups(numpy.array(points))
    sizes = numpy.array([group[:, 0].mean() for group in groups])
    return [
        Line(name, sizes, numpy.array([numpy.percentile(group[:, 1], share) for group in groups]))
        for name, share in (("median", 50), ("95th percentile", 95), ("99th percentile", 99))
    ]


def _groups(points: Any) -> list[Any]:
    """Rows of size and slowdown, ascending, cut between sizes."""
    sizes = points[:, 0]
    count = min(FLOW_GROUPS, max(1, len(points) // _FLOW_LEAST))
    begins = [len(points) * group // count for group in range(1, count)]
    after_equal = numpy.searchsorted(sizes, [sizes[begin - 1] for begin in begins], side="right")
    return [group for group in numpy.split(points, numpy.unique(after_equal)) if len(group)]


def span_of(pictures: Iterable[Picture]) -> tuple[float, float] | None:
    """From when to when there is something in those over time, in seconds; None: none is over time. All of a network
    are drawn over the same time, so that one sees what was at one moment.
    """
    times = [line.times for picture in pictures if not picture.histogram for line in picture.lines]
    return (float(min(each[0] for each in times)), float(max(each[-1] for each in times))) if times else None


def total_of(lines: list[Line]) -> Line:
    """The sum, at all their instants; a flow counts between its first and its last sample."""
    times = numpy.unique(numpy.concatenate([line.times for line in lines]))
    values = sum(numpy.interp(times, line.times, line.values, left=0.0, right=0.0) for line in lines)
    return Line("together", times, values)


def histogram_pictures(folder: Path, seed: int | None = None) -> list[Picture]:
    """The histograms of queues in the folder of a network, or of a simulation: there of one seed, the first by default.

    The bins that are kept are at most a sixty-fourth as wide as their values; those that are drawn are wider.
    """
    found: dict[str, dict[str, Histogram]] = {}
    for element, name, bins in _histograms(folder, seed):
        if bins:
            found.setdefault(name, {})[element] = bins
    return [
        Picture(name, title, axis, _drawn(found[kept], scale), histogram=True)
        for name, title, kept, axis, scale in _OF_QUEUES
        if kept in found
    ]


def _histograms(folder: Path, seed: int | None) -> Iterator[tuple[str, str, Histogram]]:
    if (simulated := folder / "histograms.json").is_file():
        try:
            rows = parse_json(simulated.read_text(encoding="utf-8"))
            wanted = min((row["seed"] for row in rows), default=None) if seed is None else seed
            found = [(row["element"], row["name"], row["bins"]) for row in rows if row["seed"] == wanted]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{simulated}: it is damaged: {why_unread(error)}; repeat the run") from None
        yield from found
    elif (counters := folder / "counters.json").is_file():
        for snapshot in read_object(counters).values():
            if snapshot is not None:
                yield from histograms_of(snapshot)


def _drawn(histograms: Mapping[str, Histogram], scale: float) -> list[Line]:
    """All of them in the same bins, each a whole number wide."""
    most = max(_quantile(bins, _UP_TO) for bins in histograms.values())
    width = max(1, -(-(most + 1) // BINS))
    edges = numpy.arange(0, BINS + 1) * width
    edges = edges[: -(-(most + 1) // width) + 1]
    lines = []
    for element, bins in histograms.items():
        greatest, counts = (numpy.array(column) for column in zip(*bins, strict=True))
        in_bins, _ = numpy.histogram(greatest, bins=edges, weights=counts)
        lines.append(Line(element, edges * scale, in_bins / counts.sum()))
    return lines


def _quantile(bins: Histogram, share: float) -> int:
    left = share * sum(count for _, count in bins)
    for greatest, count in bins:
        left -= count
        if left <= 0:
            return greatest
    return bins[-1][0]
