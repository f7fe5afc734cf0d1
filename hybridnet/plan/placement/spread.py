# SPDX-License-Identifier: MIT
"""Spread: a description that names no machines, laid over several so that little passes between them. Pure.

METIS partitions a graph whose vertices are what must stay together, and whose edges are the links that can be cut:

    stays together                               a host (or simulated host) with its only neighbour; the ends of a link
                                                 whose jitter or reordering leaves no packet a certain delay
    weight of a vertex                           how many nodes it is
    weight of an edge                            its rate in Mbit/s (1000 where there is no limit), ten times that
                                                 where its delay is too short to hide the transit between machines

What a link that is cut lacks of that delay is added to it: the simulator cannot deliver a packet before it has come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hybridnet.describe.quantities import format_delay
from hybridnet.describe.topo import LinkSpec, Topo
from hybridnet.describe.topo.direction import Direction
from hybridnet.describe.topo.roles import ROLES
from hybridnet.describe.values import counted, shown
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import LEAST_CUT_DELAY_NS, MachineSpec
from hybridnet.plan.placement.layout import lay_out
from hybridnet.plan.placement.partition import Groups, parts_of

__all__ = ["Spread", "spread"]

UNLIMITED_MBPS = 1000
SHORT_LINK_FACTOR = 10


@dataclass(frozen=True)
class Spread:
    """A description laid over machines. Prints as one line.

    Args:
        topo: the description, in which every node has a machine and every cut link delay enough.
        machine_of: the machine of each node.
        machines: all machines, also those that got nothing.
        cut: the links between machines, by name.
        slowed: those of them that got a longer delay.
    """

    topo: Topo
    machine_of: Mapping[str, str]
    machines: tuple[str, ...]
    cut: tuple[str, ...]
    slowed: tuple[str, ...]
    least_cut_delay_ns: int

    def __str__(self) -> str:
        nodes = Counter(self.machine_of.values())
        parts = ", ".join(f"{nodes[name]} on {name}" for name in self.machines)
        cut = len(self.cut)
        text = f"{sum(nodes.values())} nodes: {parts}; {counted(cut, 'cut link')}"
        if self.slowed:
            which = "which" if cut == 1 else f"of which {len(self.slowed)}"
            named = ", ".join(self.slowed[:5]) + (", ..." if len(self.slowed) > 5 else "")
            text += f", {which} got a delay of {format_delay(self.least_cut_delay_ns)} ({named})"
        return text


def spread(
    topo: Topo,
    machines: Sequence[str],
    *,
    shares: Sequence[float] | None = None,
    machine_of: Mapping[str, str] | None = None,
    least_cut_delay_ns: int = LEAST_CUT_DELAY_NS,
) -> Spread:
    """Lay a description over machines.

    Args:
        topo: the description. Where a node of it names a machine, or `machine_of` does, nothing is partitioned: the
            others follow their neighbours, as ever.
        machines: their names.
        shares: of the nodes that each machine gets, in any unit; None: equal ones.
        machine_of: the machine of each node that has a place already.
        least_cut_delay_ns: what a link between machines takes at least.

    Raises:
        PlanError: there is no machine, an unknown one is named, or the shares do not fit.

    Example:
        >>> topo = Topo()
        >>> for n in "1234":
        ...     _ = topo.addLink(topo.addHost(f"h{n}"), topo.addSwitch(f"s{n}"))
        >>> for a, b in ("s1", "s2"), ("s2", "s3"), ("s3", "s4"):
        ...     _ = topo.addLink(a, b)
        >>> print(spread(topo, ["m1", "m2"]))
        8 nodes: 4 on m1, 4 on m2; 1 cut link, which got a delay of 200 us (s2-s3)
    """
    names = tuple(machines)
    if not names:
        raise PlanError("there is no machine to spread over; give at least one")
    parts = _shares(names, shares)
    named = {spec.name: spec.machine for spec in topo.node_specs() if spec.machine is not None}
    named |= machine_of or {}
    if named:
        placed = _followed(topo, named, names, least_cut_delay_ns)
    else:
        placed = _partitioned(topo, names, parts, least_cut_delay_ns)
    cut = [link for link in topo.link_specs() if placed[link.a.node] != placed[link.b.node]]
    slowed = {
        link.name: _slowed(link, least_cut_delay_ns) for link in cut if _is_short(link, least_cut_delay_ns)
    }
    nodes = {
        spec.name: {**spec.options, "machine": placed[spec.name]}
        for spec in topo.node_specs()
        if spec.role != "guest"  # it has none
    }
    return Spread(
        topo.revised(nodes, slowed),
        placed,
        names,
        tuple(link.name for link in cut),
        tuple(slowed),
        least_cut_delay_ns,
    )


def _shares(names: tuple[str, ...], shares: Sequence[float] | None) -> list[float]:
    if shares is None:
        return [1 / len(names)] * len(names)
    given = list(shares)
    right = all(isinstance(share, int | float) and not isinstance(share, bool) for share in given)
    if not right or len(given) != len(names) or min(given) < 0 or not 0 < sum(given) < float("inf"):
        raise PlanError(
            f"shares {shown(given)} do not fit {len(names)} machines; give each a number, such as {[1] * len(names)}"
        )
    return [share / sum(given) for share in given]


def _partitioned(
    topo: Topo, names: tuple[str, ...], shares: list[float], least_cut_delay_ns: int
) -> dict[str, str]:
    group = _groups(topo)
    edges: Counter[tuple[str, str]] = Counter()
    for link in topo.link_specs():
        edges[group[link.a.node], group[link.b.node]] += _weight(link, least_cut_delay_ns)
    sizes = Counter(group.values())
    part_of = parts_of({member: sizes[member] for member in dict.fromkeys(group.values())}, edges, shares)
    # Machines with equal shares get their parts in the order of the description.
    order = list(dict.fromkeys(part_of.values()))
    order += [number for number in range(len(names)) if number not in order]
    equal = max(shares) - min(shares) < 1e-9
    name_of = {part: names[order.index(part) if equal else part] for part in range(len(names))}
    return {name: name_of[part_of[member]] for name, member in group.items()}


def _groups(topo: Topo) -> dict[str, str]:
    """Of each node a node that stands for all that stay with it, in the order of the description."""
    nodes = {spec.name: spec for spec in topo.node_specs()}
    groups = Groups(nodes)
    neighbours: dict[str, set[str]] = {name: set() for name in nodes}
    for link in topo.link_specs():
        neighbours[link.a.node].add(link.b.node)
        neighbours[link.b.node].add(link.a.node)
        if not all(_can_wait(direction) for direction in (link.a_to_b, link.b_to_a)):
            groups.join(link.a.node, link.b.node)
    for name, others in neighbours.items():
        if ROLES[nodes[name].role].is_end and len(others) == 1:
            groups.join(next(iter(others)), name)
    return {name: groups.of(name) for name in nodes}


def _weight(link: LinkSpec, least_cut_delay_ns: int) -> int:
    rates = [direction.rate_bps for direction in (link.a_to_b, link.b_to_a)]
    mbps = max(UNLIMITED_MBPS if rate is None else max(rate // 1_000_000, 1) for rate in rates)
    return mbps * (SHORT_LINK_FACTOR if _is_short(link, least_cut_delay_ns) else 1)


def _can_wait(direction: Direction) -> bool:
    """Whether more delay makes every packet wait longer."""
    normal = direction.jitter_ns > 0 and direction.jitter_distribution == "normal"
    return direction.jitter_model is not None or not (direction.reorder > 0 or normal)


def _is_short(link: LinkSpec, least_cut_delay_ns: int) -> bool:
    return min(link.a_to_b.least_delay_ns, link.b_to_a.least_delay_ns) < least_cut_delay_ns


def _slowed(link: LinkSpec, least_cut_delay_ns: int) -> dict[str, object]:
    """The options of a link with what each direction lacks of the least delay."""
    options = dict(link.options)
    for number, direction in ((1, link.a_to_b), (2, link.b_to_a)):
        lacking = least_cut_delay_ns - direction.least_delay_ns
        if lacking > 0:
            own = dict(options.get(f"params{number}") or {})
            options[f"params{number}"] = {**own, "delay": f"{direction.delay_ns + lacking}ns"}
    return options


def _followed(topo: Topo, named: Mapping[str, str], names: Sequence[str], least_ns: int) -> dict[str, str]:
    nodes = {name: {**topo.nodeInfo(name), "machine": machine} for name, machine in named.items()}
    specs = [MachineSpec(name, f"198.18.0.{number}") for number, name in enumerate(names, 1)]
    return lay_out(topo.revised(nodes), specs, least_ns).machine_of
