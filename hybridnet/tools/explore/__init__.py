# SPDX-License-Identifier: MIT
"""The controller microscope: finds what is wrong with an SDN application, and shows it again; see docs/explore.md.

seed ─ draw ─▶ Schedule ─ run_trial ─▶ Observed ─ findings ─▶ Finding ─ shrink ─▶ Counterexample
"""

from __future__ import annotations

from hybridnet.tools.explore.counterexample import Counterexample
from hybridnet.tools.explore.explore import Explore, Report
from hybridnet.tools.explore.invariants import (
    INVARIANTS,
    Finding,
    Invariant,
    affinity,
    all_reach_all,
    bounded,
    invariant,
    isolated,
    no_ambiguous_rules,
    no_shadowed_rules,
    reaches,
)
from hybridnet.tools.explore.page import page_of
from hybridnet.tools.explore.schedule import Event, Schedule
from hybridnet.tools.explore.trial import Observed

__all__ = [
    "INVARIANTS",
    "Counterexample",
    "Event",
    "Explore",
    "Finding",
    "Invariant",
    "Observed",
    "Report",
    "Schedule",
    "affinity",
    "all_reach_all",
    "bounded",
    "invariant",
    "isolated",
    "no_ambiguous_rules",
    "no_shadowed_rules",
    "page_of",
    "reaches",
]
