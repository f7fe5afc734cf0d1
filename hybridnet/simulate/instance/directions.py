# SPDX-License-Identifier: MIT
"""Directions of links that change while they run."""

from __future__ import annotations

import json
from typing import Literal

from hybridnet.describe.options import table
from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import DirectionPlan, SimulatedLink
from hybridnet.errors import PlanError
from hybridnet.simulate.instance.build import with_files

__all__ = ["DIRECTIONS", "Directions", "merged", "take_over", "told_of"]

Way = Literal["a_to_b", "b_to_a"]
DIRECTIONS: tuple[Way, Way] = ("a_to_b", "b_to_a")

Directions = dict[Way, DirectionPlan | None]
"""None: as it is."""


def merged(direction: DirectionPlan, changes: object, what: str) -> DirectionPlan:
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
    return checked(values, DirectionPlan, what)


def take_over(link: SimulatedLink, directions: Directions) -> None:
    """Give a link those of its directions that change."""
    for way, values in directions.items():
        if values is not None:
            link[way] = values


def told_of(link: str, directions: Directions) -> tuple[DirectionPlan | None, DirectionPlan | None, str]:
    """What the simulator is told of a link's two directions, each `with_files`, and the note of it for a record. Raises
    as that.
    """
    there, back = (
        None if values is None else with_files(values, backward=way == "b_to_a")
        for way, values in ((way, directions[way]) for way in DIRECTIONS)
    )
    return there, back, json.dumps({"link": link, "a_to_b": there, "b_to_a": back})
