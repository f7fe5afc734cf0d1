# SPDX-License-Identifier: MIT
"""Directions of links that change while they run."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.options import table
from hybridnet.errors import PlanError
from hybridnet.simulate.instance.build import check_direction, with_files

__all__ = ["DIRECTIONS", "Directions", "merged", "with_both_files"]

DIRECTIONS = ("a_to_b", "b_to_a")

Directions = dict[str, dict[str, Any] | None]
"""By the names in `DIRECTIONS`; None: as it is."""


def merged(direction: dict[str, Any], changes: object, what: str) -> dict[str, Any]:
    """The direction with its changes; null takes a model away, and is the default again of what has no null.

    Raises:
        PlanError: what comes of it is no direction of a plan; the message begins with ``what``.
    """
    if not isinstance(changes, dict):
        raise PlanError(f"{what} is not an object with what changes")
    planned = table("direction").planned
    keeps = {
        key for key, option in planned.items() if option.nullable and option.kind not in ("table", "family")
    }
    both = {**direction, **changes}
    values = {key: value for key, value in both.items() if value is not None or key in keeps}
    check_direction(values, what)
    return values


def with_both_files(directions: Directions) -> Directions:
    """Those that change, each `with_files`. Raises as that."""
    return {
        way: None if values is None else with_files(values, backward=way == "b_to_a")
        for way, values in directions.items()
    }
