# SPDX-License-Identifier: MIT
"""What the replications of a simulation say together, and its run directory."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hybridnet.observe.results import html
from hybridnet.observe.results.estimate import Estimate, estimate_of_figure, is_narrow, is_zero_without_event
from hybridnet.observe.results.run_directory import RunDirectory
from hybridnet.observe.series import Block
from hybridnet.observe.series.writer import SeriesWriter
from hybridnet.plan.placement.parts import Partition
from hybridnet.simulate.flows import FlowTable
from hybridnet.simulate.offline import forward as forwarding
from hybridnet.simulate.offline.forward import FastForward, ForwardCheck, Forwarded
from hybridnet.simulate.offline.replication import Replication

__all__ = ["Figure", "SimulationReport"]

SHOWN = 40


@dataclass(frozen=True)
class Figure:
    """One counter over all replications."""

    element: str
    name: str
    over: Estimate


@dataclass(frozen=True)
class SimulationReport:
    """A simulation's replications.

    Args:
        until_ns: simulated time of each.
        replications: in the order of their seeds.
        wall_s: from the first one's start to the last one's end.
        partition: the parts of each; None: there was one.
        flows: of workloads; None: there were none.
        precision: which share of the mean slowdown its interval was to be within; None: it was not asked for.
        forward: how time was left out; None: none was.
        check: the comparison with the same packet by packet; None: it was not asked for.
    """

    until_ns: int
    replications: list[Replication]
    wall_s: float
    partition: Partition | None = None
    flows: FlowTable | None = None
    precision: float | None = None
    forward: FastForward | None = None
    check: ForwardCheck | None = None

    @property
    def forwarded(self) -> list[Forwarded]:
        """What the replications left out, in their order; empty: nothing was to be."""
        return [each.forwarded for each in self.replications if each.forwarded is not None]

    @property
    def seeds_made_no_difference(self) -> bool:
        """Whether there are several replications, and all figures of all are equal: then nothing was random."""
        first, *others = self.replications
        return bool(others) and all(each.figures == first.figures for each in others)

    @property
    def failed(self) -> dict[str, int]:
        """The applications that failed, as a transfer to a port where nobody listens does: in how many replications."""
        return {
            element: sum(each.figures.get((element, "failed"), 0) > 0 for each in self.replications)
            for element, name in self._keys()
            if name == "failed"
            and any(each.figures.get((element, name), 0) > 0 for each in self.replications)
        }

    @property
    def applications(self) -> frozenset[str]:
        """The elements that are applications."""
        return frozenset(name for each in self.replications for name in each.applications)

    def figures(self) -> list[Figure]:
        """The mean of every figure at the end with its 95 % interval. A replication that dropped nothing counts as 0;
        one that could not measure something, such as a round trip, is left out of its mean.
        """
        return [Figure(*key, self._over(key)) for key in self._keys()]

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        """The mean of one counter, by (element, name). Raises KeyError if there is none."""
        if not any(key in each.figures for each in self.replications):
            raise KeyError(key)
        return self._over(key)

    def _keys(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys(key for each in self.replications for key in each.figures))

    def _over(self, key: tuple[str, str]) -> Estimate:
        return estimate_of_figure(key[1], [each.figures.get(key) for each in self.replications])

    def _written(self) -> list[Replication]:
        """The replications as files have them, with zeros: who reads one row does not know what the others counted."""
        counted = [key for key in self._keys() if is_zero_without_event(key[1])]
        return [
            replace(each, figures=each.figures | {key: 0.0 for key in counted if key not in each.figures})
            for each in self.replications
        ]

    def table(self, *, of_all: bool = False) -> tuple[list[str], list[list[str]]]:
        """The figures as texts, and their columns.

        Args:
            of_all: not only those of applications; without applications the first `SHOWN` are shown.
        """
        asked = self.applications
        keys = self._keys()
        if not of_all:
            keys = [key for key in keys if key[0] in asked] or keys[:SHOWN]
        rows = []
        for each in (Figure(*key, self._over(key)) for key in keys):
            name, scale, unit = _unit(each.name, each.over.mean)
            interval = f"± {each.over.half_width * scale:.3g}{unit}" if each.over.replications > 1 else ""
            rows.append([each.element, name, f"{each.over.mean * scale:.6g}{unit}", interval])
        return ["element", "counter", "mean", "95 % interval"], rows

    def remarks(self) -> list[str]:
        """What one must know of the figures, and how long it took."""
        count = len(self.replications)
        said = [
            f"{element} failed in {times} of {count} replications: it could not connect, or its connection ended "
            "early; something must listen at its destination's port"
            for element, times in self.failed.items()
        ]
        if self.flows is not None:
            said += self.flows.remarks()
        if self.flows is not None and self.precision is not None:
            enough = is_narrow(self.flows.mean_slowdown(), self.precision)
            within = f"for a mean slowdown within ±{100 * self.precision:g} %"
            said.append(
                f"{count} replications are enough {within}"
                if enough
                else f"{count} replications are not enough {within}; allow more seeds, or simulate longer"
            )
        if self.forward is not None:
            said += forwarding.remarks(self.forward.share, self.forwarded)
        if self.check is not None:
            said.append(self.check.remark())
        if self.seeds_made_no_difference:
            said.append("the seeds made no difference: nothing here draws random numbers, so one is enough")
        if self.partition is not None:
            waited = sum(each.waited_share or 0.0 for each in self.replications) / count
            said.append(f"{self.partition}; they waited for each other {waited:.1%} of the time")
        said += [
            f"trace of seed {each.seed}: {each.trace_hash}"
            for each in self.replications
            if each.trace_hash is not None
        ]
        said += [
            f"seed {each.seed}: the wall clock reached --until after only {each.simulated_ns / 1e9:.3f} s simulated"
            for each in self.replications
            if each.simulated_ns < self.until_ns
        ]
        processor = sum(each.processor_s for each in self.replications)
        events = sum(each.events for each in self.replications)
        said.append(
            f"{self.until_ns / 1e9:g} s simulated {count} time{'s' if count > 1 else ''} in {self.wall_s:.2f} s; "
            f"{events} events, {events / max(processor, 1e-9) / 1e6:.1f} million per second of processor time"
        )
        return said

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        columns, rows = self.table()
        of_flows = [] if self.flows is None else [html.table(*self.flows.table(), texts=1)]
        return html.joined(*of_flows, html.table(columns, rows, texts=2), html.lines(self.remarks()))

    def to_json(self) -> dict[str, object]:
        """All of it but the series, as data."""
        return {
            "until_ns": self.until_ns,
            "seeds": [each.seed for each in self.replications],
            "wall_s": self.wall_s,
            "processor_s": sum(each.processor_s for each in self.replications),
            "events": sum(each.events for each in self.replications),
            "trace_hashes": [each.trace_hash for each in self.replications],
            "partition": None if self.partition is None else asdict(self.partition),
            "waited_share": [each.waited_share for each in self.replications],
            "figures": [
                {"element": each.element, "name": each.name, **asdict(each.over)} for each in self.figures()
            ],
            **(
                {}
                if self.forward is None
                else {"fast_forward": forwarding.to_json(self.forward, self.forwarded, self.check)}
            ),
            **({} if self.flows is None else {"flows": self.flows.to_json(), "precision": self.precision}),
        }

    def write(self, directory: RunDirectory) -> list[Path]:
        """Write ``figures.json``, ``.csv`` and ``.parquet``, OMNeT++'s ``.sca`` and ``.vec`` of each seed, and, where
        there are any, ``histograms.json``, ``flows.csv``, ``.parquet`` and ``.json``, and ``series.parquet`` with the
        samples. Returns their paths.
        """
        columns = ["seed", "element", "name", "value"]
        replications = self._written()
        rows = [(each.seed, *key, value) for each in replications for key, value in each.figures.items()]
        written = [
            directory.write_json("figures.json", self.to_json()),
            directory.write_csv("figures.csv", columns, rows),
            directory.write_parquet("figures.parquet", columns, rows),
        ]
        if any(each.histograms for each in self.replications):
            written.append(directory.write_json("histograms.json", self._histograms()))
        if self.flows is not None:
            written += self.flows.write(directory)
        if any(each.sampled_ns for each in self.replications):
            written += self._write_series(directory.path)
        return [*written, *(path for each in replications for path in _omnetpp(each, directory))]

    def _histograms(self) -> list[dict[str, object]]:
        return [
            {"seed": each.seed, "element": element, "name": name, "bins": bins}
            for each in self.replications
            for (element, name), bins in each.histograms.items()
        ]

    def _write_series(self, folder: Path) -> list[Path]:
        writer = SeriesWriter(folder)
        for each in self.replications:
            together: dict[tuple[int, int], list[tuple[str, str]]] = {}  # what has the same samples
            for key in each.series:
                span = each.span(key)
                together.setdefault((span.start, span.stop), []).append(key)
            writer.append([_block(each, keys, slice(*span)) for span, keys in together.items()], each.seed)
        path = writer.finish()
        return [] if path is None else [path]


def _block(replication: Replication, keys: list[tuple[str, str]], span: slice) -> Block:
    times = array("d", [instant_ns / 1e9 for instant_ns in replication.sampled_ns[span]])
    rows = zip(*(replication.series[key][span] for key in keys), strict=True)
    by_instant = array("d", itertools.chain.from_iterable(rows))
    return Block([(replication.kinds[key], *key) for key in keys], times, by_instant)


def _omnetpp(replication: Replication, directory: RunDirectory) -> Iterator[Path]:
    from hybridnet._simcore import omnetpp_files

    texts = omnetpp_files(
        f"simulate-{replication.seed}",
        [("seed", str(replication.seed))],
        [(*key, value) for key, value in replication.figures.items()],
        [
            (*key, replication.sampled_ns[replication.span(key)], values[replication.span(key)])
            for key, values in replication.series.items()
        ],
        [(*key, bins) for key, bins in replication.histograms.items()],
    )
    for suffix, text in zip(("sca", "vec"), texts, strict=True):
        path = directory.path / "omnetpp" / f"seed-{replication.seed}.{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        yield path


_UNITS = {
    "_ns": ((1e-6, " ms"), (1e-3, " µs"), (1.0, " ns")),
    "_bps": ((1e-6, " Mbit/s"), (1e-3, " kbit/s"), (1.0, " bit/s")),
    "_bytes": ((1e-6, " MB"), (1e-3, " kB"), (1.0, " B")),
}
_LEAST = 0.1  # of a unit


def _unit(name: str, mean: float) -> tuple[str, float, str]:
    """A counter's name without its unit, and how values about as large as the mean are printed.

    Example:
        >>> _unit("srtt_ns", 2e7), _unit("received_bytes", 98), _unit("sent", 3)
        (('srtt', 1e-06, ' ms'), ('received', 1.0, ' B'), ('sent', 1, ''))
    """
    for ending, units in _UNITS.items():
        if name.endswith(ending):
            fitting = (unit for unit in units if abs(mean) * unit[0] >= _LEAST)
            scale, unit = units[0] if mean == 0 else next(fitting, units[-1])
            return name.removesuffix(ending), scale, unit
    return name, 1, ""
