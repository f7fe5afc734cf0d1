# SPDX-License-Identifier: MIT
"""Layout: which machine each node lives on, and which instance of that machine simulates it.

A node without `machine=` lives where its neighbours live. First along links that cannot be cut (their delay
is too short to hide the transit between machines), then along the others. If no node of a part of the network
names a machine, the part lives on the first one. Which instance: `hybridnet.plan.placement.division`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hybridnet.describe.topo import LinkSpec, NodeSpec, Topo
from hybridnet.describe.topo.options import End
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import MachineSpec
from hybridnet.plan.choices.transports import least_delay_ns
from hybridnet.plan.placement.division import Division, divide, follow_neighbours
from hybridnet.plan.placement.pins import NO_PINS, Pins

__all__ = ["Layout", "lay_out"]


@dataclass(frozen=True)
class Layout:
    """The description with every node on a machine, and in an instance of it. Dictionaries keep the order of the
    description.
    """

    nodes: dict[str, NodeSpec]
    links: list[LinkSpec]
    machine_of: dict[str, str]
    division: Division
    ends_of: dict[str, list[End]]  # by port

    @property
    def instance_of(self) -> dict[str, str]:
        """By node: what simulates it, or has its portals."""
        return self.division.instance_of

    def on(self, machine: str, role: str | None = None) -> list[NodeSpec]:
        """The nodes on one machine, of one role or of all."""
        return [
            spec
            for spec in self.nodes.values()
            if self.machine_of[spec.name] == machine and role in (None, spec.role)
        ]


def lay_out(
    topo: Topo,
    machines: Sequence[MachineSpec],
    least_cut_delay_ns: int,
    pins: Pins = NO_PINS,
    instances: int | str = 1,
) -> Layout:
    """Give every node a machine, and an instance of it; one that exists stays on its own.

    Args:
        instances: of each machine, or ``"auto"``.

    Raises:
        PlanError: no machine, a repeated or unknown machine name, or an instance on two machines.
    """
    names = [machine.name for machine in machines]
    if not names:
        raise PlanError("there is no machine to build on; give at least one")
    for name in names:
        if names.count(name) > 1:
            raise PlanError(f"machine {name} is given twice; give each machine a name of its own")
    nodes = {spec.name: spec for spec in topo.node_specs()}
    links = [_as_it_runs(link, pins) for link in topo.link_specs()]
    named = {name: pins.machine_of.get(name, spec.machine) for name, spec in nodes.items()}
    machine_of = {name: _named_machine(name, machine, names) for name, machine in named.items() if machine}

    def cannot_be_cut(link: LinkSpec) -> bool:
        return min(link.a_to_b.delay_ns, link.b_to_a.delay_ns) < least_cut_delay_ns

    follow_neighbours(nodes, links, machine_of, cannot_be_cut)
    follow_neighbours(nodes, links, machine_of, lambda _: True)
    placed = {name: machine_of.get(name, names[0]) for name in nodes}
    division = divide(
        nodes,
        links,
        placed,
        machines,
        instances,
        lambda pair: least_delay_ns(pair, least_cut_delay_ns),
        pins,
    )
    return Layout(nodes, links, placed, division, _ends_by_port(nodes, links))


def _named_machine(node: str, machine: str, names: list[str]) -> str:
    if machine not in names:
        raise PlanError(f"node {node}: there is no machine {machine!r}; the machines are {', '.join(names)}")
    return machine


def _as_it_runs(link: LinkSpec, pins: Pins) -> LinkSpec:
    """The link with the directions that it has got while the network runs."""
    there, back = pins.directions.get(link.name, (link.a_to_b, link.b_to_a))
    return link if (there, back) == (link.a_to_b, link.b_to_a) else replace(link, a_to_b=there, b_to_a=back)


def _ends_by_port(nodes: Iterable[str], links: Iterable[LinkSpec]) -> dict[str, list[End]]:
    ends: dict[str, list[End]] = {name: [] for name in nodes}
    for link in links:
        for end in (link.a, link.b):
            ends[end.node].append(end)
    return {name: sorted(own, key=lambda end: end.port) for name, own in ends.items()}
