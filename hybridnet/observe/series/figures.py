# SPDX-License-Identifier: MIT
"""Figures out of an instance's snapshot: one number each, under the element that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["Histogram", "figures_of", "histograms_of", "of_sections"]

Histogram = list[tuple[int, int]]
"""Of each bin the greatest whole number in it, and how many there were; in ascending order, without empty bins."""

_GREATEST = "max_"  # and the unit: what a histogram has beside its buckets

_SECTIONS = ("applications", "fluids", "links", "nodes", "interfaces")
_NAMES = {"name", "node", "from", "to", "status", "state", "device", "notes"}


def figures_of(snapshot: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Each figure of a snapshot as (element, name, value); drops are ``dropped.REASON``.

    Applications come first: they are what one asks about. What has no value yet, such as the round-trip time of a ping
    that was never answered, is left out.

    Example:
        >>> link = {"name": "r1-r2", "delivered_packets": 5, "dropped": {"queue_full": 1}}
        >>> list(figures_of({"links": [link]}))
        [('r1-r2', 'delivered_packets', 5.0), ('r1-r2', 'dropped.queue_full', 1.0)]
    """
    for _, element, name, value in of_sections(snapshot, _SECTIONS):
        yield element, name, value


def histograms_of(snapshot: Mapping[str, Any]) -> Iterator[tuple[str, str, Histogram]]:
    """Each histogram of a snapshot as (element, name, bins): how late events were, and of links with ``watch_queue``
    how long packets waited and how many others each one found. The name ends with the unit.

    Example:
        >>> waited = {"buckets": [(7, 2), (15, 1)], "max_ns": 12}
        >>> list(histograms_of({"links": [{"name": "r1-r2", "queue_sojourn": waited}]}))
        [('r1-r2', 'queue_sojourn_ns', [(7, 2), (15, 1)])]
    """
    own = {key: snapshot[key] for key in ("name", "lateness") if key in snapshot}
    for row in (own, *(row for section in _SECTIONS for row in snapshot.get(section, ()))):
        for name, value in row.items():
            if isinstance(value, Mapping) and "buckets" in value:
                unit = next(key.removeprefix(_GREATEST) for key in value if key.startswith(_GREATEST))
                yield (
                    str(row["name"]),
                    f"{name}_{unit}",
                    [(upper, count) for upper, count in value["buckets"]],
                )


def of_sections(
    snapshot: Mapping[str, Any], sections: Iterable[str]
) -> Iterator[tuple[str, str, str, float]]:
    """The same of some sections of a snapshot, as (section, element, name, value)."""
    for section in sections:
        for row in snapshot.get(section, ()):
            for name, value in row.items():
                if name not in _NAMES:
                    for element, leaf, number in _leaves(str(row["name"]), name, value):
                        yield section, element, leaf, number


def _leaves(element: str, name: str, value: Any) -> Iterator[tuple[str, str, float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(element, f"{name}.{key}", inner)
    elif isinstance(value, int | float):
        yield element, name, float(value)
