# SPDX-License-Identifier: MIT
"""What became of flows: a row for each, and what the rows say by size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from statistics import fmean

from hybridnet.describe.values import counted, shown, whole
from hybridnet.errors import UsageError
from hybridnet.observe.results import html
from hybridnet.observe.results.estimate import Estimate, estimate
from hybridnet.observe.results.run_directory import FLOWS, RunDirectory

__all__ = ["BINS", "FlowRow", "FlowSummary", "FlowTable", "Spread"]

BINS = (10_000, 100_000, 1_000_000, 10_000_000)
"""Bounds between size bins, bytes."""
BATCHES = 20
_LEAST_OF_BATCH = 5
_NAMED = 3  # of the flows that did not finish


@dataclass(frozen=True, slots=True)
class FlowRow:
    """One flow.

    Args:
        seed: of its replication.
        workload: its workload's label.
        start_s: when its destination began to connect, simulated time.
        source, destination: who has the bytes, and who gets them.
        size_bytes: of what is sent, without headers.
        state: ``finished``; ``unfinished``, when the simulation ended; or ``failed``: its connection ended early.
        counted: whether it started after the warm-up.
        completion_s: from its start until the last byte is there; None: it has not finished.
        ideal_s: the same if it were alone; see `hybridnet.simulate.flows.ways`.
        slowdown: completion_s / ideal_s.
        goodput_bps: 8 * size_bytes / completion_s.
        received_bytes: what has come in order.
        retransmitted_segments, timeouts: of its source's TCP.
        lost_segments: how many of those that its source sent, retransmissions too, have not come: they
            were lost, or of a flow that has not finished are on their way.
    """

    seed: int
    workload: str
    start_s: float
    source: str
    destination: str
    size_bytes: int
    state: str
    counted: bool
    completion_s: float | None
    ideal_s: float
    slowdown: float | None
    goodput_bps: float | None
    received_bytes: int
    retransmitted_segments: int
    timeouts: int
    lost_segments: int


@dataclass(frozen=True)
class Spread:
    """Mean and percentiles; between two values a percentile is linear."""

    mean: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True)
class FlowSummary:
    """The flows of one size bin, all replications together. Those of the warm-up are left out.

    Args:
        above_bytes, up_to_bytes: the bin; None: no bound.
        finished: how many finished. Only these are in the spreads.
        unfinished, failed: how many did not.
        slowdown: None: none finished.
        completion_s: the same.
        goodput_bps: mean of the flows' goodputs.
    """

    above_bytes: int
    up_to_bytes: int | None
    finished: int
    unfinished: int
    failed: int
    slowdown: Spread | None
    completion_s: Spread | None
    goodput_bps: float | None

    @property
    def label(self) -> str:
        """The bin as tables show it."""
        if self.up_to_bytes is None:
            return "all" if self.above_bytes == 0 else f"> {_size(self.above_bytes)}"
        return (
            f"{_size(self.above_bytes)} - {_size(self.up_to_bytes)}"
            if self.above_bytes
            else f"<= {_size(self.up_to_bytes)}"
        )

    @property
    def element(self) -> str:
        """The bin as figures name it."""
        up_to = "" if self.up_to_bytes is None else _size(self.up_to_bytes)
        bounds = f"{_size(self.above_bytes)}-{up_to}".replace(" ", "")
        return f"flows:{'all' if self.label == 'all' else bounds}"


@dataclass(frozen=True)
class FlowTable:
    """The flows of all replications.

    Args:
        rows: by replication, in the order in which they started.
        warmup_ns: flows that started earlier are not counted.
    """

    rows: Sequence[FlowRow]
    warmup_ns: int = 0

    @property
    def counted(self) -> list[FlowRow]:
        """Those that started after the warm-up."""
        return [row for row in self.rows if row.counted]

    @property
    def incomplete(self) -> list[FlowRow]:
        """Those of the counted that did not finish."""
        return [row for row in self.rows if row.counted and row.state != "finished"]

    def by_size(self, bounds: Sequence[int] = BINS) -> list[FlowSummary]:
        """A summary of each bin that has flows, and of all of them, which is the last.

        Args:
            bounds: between the bins, bytes, ascending. A flow of just that size is below.

        Raises:
            UsageError: the bounds are no ascending whole numbers.
        """
        edges = [whole(bound, "by_size: bound", 1, 2**63 - 1) for bound in bounds]
        if sorted(set(edges)) != edges:
            raise UsageError(
                f"by_size: bounds {shown(bounds)} do not go up; write for example [10_000, 1_000_000]"
            )
        rows = self.counted
        bins = zip([0, *edges], [*edges, None], strict=True)
        found = [
            _summary([row for row in rows if _inside(row, above, up_to)], above, up_to)
            for above, up_to in bins
        ]
        in_bins = [each for each in found if each.finished + each.unfinished + each.failed]
        return [*in_bins, _summary(rows, 0, None)]

    def by_workload(self) -> dict[str, FlowSummary]:
        """A summary of each workload's flows, by its label."""
        rows = self.counted
        labels = dict.fromkeys(row.workload for row in rows)
        return {label: _summary([row for row in rows if row.workload == label], 0, None) for label in labels}

    def mean_slowdown(self) -> Estimate | None:
        """The mean over replications of each one's mean slowdown; None: in none has a flow finished. Those that did not
        finish are in no mean, so that it is too low where they are many.
        """
        means = [fmean(slowdowns) for slowdowns in self._slowdowns().values() if slowdowns]
        return estimate(means) if means else None

    def batch_means(self, batches: int = BATCHES) -> Estimate | None:
        """The same from one replication: the means of so many batches of equally many flows, one behind the other. They
        are as good as independent where a batch lasts much longer than its flows.

        Args:
            batches: 2 to 1000.

        Returns:
            None: there are fewer than five finished flows in a batch.

        Raises:
            UsageError: there are several replications, whose means are independent anyway: see `mean_slowdown`.
        """
        count = whole(batches, "batch_means: batches", 2, 1000)
        by_seed = list(self._slowdowns().values())
        if len(by_seed) > 1:
            raise UsageError(f"batch_means: there are {len(by_seed)} replications; take mean_slowdown()")
        slowdowns = by_seed[0] if by_seed else []
        length = len(slowdowns) // count
        if length < _LEAST_OF_BATCH:
            return None
        return estimate([fmean(slowdowns[place * length : (place + 1) * length]) for place in range(count)])

    def figures(self) -> dict[tuple[str, str], float]:
        """What comparisons and sweeps have of the counted flows, by element, such as ``flows:all``,
        ``flows:10kB-100kB`` or, of several workloads, ``flows:20kB-incast``, and name.
        """
        summaries = {each.element: each for each in self.by_size()}
        summaries |= {f"flows:{label.replace(' ', '-')}": each for label, each in self._apart().items()}
        return {
            (element, name): value
            for element, each in summaries.items()
            for name, value in _figures(each)
            if value is not None
        }

    def _apart(self) -> dict[str, FlowSummary]:
        """The summaries of workloads, if there are several."""
        found = self.by_workload()
        return found if len(found) > 1 else {}

    def table(self, bounds: Sequence[int] = BINS) -> tuple[list[str], list[list[str]]]:
        """The summary as texts, and its columns: by size, and by workload if there are several."""
        columns = ["size", "flows", "not finished", "slowdown mean", "p50", "p95", "p99"]
        columns += ["completion mean", "p50 ", "p95 ", "p99 ", "goodput"]
        named = {each.label: each for each in self.by_size(bounds)} | self._apart()
        return columns, [[label, *_cells(each)] for label, each in named.items()]

    def remarks(self) -> list[str]:
        """What one must know of the summary."""
        said = []
        mean = self.mean_slowdown()
        if mean is not None:
            seeds = len(self._slowdowns())
            of = counted(mean.replications, "replication")
            if seeds == 1 and (batched := self.batch_means()) is not None:
                said.append(f"mean slowdown {batched} (95 %, {BATCHES} batches of one replication)")
            else:
                said.append(f"mean slowdown {mean} (95 %, {of})" if seeds > 1 else f"mean slowdown {mean}")
        left_out = len(self.rows) - len(self.counted)
        if self.warmup_ns:
            said.append(
                f"{counted(left_out, 'flow')} started in the first {self.warmup_ns / 1e9:g} s: not counted"
            )
        if not self.counted:
            said.append(
                "no flow is counted: none started after the warm-up; simulate longer, or raise the load"
            )
        return [*said, *self._incomplete()]

    def _incomplete(self) -> Iterator[str]:
        rows = self.incomplete
        if not rows:
            return
        states = Counter(row.state for row in rows)
        number = " and ".join(f"{count} {state}" for state, count in sorted(states.items()))
        named = "; ".join(
            f"seed {row.seed}: {row.source} to {row.destination}, {row.size_bytes} B from {row.start_s:.6f} s"
            for row in rows[:_NAMED]
        )
        more = f"; and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
        yield (
            f"{number} of {counted(len(self.counted), 'flow')} are in no mean, which is too low for that; stop the "
            f"workload before the simulation ends, or lower the load: {named}{more}"
        )

    def _slowdowns(self) -> dict[int, list[float]]:
        """By seed the slowdowns of counted flows, in the order in which they started."""
        by_seed: dict[int, list[float]] = {}
        for row in self.rows:
            of_seed = by_seed.setdefault(row.seed, [])
            if row.counted and row.slowdown is not None:
                of_seed.append(row.slowdown)
        return by_seed

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        columns, rows = self.table()
        return html.joined(html.table(columns, rows, texts=1), html.lines(self.remarks()))

    def to_json(self) -> dict[str, object]:
        """The summary, and each flow that did not finish, as data."""
        mean = self.mean_slowdown()
        return {
            "warmup_s": self.warmup_ns / 1e9,
            "flows": len(self.rows),
            "counted": len(self.counted),
            "mean_slowdown": None if mean is None else asdict(mean),
            "by_size": [asdict(each) for each in self.by_size()],
            "by_workload": {label: asdict(each) for label, each in self.by_workload().items()},
            "incomplete": [asdict(row) for row in self.incomplete],
        }

    def write(self, directory: RunDirectory) -> list[Path]:
        """Write ``flows.csv`` and ``flows.parquet``, a row for each flow, and ``flows.json``: the summary and the rows.
        Returns their paths.
        """
        columns = [each.name for each in fields(FlowRow)]
        rows = [astuple(row) for row in self.rows]
        content = {**self.to_json(), "rows": [asdict(row) for row in self.rows]}
        return [
            directory.write_csv("flows.csv", columns, rows),
            directory.write_parquet(FLOWS, columns, rows),
            directory.write_json("flows.json", content),
        ]


def _inside(row: FlowRow, above: int, up_to: int | None) -> bool:
    return above < row.size_bytes and (up_to is None or row.size_bytes <= up_to)


def _summary(rows: Sequence[FlowRow], above: int, up_to: int | None) -> FlowSummary:
    states = Counter(row.state for row in rows)
    goodputs = [row.goodput_bps for row in rows if row.goodput_bps is not None]
    return FlowSummary(
        above_bytes=above,
        up_to_bytes=up_to,
        finished=states["finished"],
        unfinished=states["unfinished"],
        failed=states["failed"],
        slowdown=_spread([row.slowdown for row in rows if row.slowdown is not None]),
        completion_s=_spread([row.completion_s for row in rows if row.completion_s is not None]),
        goodput_bps=fmean(goodputs) if goodputs else None,
    )


def _figures(summary: FlowSummary) -> Iterator[tuple[str, float | None]]:
    yield "finished", summary.finished
    yield "not_finished", summary.unfinished + summary.failed
    for name, spread in (("slowdown", summary.slowdown), ("completion_s", summary.completion_s)):
        for figure in ("mean", "p50", "p95", "p99"):
            yield f"{figure}_{name}", None if spread is None else getattr(spread, figure)
    yield "mean_goodput_bps", summary.goodput_bps


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    import numpy

    p50, p95, p99 = (float(each) for each in numpy.percentile(values, [50, 95, 99]))
    return Spread(fmean(values), p50, p95, p99)


def _cells(summary: FlowSummary) -> Iterator[str]:
    yield str(summary.finished)
    yield str(summary.unfinished + summary.failed)
    for spread, scale, unit in ((summary.slowdown, 1.0, ""), (summary.completion_s, 1e3, " ms")):
        if spread is None:
            yield from ["-"] * 4
        else:
            yield from (f"{scale * value:.4g}{unit}" for value in astuple(spread))
    yield "-" if summary.goodput_bps is None else f"{summary.goodput_bps / 1e6:.4g} Mbit/s"


def _size(size_bytes: int) -> str:
    for unit, least in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= least:
            return f"{size_bytes / least:g} {unit}"
    return f"{size_bytes} B"
