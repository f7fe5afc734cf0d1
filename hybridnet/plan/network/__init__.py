# SPDX-License-Identifier: MIT
"""From a description to what each machine makes: pure data."""

from hybridnet.plan.choices.options import MachineSpec, PlanOptions, RealtimeOptions
from hybridnet.plan.choices.peering import PeeringOptions
from hybridnet.plan.network.plan import Plan
from hybridnet.plan.network.planning import make_plan

__all__ = ["MachineSpec", "PeeringOptions", "Plan", "PlanOptions", "RealtimeOptions", "make_plan"]
