# SPDX-License-Identifier: MIT
"""A network that is simulated as a whole, in virtual time: as fast as its events can be handled, without root.

Topo ─ offline_plan ─▶ instance plan ─ run_replication (one per seed) ─▶ Replication ─┬─▶ SimulationReport
                                                                                      └─▶ a run directory
               └─▶ Stepper: one simulation, event by event, and its page
"""

from __future__ import annotations

from hybridnet.simulate.offline.forward import FastForward, ForwardCheck, Forwarded
from hybridnet.simulate.offline.ranks import Hosts
from hybridnet.simulate.offline.replication import Replication, Series
from hybridnet.simulate.offline.report import Figure, SimulationReport
from hybridnet.simulate.offline.simulate import simulate
from hybridnet.simulate.offline.stepper import Condition, Stepper

__all__ = [
    "Condition",
    "FastForward",
    "Figure",
    "ForwardCheck",
    "Forwarded",
    "Hosts",
    "Replication",
    "Series",
    "SimulationReport",
    "Stepper",
    "simulate",
]
