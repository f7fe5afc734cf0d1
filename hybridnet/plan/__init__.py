# SPDX-License-Identifier: MIT
"""From a description to what each machine makes: pure data."""

from hybridnet.plan.peering import PeeringOptions
from hybridnet.plan.plan import MachineSpec, Plan, PlanOptions, RealtimeOptions, make_plan

__all__ = ["MachineSpec", "PeeringOptions", "Plan", "PlanOptions", "RealtimeOptions", "make_plan"]
