# SPDX-License-Identifier: MIT
"""The plan for people to read: a tree of machines, what is made there, and how the instances are joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hybridnet.plan.balance import balance
from hybridnet.plan.links import LinkPlan
from hybridnet.quantities import format_delay
from hybridnet.values import counted

if TYPE_CHECKING:
    from hybridnet.plan import Plan

__all__ = ["plan_text"]

_MOST_LINES = 24  # lines of one list; nobody reads a tree of 128 hosts line by line


def plan_text(plan: Plan) -> str:
    """One tree for each machine, then the cut links and the warnings."""
    lines: list[str] = []
    for name, machine in plan.machines.items():
        lines += _machine(name, machine, plan)
    lines += _balance(plan)
    lines += _guests(plan)
    lines += plan.notes
    lines += [f"warning: {warning}" for warning in plan.warnings]
    return "\n".join(lines)


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


def _machine(name: str, machine: dict[str, Any], plan: Plan) -> Iterator[str]:
    estimate = plan.estimates[name]
    yield (
        f"{name}: {counted(len(machine['hosts']), 'host')}, {counted(len(machine['switches']), 'switch')}, "
        f"{machine['port_type']} ports, about {estimate['memory_bytes'] / 1e6:.0f} MB"
    )
    several = len(machine["instances"]) > 1
    groups = [
        ("hosts", [_host(host) for host in machine["hosts"]]),
        ("switches", [_switch(switch) for switch in machine["switches"]]),
        ("Linux bridges", [_bridge(bridge) for bridge in machine.get("bridges", [])]),
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


def _host(host: dict[str, Any]) -> str:
    interfaces = ", ".join(
        f"{interface['name']} {' '.join(interface['addresses']) or 'without address'}"
        for interface in host["interfaces"]
    )
    return f"{host['name']}: {interfaces or 'no interface'}{_routes(host['routes'])}"


def _switch(switch: dict[str, Any]) -> str:
    controllers = " ".join(switch["controllers"]) or "no controller"
    return f"{switch['name']}: dpid {switch['dpid']}, {counted(len(switch['ports']), 'port')}, {controllers}"


def _bridge(bridge: dict[str, Any]) -> str:
    return f"{bridge['name']}: {counted(len(bridge['ports']), 'port')}{', spanning tree' if bridge['stp'] else ''}"


def _pair(pair: dict[str, Any]) -> str:
    return f"{pair['a']['interface']} ── {pair['b']['interface']}  {pair['kind']}"


def _simulated(node: dict[str, Any]) -> str:
    interfaces = ", ".join(
        " ".join(filter(None, (interface["name"], interface.get("address"), interface.get("address6"))))
        for interface in node["interfaces"]
    )
    delay = node.get("processing_delay_ns")
    processing = f"; {format_delay(delay)} a packet" if delay is not None else ""
    return f"{node['name']}: {node['kind']}, {interfaces}{_routes(node['routes'])}{processing}"


def _routes(routes: list[dict[str, Any]]) -> str:
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
