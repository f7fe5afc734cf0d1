# SPDX-License-Identifier: MIT
"""Plan: what each machine makes, and what every node and link became; as data, as JSON, and as a tree to read.

The machine plans are those of `hybridnet/describe/schema/machine.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hybridnet.describe.quantities import format_delay
from hybridnet.describe.schema.plans import (
    HostPlan,
    HostRoute,
    InstancePlan,
    MachinePlan,
    NodePlan,
    PairPlan,
    SimulatedNode,
    SimulatedRoute,
    SwitchPlan,
)
from hybridnet.describe.values import counted
from hybridnet.plan.choices.fit import Estimate
from hybridnet.plan.network.links import LinkPlan
from hybridnet.plan.network.tickets import TicketContent
from hybridnet.plan.placement.balance import balance
from hybridnet.plan.placement.pins import NO_PINS, Pins

__all__ = ["Plan"]

_MOST_LINES = 24  # lines of one list; nobody reads a tree of 128 hosts line by line


@dataclass(frozen=True)
class Plan:
    """What each machine makes, and what every node and link became."""

    machines: dict[str, MachinePlan]  # machine plans, by machine
    machine_of: dict[str, str]  # by node
    instance_of: dict[str, str]  # by node: what simulates it, or would have its portals
    links: list[LinkPlan]
    estimates: dict[str, Estimate]  # what it takes, by machine
    warnings: list[str]
    notes: list[str]  # what was chosen for the user
    pins: Pins = NO_PINS  # what existed before
    guests: dict[str, TicketContent] = field(default_factory=dict, repr=False)  # tickets, which have keys
    slow: int = 1  # wall seconds for a second of what is described

    @property
    def instances(self) -> dict[str, InstancePlan]:
        """The plans of all instances, by name."""
        return {each["name"]: each for machine in self.machines.values() for each in machine["instances"]}

    @property
    def machine_of_instance(self) -> dict[str, str]:
        """Where each instance runs."""
        return {each["name"]: name for name, made in self.machines.items() for each in made["instances"]}

    @property
    def simulated(self) -> frozenset[str]:
        """The nodes that an instance is, OpenFlow switches with a live node among them: no machine has their
        interfaces.
        """
        return frozenset(node["name"] for each in self.instances.values() for node in each["nodes"])

    def host(self, name: str) -> HostPlan:
        """The plan of one emulated host."""
        return next(host for host in self.machines[self.machine_of[name]]["hosts"] if host["name"] == name)

    def switch(self, name: str) -> SwitchPlan | NodePlan:
        """The plan of one emulated switch."""
        machine = self.machines[self.machine_of[name]]
        switches: list[SwitchPlan | NodePlan] = [*machine["switches"], *machine.get("nodes", [])]
        return next(switch for switch in switches if switch["name"] == name)

    def to_json(self) -> dict[str, object]:
        """The plan as data."""
        return {
            "machines": self.machines,
            "placement": self.machine_of,
            "links": [
                {
                    "name": link.name,
                    "kind": link.kind,
                    "a": link.a.interface,
                    "b": link.b.interface,
                    "machines": list(link.machines),
                    "instances": list(link.instances) if link.simulated else [],
                    "portals": list(link.portals),
                }
                for link in self.links
            ],
            "guests": {
                name: {key: value for key, value in ticket.items() if key != "key"}
                for name, ticket in self.guests.items()
            },
            "balance": balance(self.instances.values()).to_json(),
            "estimates": self.estimates,
            "warnings": self.warnings,
            "notes": self.notes,
        }

    def dumps(self) -> str:
        """The plan as JSON text."""
        return json.dumps(self.to_json(), indent=2)

    def __str__(self) -> str:
        """The plan for people to read: a tree of machines, and how the instances are joined."""
        return "\n".join(_tree(self))


def _tree(plan: Plan) -> Iterator[str]:
    """One tree for each machine, then the cut links and the warnings."""
    for name, machine in plan.machines.items():
        yield from _machine(name, machine, plan)
    yield from _balance(plan)
    yield from _guests(plan)
    yield from plan.notes
    yield from (f"warning: {warning}" for warning in plan.warnings)


def _balance(plan: Plan) -> Iterator[str]:
    """The cut links, and the instances beside each other, where there are several."""
    compared = balance(plan.instances.values())
    if len(compared.loads) < 2:
        return
    yield "instances"
    yield from _branch(
        [
            f"{name}: {counted(load.nodes, 'node')}, {counted(load.portals, 'portal')}, links for {load.mbps} Mbit/s "
            f"({100 * load.share:.0f} %)"
            for name, load in compared.loads.items()
        ]
    )
    cut = [link for link in plan.links if link.kind == "cut"]
    if compared.lookahead_ns is not None:
        yield (
            f"between the instances: {counted(len(cut), 'cut link')} for {compared.cut_mbps} Mbit/s, lookahead "
            f"{format_delay(compared.lookahead_ns)}"
        )
        yield from _branch(
            [
                f"{_ends(link)}  {_directions(link)}  {' - '.join(link.instances)}"
                + ("  over pcap portals" if link.by_portals else "")
                for link in cut
            ]
        )


def _guests(plan: Plan) -> Iterator[str]:
    """Who may join, and where."""
    if not plan.guests:
        return
    links = {link.guest: link for link in plan.links if link.guest is not None}
    yield "guests"
    yield from _branch(
        [
            f"{name}: {' '.join(ticket['interface']['addresses']) or 'without address'}, UDP port {ticket['port']}; "
            f"{_ends(links[name])}  {_directions(links[name])}"
            for name, ticket in plan.guests.items()
        ]
    )


def _machine(name: str, machine: MachinePlan, plan: Plan) -> Iterator[str]:
    estimate = plan.estimates[name]
    yield (
        f"{name}: {counted(len(machine['hosts']), 'host')}, {counted(len(machine['switches']), 'switch')}, "
        f"{machine['port_type']} ports, about {estimate['memory_bytes'] / 1e6:.0f} MB"
    )
    several = len(machine["instances"]) > 1
    groups = [
        ("hosts", [_host(host) for host in machine["hosts"]]),
        ("switches", [_switch(switch) for switch in machine["switches"]]),
        ("other switches", [_node(node) for node in machine.get("nodes", [])]),
        ("pairs", [_pair(pair) for pair in machine["pairs"]]),
        ("portals", [f"{portal['interface']} of {portal['node']}" for portal in machine["portals"]]),
        (
            "simulated nodes",
            [
                _simulated(node) + (f"  in {instance['name']}" if several else "")
                for instance in machine["instances"]
                for node in instance["nodes"]
            ],
        ),
        (
            "simulated links",
            [
                f"{_ends(link)}  {_directions(link)}"
                for link in plan.links
                if link.kind == "simulated" and link.machines[0] == name
            ],
        ),
    ]
    shown = [(title, lines) for title, lines in groups if lines]
    for index, (title, lines) in enumerate(shown):
        last = index == len(shown) - 1
        yield f"{'└── ' if last else '├── '}{title}"
        yield from (f"{'    ' if last else '│   '}{line}" for line in _branch(lines))


def _branch(items: list[str]) -> list[str]:
    shown = items if len(items) <= _MOST_LINES else items[: _MOST_LINES - 1]
    if len(shown) < len(items):
        shown = [*shown, f"… and {len(items) - len(shown)} more (all of them with --json)"]
    return [f"{'└── ' if index == len(shown) - 1 else '├── '}{item}" for index, item in enumerate(shown)]


def _host(host: HostPlan) -> str:
    interfaces = ", ".join(
        f"{interface['name']} {' '.join(interface['addresses']) or 'without address'}"
        for interface in host["interfaces"]
    )
    return f"{host['name']}: {interfaces or 'no interface'}{_routes(host['routes'])}"


def _switch(switch: SwitchPlan) -> str:
    controllers = " ".join(switch["controllers"]) or "no controller"
    return f"{switch['name']}: dpid {switch['dpid']}, {counted(len(switch['ports']), 'port')}, {controllers}"


def _node(node: NodePlan) -> str:
    options = "".join(f", {name}={value!r}" for name, value in node["options"].items())
    return f"{node['name']}: {node['kind']}, {counted(len(node['ports']), 'port')}{options}"


def _pair(pair: PairPlan) -> str:
    return f"{pair['a']['interface']} ── {pair['b']['interface']}  {pair['kind']}"


def _simulated(node: SimulatedNode) -> str:
    interfaces = ", ".join(
        " ".join(filter(None, (interface["name"], interface.get("address"), interface.get("address6"))))
        for interface in node["interfaces"]
    )
    delay = node.get("processing_delay_ns")
    processing = f"; {format_delay(delay)} a packet" if delay is not None else ""
    return f"{node['name']}: {node['kind']}, {interfaces}{_routes(node['routes'])}{processing}"


def _routes(routes: Sequence[HostRoute | SimulatedRoute]) -> str:
    return "".join(
        f"; {route['prefix']} via {route['via']}"
        if route["via"]
        else f"; {route['prefix']} dev {route['interface']}"
        for route in routes
    )


def _ends(link: LinkPlan) -> str:
    return f"{link.a.interface} ── {link.b.interface}"


def _directions(link: LinkPlan) -> str:
    there, back = link.a_to_b.text(), link.b_to_a.text()
    return there if there == back else f"there: {there}; back: {back}"
