# SPDX-License-Identifier: MIT
"""Two runs, figure by figure: by how much they differ, and whether that is more than chance."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from hybridnet.observe.recording.capsule import FILES
from hybridnet.observe.recording.figures import figures_of_run
from hybridnet.observe.results import html
from hybridnet.observe.results.estimate import Estimate, uncounted
from hybridnet.observe.results.run_directory import read_object
from hybridnet.system.simulated_time import SIMULATED

__all__ = ["COLUMNS", "Comparison", "Difference", "compare_runs"]

COLUMNS = ("figure", "first", "second", "difference", "", "")

_HASHED = ("figures.csv", "omnetpp/*.sca", "omnetpp/*.vec")  # of a simulation: the same, byte for byte
_MOST_NAMED = 5  # files that differ, in a sentence


@dataclass(frozen=True)
class Difference:
    """One figure in two runs. Intervals are of 95 %; that of the difference is the root of the sum of their squares.

    Args:
        name: of the figure, with its unit.
        first, second: what the runs say; None: one has no such figure.
    """

    name: str
    first: Estimate | None
    second: Estimate | None

    @property
    def absolute(self) -> float:
        """Second less first; not a number where one is missing."""
        return math.nan if self.first is None or self.second is None else self.second.mean - self.first.mean

    @property
    def half_width(self) -> float:
        """Half the interval of the difference."""
        both = (self.first, self.second)
        return math.hypot(*(each.half_width for each in both if each is not None))

    @property
    def relative(self) -> float:
        """The difference as a share of the first; infinite where that is zero and the other is not."""
        if self.first is None or self.first.mean == 0:
            return 0.0 if self.absolute == 0 else math.inf
        return self.absolute / abs(self.first.mean)

    def agrees(self, within: float) -> bool:
        """Whether the difference is within its interval, or within this share of the first."""
        return abs(self.absolute) <= self.half_width or abs(self.relative) <= within

    @property
    def is_sure(self) -> bool:
        """Whether both runs say how sure they are of it."""
        return all(over is not None and over.replications > 1 for over in (self.first, self.second))

    def row(self) -> tuple[str, ...]:
        """As texts under `COLUMNS`; the last marks a difference that is beyond its interval."""
        difference = "" if math.isnan(self.absolute) else f"{self.absolute:+.4g}"
        if self.is_sure:
            difference += f" ± {self.half_width:.2g}"
        finite = math.isfinite(self.relative)
        share = f"{100 * self.relative:+.1f} %" if finite else ""
        beyond = "*" if self.is_sure and not self.agrees(0.0) else ""
        both = ("-" if over is None else str(over) for over in (self.first, self.second))
        return (self.name, *both, difference, share, beyond)

    def to_json(self) -> dict[str, object]:
        """As data."""
        return {
            "name": self.name,
            "first": None if self.first is None else asdict(self.first),
            "second": None if self.second is None else asdict(self.second),
            "difference": None if math.isnan(self.absolute) else self.absolute,
            "half_width": self.half_width,
        }


@dataclass(frozen=True)
class Comparison:
    """Two runs.

    Args:
        differences: of every figure that one of them has, in the order of the first.
        unlike: of two simulations, or of two runs in simulated time, the files that are not the same, byte for byte,
            each with where they begin to differ; empty: the runs are identical. None: not both are such.
        simulated_s: of two simulations how much time each simulated, seconds; None: not both are simulations.
    """

    differences: list[Difference]
    unlike: tuple[str, ...] | None
    simulated_s: tuple[float, float] | None = None

    @property
    def identical(self) -> bool | None:
        """Whether all files that such runs repeat are the same, byte for byte; None: not both are such runs."""
        return None if self.unlike is None else not self.unlike

    @property
    def of_simulations(self) -> bool:
        """Whether both are simulations in virtual time."""
        return self.simulated_s is not None

    @property
    def of_different_times(self) -> bool:
        """Whether counters differ because one simulation lasted longer."""
        return self.simulated_s is not None and self.simulated_s[0] != self.simulated_s[1]

    def rows(self, *, of_all: bool = False) -> list[tuple[str, ...]]:
        """The figures that differ, or all of them, as texts under `COLUMNS`."""
        return [each.row() for each in self.differences if of_all or each.absolute != 0]

    def remarks(self) -> list[str]:
        """How many figures there are, and what one must know of them."""
        same = sum(each.absolute == 0 for each in self.differences)
        said = f"{len(self.differences)} figures, {same} of them the same"
        if any(each.is_sure and not each.agrees(0.0) for each in self.differences):
            said += "; * the difference is beyond its 95 % interval"
        remarks = [said]
        if self.simulated_s is not None and self.of_different_times:
            first, second = self.simulated_s
            remarks.append(
                f"the first simulated {first:g} s, the second {second:g} s, and counters grow with time"
            )
        if self.unlike is not None:
            more = len(self.unlike) - _MOST_NAMED
            named = ", ".join(self.unlike[:_MOST_NAMED]) + (f", and {more} more" if more > 0 else "")
            remarks.append(f"not identical: {named}" if self.unlike else "identical, byte for byte")
        return remarks

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        return html.joined(html.table(COLUMNS, self.rows()), html.lines(self.remarks()))

    def to_json(self) -> dict[str, object]:
        """As data."""
        return {
            "identical": self.identical,
            "unlike": self.unlike,
            "simulated_s": self.simulated_s,
            "figures": [each.to_json() for each in self.differences],
        }


def compare_runs(first: Path, second: Path) -> Comparison:
    """Compare two run directories.

    Raises:
        UsageError: one is no run directory, or has no figures.
    """
    figures = figures_of_run(first), figures_of_run(second)
    for own, others in (figures, figures[::-1]):
        runs = max(each.replications for each in own.values())
        own |= {name: Estimate(0.0, 0.0, runs) for name in uncounted(own, others)}
    hashes = hashes_of_repeatable(first), hashes_of_repeatable(second)
    lasted = _simulated_s(first), _simulated_s(second)
    return Comparison(
        [Difference(name, *(each.get(name) for each in figures)) for name in {**figures[0], **figures[1]}],
        tuple(_unlike(first, second, *hashes)) if all(hashes) else None,
        None if lasted[0] is None or lasted[1] is None else (lasted[0], lasted[1]),
    )


def _unlike(
    first: Path, second: Path, of_first: Mapping[str, str], of_second: Mapping[str, str]
) -> Iterator[str]:
    for name in sorted({**of_first, **of_second}):
        if name not in of_second:
            yield f"{name} (only in the first)"
        elif name not in of_first:
            yield f"{name} (only in the second)"
        elif of_first[name] != of_second[name]:
            lines = ((run / name).read_bytes().splitlines() for run in (first, second))
            same = itertools.takewhile(lambda both: both[0] == both[1], itertools.zip_longest(*lines))
            yield f"{name} (from line {1 + sum(1 for _ in same)})"


def _simulated_s(run: Path) -> float | None:
    file = run / "figures.json"
    until_ns = read_object(file).get("until_ns") if file.is_file() else None
    return until_ns / 1e9 if isinstance(until_ns, int) else None


def hashes_of_repeatable(run: Path) -> Mapping[str, str]:
    """Of each file that a run of the same description and seed repeats its SHA-256: of a simulation its figures, of a
    network in simulated time whatever the run has measured. Empty: it was in real time, and nothing repeats it.
    """
    if (run / "figures.csv").is_file():
        files = [file for pattern in _HASHED for file in run.glob(pattern)]
    elif read_object(run / "manifest.json").get("time") == SIMULATED:
        files = [file for file in run.rglob("*") if file.is_file() and _is_measured(file.relative_to(run))]
    else:
        return {}
    return {
        str(file.relative_to(run)): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)
    }


def _is_measured(file: Path) -> bool:
    return file.name != "manifest.json" and file.parts[0] != FILES
