# SPDX-License-Identifier: MIT
"""Parts: what processors simulate of one network at the same time. Pure.

A link can be cut between two parts where both directions delay every packet: the delay of the cut links is the
lookahead, by which each part knows what comes. So the longer the delays that are cut, the less often the parts meet. Of
all delays in the network, from the longest down, this takes the first by which METIS finds parts of about equal weight
when it may cut what takes as long or longer.

    stays together         the ends of a link without delay in one direction, or with a plug-in, whose state is one, or
                           with slots, whose next rate decides about packets that wait already; a node with its
                           only neighbour, if parts are to be had so
    weight of a node       one for each interface, four for each application: about what events it has
    weight of an edge      its rate in Mbit/s (1000 where there is no limit): what crosses it is copied
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hybridnet.describe.quantities import format_delay
from hybridnet.describe.schema.plans import DirectionPlan, InstancePlan, SimulatedLink, SimulatedNode
from hybridnet.describe.values import counted
from hybridnet.errors import PlanError
from hybridnet.plan.placement.partition import Groups, parts_of

__all__ = ["Partition", "partition", "partition_as_named"]

EVEN_ENOUGH = 1.15
"""Of the heaviest part to the mean: METIS' parts are taken at once when they are this even."""
APPLICATION_WEIGHT = 4
UNLIMITED_MBPS = 1000


@dataclass(frozen=True)
class Partition:
    """A network's parts. Prints as one line.

    Args:
        part_of: the part of each node, from 0.
        parts: how many.
        cut: the names of the links between parts.
        lookahead_ns: the least delay of these; None where no link is cut.
        balance: weight of the heaviest part, where the mean is 1.
    """

    part_of: Mapping[str, int]
    parts: int
    cut: tuple[str, ...]
    lookahead_ns: int | None
    balance: float

    def __str__(self) -> str:
        sizes = Counter(self.part_of.values())
        nodes = ", ".join(str(sizes[part]) for part in range(self.parts))
        links = counted(len(self.cut), "cut link")
        ahead = "" if self.lookahead_ns is None else f", lookahead {format_delay(self.lookahead_ns)}"
        parts = counted(self.parts, "part")
        return f"{parts} of {nodes} nodes: {links}{ahead}, heaviest part {self.balance:.2f} of the mean"


def partition(plan: InstancePlan, parts: int) -> Partition:
    """Partition the network of an instance plan that has neither portals nor peers.

    Args:
        plan: the instance plan.
        parts: how many; 1 or more.

    Raises:
        PlanError: it cannot be cut into so many parts, for want of links with a delay or of nodes.
    """
    if parts == 1:
        return _described(plan, {node["name"]: 0 for node in plan["nodes"]}, 1)
    best: Partition | None = None
    for group in _groupings(plan):
        found = _cut(plan, group, parts)
        if found is not None and (best is None or found.balance < best.balance):
            best = found
        if best is not None and best.balance <= EVEN_ENOUGH:
            return best
    if best is None:
        delayed = len(set(_merged(plan, 1, leaves=False).values()))
        why = (
            f"links with a delay join only {counted(delayed, 'part')} of it; give links between "
            "routers a delay, or take fewer parts"
            if delayed < parts
            else f"of the {delayed} pieces between its links with a delay, METIS makes fewer; take fewer parts"
        )
        raise PlanError(f"parallel {parts}: the network cannot be cut into {parts} parts: {why}")
    return best


def partition_as_named(plan: InstancePlan, name_of: Mapping[str, str]) -> Partition:
    """The parts that the description names.

    Args:
        plan: the instance plan.
        name_of: of each node the name of its part.

    Raises:
        PlanError: a link between two of them cannot be cut.
    """
    names = list(dict.fromkeys(name_of[node["name"]] for node in plan["nodes"]))
    found = _described(plan, {node: names.index(name) for node, name in name_of.items()}, len(names))
    cut = set(found.cut)
    for link in plan["links"]:
        if link["name"] in cut and not _can_be_cut(link):
            raise PlanError(
                f"link {link['name']}: it joins machines, and a direction of it has no delay, a plug-in or slots, so "
                "that it cannot be cut; give it a delay, or put both ends on one machine"
            )
    return found


def ends_of(plan: InstancePlan) -> dict[str, str]:
    """The node of each interface."""
    return {interface["name"]: node["name"] for node in plan["nodes"] for interface in node["interfaces"]}


def _can_be_cut(link: SimulatedLink) -> bool:
    return _delay(link) > 0


def _delay(link: SimulatedLink) -> int:
    """The least delay of both directions; 0 where it must not be cut."""
    ways = (link["a_to_b"], link["b_to_a"])
    return 0 if any(_undecided(way) for way in ways) else min(way["delay_ns"] for way in ways)


def _undecided(way: DirectionPlan) -> bool:
    """Whether what this direction has accepted may still come out at another instant than it says, or elsewhere."""
    model = way.get("rate_model")
    return bool(way.get("plugin")) or (model is not None and model["model"] == "slots")


def _groupings(plan: InstancePlan) -> Iterator[dict[str, str]]:
    delays = sorted({_delay(link) for link in plan["links"] if _can_be_cut(link)}, reverse=True)
    for leaves in (True, False):
        for least in delays:
            yield _merged(plan, least, leaves=leaves)


def _merged(plan: InstancePlan, least_ns: int, *, leaves: bool) -> dict[str, str]:
    """Of each node one that stands for all that stay with it: what links below the least delay join, and with `leaves`
    also a node with its only neighbour."""
    names = [node["name"] for node in plan["nodes"]]
    groups = Groups(names)
    node_of = ends_of(plan)
    neighbours: dict[str, set[str]] = {name: set() for name in names}
    for link in plan["links"]:
        a, b = node_of[link["a"]["interface"]], node_of[link["b"]["interface"]]
        neighbours[a].add(b)
        neighbours[b].add(a)
        if _delay(link) < least_ns:
            groups.join(a, b)
    for name, others in neighbours.items():
        if leaves and len(others) == 1:
            groups.join(next(iter(others)), name)
    return {name: groups.of(name) for name in names}


def _cut(plan: InstancePlan, group: Mapping[str, str], parts: int) -> Partition | None:
    weights = Counter[str]()
    for node in plan["nodes"]:
        weights[group[node["name"]]] += _weight(node)
    edges = Counter[tuple[str, str]]()
    node_of = ends_of(plan)
    for link in plan["links"]:
        a, b = (group[node_of[link[end]["interface"]]] for end in ("a", "b"))
        edges[a, b] += _mbps(link)
    part_of = parts_of(weights, edges, [1 / parts] * parts)
    order = list(dict.fromkeys(part_of.values()))  # of the description
    if len(order) < parts:
        return None
    return _described(plan, {name: order.index(part_of[member]) for name, member in group.items()}, parts)


def _weight(node: SimulatedNode) -> int:
    return max(1, len(node["interfaces"]) + APPLICATION_WEIGHT * len(node.get("applications", ())))


def _mbps(link: SimulatedLink) -> int:
    rates = [link[way]["rate_bps"] for way in ("a_to_b", "b_to_a")]
    return max(UNLIMITED_MBPS if rate is None else max(rate // 1_000_000, 1) for rate in rates)


def _described(plan: InstancePlan, part_of: Mapping[str, int], parts: int) -> Partition:
    node_of = ends_of(plan)
    cut = [
        link
        for link in plan["links"]
        if part_of[node_of[link["a"]["interface"]]] != part_of[node_of[link["b"]["interface"]]]
    ]
    weights = Counter[int]()
    for node in plan["nodes"]:
        weights[part_of[node["name"]]] += _weight(node)
    return Partition(
        part_of,
        parts,
        tuple(link["name"] for link in cut),
        min((_delay(link) for link in cut), default=None),
        max(weights.values()) * parts / sum(weights.values()),
    )
