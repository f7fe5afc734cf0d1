# SPDX-License-Identifier: MIT
"""Fluid flows: classes of equal flows from node to node, which load every queue on their way, without packets."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybridnet.describe.options import family
from hybridnet.describe.options.read import read_kind
from hybridnet.describe.options.tables import extension
from hybridnet.describe.schema.plans import FluidModel
from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import shown, text
from hybridnet.errors import PlanError, TopologyError

__all__ = ["Demands", "FluidSpec", "demands_of", "resolve_fluid"]

Demands = Mapping[tuple[str, str], str | int] | str | Path
"""Between which nodes there is how much: a rate with its unit, or a number of TCP flows; or a CSV file that says it."""

_NAME_LIMIT = 64
_MOST_DIGITS = 18
"""Of a number in a file: Python reads none of thousands of digits, and what a class may have is checked later."""
_COLUMNS = (("source", "destination", "rate"), ("source", "destination", "flows"))


@dataclass(frozen=True)
class FluidSpec:
    """One class of flows of the description."""

    name: str
    source: str
    destination: str
    model: FluidModel  # as the plan writes it
    options: Mapping[str, Any] = field(default_factory=dict)  # the model as written


def resolve_fluid(name: Any, source: str, destination: str, model: Any) -> FluidSpec:
    """The class that is described so. Raises TopologyError, UnitError: the model or its options make no sense."""
    name = text(name, "fluid: name", error=TopologyError)
    if not 0 < len(name) <= _NAME_LIMIT:
        raise TopologyError(f"fluid {shown(name)}: a name has 1 to {_NAME_LIMIT} characters; choose another")
    what = f"fluid {name}"
    read: FluidModel = read_kind(model, family("fluid"), what, "model of a fluid")
    if read["model"] == "tcp_flows" and read.get("round_trip_ns") is not None:
        raise TopologyError(f"{what}: the round trip follows from its way; leave round_trip out")
    if read["model"] == "poisson_sessions" and read.get("sharing") and read.get("peak_bps") is None:
        raise TopologyError(f"{what}: sharing is of a rate, and there is none; give peak")
    try:
        extension().check_fluid(read)
    except PlanError as error:
        raise TopologyError(f"{what}: {error}") from None
    return FluidSpec(name, source, destination, read, dict(model))


def demands_of(demands: Any, tcp: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Source, destination and model of each demand.

    Args:
        tcp: options of `tcp_flows` besides their number.

    Raises:
        TopologyError, UnitError: there is no such file, it or the dictionary is not as `Demands` says, or an option of
            TCP makes no sense.
    """
    if "flows" in tcp:
        raise TopologyError("demands: each says how many flows it has; leave flows= out")
    resolve_fluid("demands", "", "", {"model": "tcp_flows", "flows": 1, **tcp})
    for (source, destination), value in _rows(demands):
        what = f"demand from {source} to {destination}"
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise TopologyError(
                f"{what}: {shown(value)} is neither a rate nor a number of flows; write '20 Mbit/s' or 50"
            )
        if isinstance(value, int):
            yield source, destination, {"model": "tcp_flows", "flows": value, **tcp}
        else:
            yield source, destination, {"model": "constant_rate", "rate": value}


def _rows(demands: Any) -> Iterable[tuple[tuple[str, str], Any]]:
    if isinstance(demands, str | Path):
        return _rows_of_file(demands)
    if not isinstance(demands, Mapping):
        raise TopologyError(
            f"demands {shown(demands)}: neither a dictionary nor a file; write {{('h1', 'h2'): '20 Mbit/s'}}"
        )
    for pair in demands:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(each, str) for each in pair):
            raise TopologyError(
                f"demands: {shown(pair)} is no pair of names; write {{('h1', 'h2'): '20 Mbit/s'}}"
            )
    return demands.items()


def _rows_of_file(file: str | Path) -> Iterator[tuple[tuple[str, str], Any]]:
    what = f"demands in {file}"
    try:
        with user_file(file).open(encoding="utf-8-sig", newline="") as opened:
            rows = list(csv.reader(opened))
    except (OSError, ValueError, csv.Error) as error:
        raise TopologyError(f"{what}: it cannot be read: {error}; give a CSV file") from None
    header = tuple(rows[0]) if rows else ()
    if header not in _COLUMNS:
        raise TopologyError(
            f"{what}: its first line is {','.join(header)!r}; write source,destination,rate or source,destination,flows"
        )
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        if len(row) != len(header):
            raise TopologyError(f"{what}, line {number}: it has {len(row)} columns; write {','.join(header)}")
        source, destination, value = (each.strip() for each in row)
        if header[-1] == "rate":
            yield (source, destination), value
        elif value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS:
            yield (source, destination), int(value)
        else:
            raise TopologyError(
                f"{what}, line {number}: flows is {shown(value)}; write a whole number of {_MOST_DIGITS} digits at most"
            )
