# SPDX-License-Identifier: MIT
"""Balance: how much each instance of a plan has to do, what passes between them, and how far ahead they look. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from hybridnet.describe.schema.plans import InstancePlan, SimulatedLink
from hybridnet.plan.placement.division import expected_mbps

__all__ = ["Balance", "Load", "balance"]


@dataclass(frozen=True)
class Load:
    """What one instance has to do.

    Args:
        nodes, portals: how many it has; portals are those to emulated nodes.
        mbps: what its links may carry together, in Mbit/s; 1000 for a direction without a rate.
        share: of what the links of all instances may carry.
    """

    nodes: int
    portals: int
    mbps: int
    share: float


@dataclass(frozen=True)
class Balance:
    """The instances of a plan beside each other.

    Args:
        loads: by instance.
        cut_links: links between instances.
        cut_mbps: what they may carry together.
        lookahead_ns: the least delay of them, in either direction; None: there is none.
    """

    loads: dict[str, Load]
    cut_links: int
    cut_mbps: int
    lookahead_ns: int | None

    def to_json(self) -> dict[str, object]:
        """As data; ``loads`` by instance."""
        return asdict(self)


def balance(instances: Iterable[InstancePlan]) -> Balance:
    """Compare the instances of a plan.

    Args:
        instances: their plans.
    """
    plans = list(instances)
    carried = {plan["name"]: expected_mbps(map(_rates, plan["links"])) for plan in plans}
    total = sum(carried.values())
    loads = {
        plan["name"]: Load(
            len(plan["nodes"]),
            len(plan["emulation_portals"]),
            carried[plan["name"]],
            carried[plan["name"]] / total if total else 0.0,
        )
        for plan in plans
    }
    # A cut link is in two plans; each has its own end as `a`, and so the direction that begins there.
    named = Counter(link["name"] for plan in plans for link in plan["links"])
    cut = [link for plan in plans for link in plan["links"] if named[link["name"]] == 2]
    delays = [link["a_to_b"]["delay_ns"] for link in cut]
    carried_between = expected_mbps((link["a_to_b"]["rate_bps"],) for link in cut)
    return Balance(loads, len(cut) // 2, carried_between, min(delays, default=None))


def _rates(link: SimulatedLink) -> tuple[int | None, int | None]:
    return link["a_to_b"]["rate_bps"], link["b_to_a"]["rate_bps"]
