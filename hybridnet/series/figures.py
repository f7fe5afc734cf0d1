# SPDX-License-Identifier: MIT
"""Figures out of an instance's snapshot: one number each, under the element that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["figures_of", "of_sections"]

_SECTIONS = ("applications", "links", "nodes", "interfaces")
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
