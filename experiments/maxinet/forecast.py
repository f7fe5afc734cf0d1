# SPDX-License-Identifier: MIT
"""What the hybrid arm will carry, forecast from what was measured once on the machines' computers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hybridnet.experiments.maxinet.flow_runner import udp_pacing_us
from hybridnet.experiments.maxinet.scale import MET_STEPS, PAYLOAD_BYTES, YARDSTICK_FLOWS, Scale
from hybridnet.experiments.maxinet.staircase import flows_of
from hybridnet.machines.cluster import Cluster
from hybridnet.plan.network import Plan
from hybridnet.tools.calibration import computers_of, named_facts
from hybridnet.tools.forecast import Demand, Flow, make_forecast
from hybridnet.tools.forecast.cost_files import facts_of, read_costs
from hybridnet.tools.forecast.demand import SEGMENT_BYTES
from hybridnet.tools.forecast.loads import Computer

__all__ = ["Capacity", "demand_of", "forecast_capacity"]


@dataclass(frozen=True)
class Capacity:
    """What the hybrid arm carries.

    Args:
        full_bps: of 8 + 8 flows, when the first of its parts is full; payload bit/s.
        full: which part that is.
        trusted_bps: of the flows of the widest step that is to be met, at most, so that the step stays trusted.
    """

    full_bps: int
    full: str
    trusted_bps: int


def demand_of(scale: Scale, flows: int) -> Demand:
    """The demand of a step of the staircase, as its programs send it."""
    step = replace(scale, steps=(flows,))
    return Demand(
        [
            Flow(
                flow.sender,
                flow.receiver,
                flow.rate_bps,
                flow.protocol,
                PAYLOAD_BYTES if flow.protocol == "udp" else SEGMENT_BYTES,
                udp_pacing_us(flow.rate_bps, PAYLOAD_BYTES) / 1e6,
            )
            for flow in flows_of(step)
        ],
        f"maxinet, {flows} TCP and {flows} UDP flows",
    )


def forecast_capacity(cluster: Cluster, plan: Plan, base: Scale) -> Capacity:
    """Forecast it for a network that runs.

    Args:
        plan: of the hybrid arm.
        base: the network that it was built for; its rates are scaled together.

    Raises:
        UsageError: costs of a computer are missing or stale.
    """
    computers = _computers(cluster)
    full, met = (
        make_forecast(plan, demand_of(base, flows), computers) for flows in (YARDSTICK_FLOWS, MET_STEPS[-1])
    )
    return Capacity(round(full.first.carried_bps), str(full.first.part), round(met.trusted.carried_bps))


def _computers(cluster: Cluster) -> Sequence[Computer]:
    found = []
    for computer, machines in computers_of(cluster).items():
        name, facts = named_facts(cluster, machines[0], computer)
        found.append(Computer(name, facts["cpus"], machines, read_costs(name, facts_of(facts))))
    return found
