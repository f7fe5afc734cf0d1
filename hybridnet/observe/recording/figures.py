# SPDX-License-Identifier: MIT
"""The figures of a run directory, each with an interval where there is one: what `compare` and `rerun` look at.

Of a simulation: its counters at the end, over its seeds. Of a network that ran: rates and means out of its time series,
over ten parts of the time in which there was something to count. Of a script: its results, one value each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pyarrow
from pyarrow import parquet

from hybridnet.errors import UsageError
from hybridnet.observe.results.estimate import Estimate, estimate, estimate_of_figure
from hybridnet.observe.results.run_directory import read_object
from hybridnet.observe.series.table import SeriesTable, read_series, series_folders

__all__ = ["figures_of_run", "manifest_of"]

BATCHES = 10
ACTIVE_SHARE = 0.1
"""Of a counter's greatest growth between two samples: what grew less was idle, and is left out."""
NANOSECONDS = "_ns"

_COUNTED = {  # bytes that become a rate, by kind
    "interfaces": ("rx_bytes", "tx_bytes", "in_bytes", "out_bytes"),
    "links": ("delivered_bytes",),
    "applications": ("received_bytes", "sent_bytes", "written_bytes"),
}
_MEANS = {  # what has a mean
    "links": ("queue_packets",),
    "instances": ("lateness_p999_ns",),
    "machines": ("processor_busy",),
}


def manifest_of(run: Path) -> dict[str, Any]:
    """The manifest of a run directory. Raises UsageError if there is none, or it cannot be read."""
    if not run.exists():
        raise UsageError(f"{run}: there is no such run directory; `hybridnet run --out {run}` makes one")
    if not (run / "manifest.json").is_file():
        raise UsageError(
            f"{run}: it is not a run directory: it has no manifest.json; name one that `--out` has made"
        )
    return read_object(run / "manifest.json")


def figures_of_run(run: Path) -> dict[str, Estimate]:
    """Every figure of a run, by a name that another run of the same command has, too.

    Raises:
        UsageError: it is not a run directory, or it has no figures.
    """
    manifest_of(run)
    figures: dict[str, Estimate] = {}
    if (results := run / "results.json").is_file():
        named = read_object(results)
        if wrong := [name for name, value in named.items() if not isinstance(value, int | float)]:
            raise UsageError(f"{results}: it is damaged: {wrong[0]} is not a number; repeat the run")
        figures |= {f"result {name}": Estimate(value, 0.0, 1) for name, value in named.items()}
    if (simulated := run / "figures.parquet").is_file():
        figures |= _of_replications(simulated)
    else:
        figures |= _of_series(run)
    if not figures:
        raise UsageError(
            f"{run}: it has no figures; run it with --series 100ms, or call hybridnet.result in the script"
        )
    return figures


def _of_replications(file: Path) -> dict[str, Estimate]:
    keys = ("seed", "element", "name", "value")
    values: dict[str, dict[int, float]] = {}
    try:
        table = parquet.read_table(file, columns=list(keys))
        columns = [table[key].to_pylist() for key in keys]
    except (OSError, KeyError, pyarrow.ArrowException) as error:
        raise UsageError(f"{file}: it is damaged: {error}; repeat the run") from None
    for seed, element, name, value in zip(*columns, strict=True):
        values.setdefault(f"{element} {name}", {})[seed] = value
    seeds = dict.fromkeys(columns[0])
    return {
        name: estimate_of_figure(name, [each.get(seed) for seed in seeds]) for name, each in values.items()
    }


def _of_series(run: Path) -> dict[str, Estimate]:
    try:
        folders = series_folders(run)
    except UsageError:  # it has none
        return {}
    figures: dict[str, Estimate] = {}
    for folder in folders:
        where = "" if len(folders) == 1 else f"{folder.name} "
        figures |= {f"{where}{name}": each for name, each in _of_table(read_series(folder)).items()}
    return figures


def _of_table(series: SeriesTable) -> dict[str, Estimate]:
    figures: dict[str, Estimate] = {}
    for kind, names in _COUNTED.items():
        for name in names:
            for element, times, values in series.each(kind, name):
                rates = active_rates(times, values)
                if len(rates):
                    figures[f"{element} {name.removesuffix('_bytes')} Mbit/s"] = _batched(8e-6 * rates)
    for kind, names in _MEANS.items():
        for name in names:
            for element, _, values in series.each(kind, name):
                scale, unit = (1e-6, " ms") if name.endswith(NANOSECONDS) else (1.0, "")
                figures[f"{element} {name.removesuffix(NANOSECONDS)}{unit}"] = _batched(scale * values)
    return figures


def active_rates(times: Any, values: Any) -> Any:
    """How fast a counter grew, in its unit per second, from each sample to the next, where it was not idle.

    Example:
        >>> import numpy
        >>> active_rates(numpy.array([0.0, 1.0, 2.0, 4.0]), numpy.array([0, 0, 10, 40])).tolist()
        [10.0, 15.0]
    """
    grown, lasted = numpy.diff(values), numpy.diff(times)
    usable = (lasted > 0) & (grown >= 0)
    rates = grown[usable] / lasted[usable]
    return rates[rates > ACTIVE_SHARE * rates.max()] if rates.any() else rates[:0]


def _batched(values: Any) -> Estimate:
    """The mean, with the interval of the means of consecutive parts: samples beside each other are not independent."""
    parts = numpy.array_split(values, min(BATCHES, len(values)))
    return Estimate(
        float(values.mean()),
        estimate([float(part.mean()) for part in parts]).half_width,
        len(parts),
    )
