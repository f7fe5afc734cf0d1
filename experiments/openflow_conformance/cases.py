# SPDX-License-Identifier: MIT
"""All cases, in the order in which they run."""

from __future__ import annotations

from itertools import chain

from hybridnet.experiments.openflow_conformance import (
    groups,
    matches,
    meters,
    openflow10,
    pipelines,
    set_fields,
    tags,
)
from hybridnet.experiments.openflow_conformance.case import Case

__all__ = ["all_cases"]

_MODULES = (matches, set_fields, tags, pipelines, groups, meters, openflow10)


def all_cases() -> list[Case]:
    """Every case of OpenFlow 1.3 and then of 1.0; their titles are unique."""
    made = list(chain.from_iterable(module.cases() for module in _MODULES))
    assert len({case.title for case in made}) == len(made)
    return made
