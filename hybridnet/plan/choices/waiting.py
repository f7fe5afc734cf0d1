# SPDX-License-Identifier: MIT
"""How instances wait for frames and events: what ``auto`` means on each machine, and how far apart a busy one's turns
are. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hybridnet.describe.schema.plans import InstancePlan, SimulatedLink
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import AUTO, MachineSpec

__all__ = ["choose_waits", "moderation_ns", "waiting_notes"]

SLEEP, ADAPTIVE, DEDICATED = "sleep", "adaptive", "dedicated"

SPARED = 2
"""Processors that stay for everything else on a machine, at least, where ``auto`` gives instances their own."""

# Moderation saves wake-ups, each of which takes a core from the emulated hosts. Its error stays a small part of what
# the links delay, and of the verdict's limit on lateness.
MODERATION_PART = 20
MOST_MODERATION_NS = 100_000
SIMULATED_MODERATION_NS = 300_000
"""Of an instance that nothing real is attached to: nobody waits for what is late, only the verdict looks at it."""
CUT_MODERATION_PART = 4
"""Of a cut link's delay: a packet may have to wait for a turn at both of its ends, and still come before it is due."""


def moderation_ns(instance: InstancePlan) -> int:
    """How far apart the turns of a busy instance begin: by the least delay of its links, or, where nothing real is
    attached, of its cut links.
    """
    if instance["emulation_portals"]:
        return min(_least_delay_ns(instance["links"]) // MODERATION_PART, MOST_MODERATION_NS)
    if is_alone(instance):
        return SIMULATED_MODERATION_NS
    cut = [link for link in instance["links"] if "peer" in link["a"] or "peer" in link["b"]]
    return min(_least_delay_ns(cut) // CUT_MODERATION_PART, SIMULATED_MODERATION_NS)


def _least_delay_ns(links: Iterable[SimulatedLink]) -> int:
    return min((link[way]["delay_ns"] for link in links for way in ("a_to_b", "b_to_a")), default=0)


def is_alone(instance: InstancePlan) -> bool:
    """Whether it has neither portals nor peers."""
    return not instance["emulation_portals"] and not instance["peers"]


def choose_waits(machine: MachineSpec, instances: Sequence[InstancePlan]) -> list[str]:
    """How each instance of a machine waits, in the plans' order.

    Raises:
        PlanError: the machine has too few processors for those that are to have one each.
    """
    asked = [instance["realtime"]["wait"] for instance in instances]
    processors = len(machine.processors)
    chosen = [
        _chosen(instance, len(instances), processors) if wait == AUTO else wait
        for wait, instance in zip(asked, instances, strict=True)
    ]
    owners = chosen.count(DEDICATED)
    if 0 < processors <= owners:
        raise PlanError(
            f"machine {machine.name}: wait 'dedicated' takes a processor for each of {owners} "
            f"instance{'s' * (owners != 1)} and at least one for the rest, and the machine has {processors}; write "
            "'adaptive', or give the machine more"
        )
    return chosen


def _chosen(instance: InstancePlan, instances: int, processors: int) -> str:
    """What ``auto`` means for one of so many instances of a machine. No processors: they are not known."""
    if (
        is_alone(instance) or 0 < processors < instances
    ):  # who looks for frames would keep another from running
        return SLEEP
    spare = processors - instances >= max(SPARED, instances)
    return DEDICATED if spare and instance["emulation_portals"] else ADAPTIVE


def waiting_notes(machines: Sequence[MachineSpec], waits: Mapping[str, Sequence[str]]) -> list[str]:
    """What was chosen, in a line for all machines with the same choice.

    Args:
        waits: of each machine, as `choose_waits` returns them.
    """
    alike: dict[str, list[str]] = {}
    for machine in machines:
        if waits[machine.name]:
            ways = ", ".join(dict.fromkeys(waits[machine.name]))
            count = len(machine.processors)
            known = f"{count} processor{'s' * (count != 1)}" if count else "processors not known"
            alike.setdefault(f"{ways} ({known})", []).append(machine.name)
    return [f"instances on {', '.join(names)} wait: {how}" for how, names in alike.items()]
