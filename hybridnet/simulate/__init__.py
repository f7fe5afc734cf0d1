# SPDX-License-Identifier: MIT
"""A network that is simulated as a whole, in virtual time: as fast as its events can be handled, without root.

Topo ─ offline_plan ─▶ instance plan ─ run_replication (one per seed) ─▶ Replication ─┬─▶ SimulationReport
                                                                                      └─▶ a run directory
               └─▶ Stepper: one simulation, event by event, and its page
"""

from __future__ import annotations

from hybridnet.simulate.ranks import Hosts
from hybridnet.simulate.replication import Replication, Series
from hybridnet.simulate.report import Figure, SimulationReport
from hybridnet.simulate.simulate import simulate
from hybridnet.simulate.stepper import Condition, Stepper

__all__ = [
    "Condition",
    "Figure",
    "Hosts",
    "Replication",
    "Series",
    "SimulationReport",
    "Stepper",
    "simulate",
]
