# SPDX-License-Identifier: MIT
"""make_plan: from the description to what each machine makes. Pure: no root, no file, no clock, no randomness.

    Topo ─ lay_out ─▶ Layout ─┬─ find_segments ─ assign_addresses ─ routes ─┐
                              ├─ assign_macs, assign_dpids ─────────────────┼─▶ Plan: one machine plan per
                              └─ join: veth, patch, simulated, cut ─────────┴─  machine

The same description, machines and options give the same plan, byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from posixpath import normpath

from hybridnet.describe.kinds import OPENVSWITCH
from hybridnet.describe.schema.plans import InstancePlan, MachinePlan
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.node_options import check_has
from hybridnet.describe.values import shown
from hybridnet.errors import PlanError
from hybridnet.plan.addressing.addresses import assign_addresses
from hybridnet.plan.addressing.macs import assign_macs
from hybridnet.plan.addressing.routes import host_routes, router_routes
from hybridnet.plan.choices.families import ipv4, ipv6
from hybridnet.plan.choices.fit import Switching, choose_port_types, judge_fit, ports_of
from hybridnet.plan.choices.options import MachineSpec, PlanOptions
from hybridnet.plan.choices.peering import Peering, PeeringOptions, peering_notes
from hybridnet.plan.choices.waiting import choose_waits, waiting_notes
from hybridnet.plan.network.hosts import chain_notes, host_names, host_plans
from hybridnet.plan.network.instance import Network, instance_plan
from hybridnet.plan.network.links import Joints, join
from hybridnet.plan.network.plan import Plan
from hybridnet.plan.network.switches import (
    assign_dpids,
    check_device_names,
    node_plan,
    switch_plan,
)
from hybridnet.plan.network.tickets import tickets
from hybridnet.plan.placement.layout import Layout, lay_out
from hybridnet.plan.placement.pins import NO_PINS, Pins
from hybridnet.plan.placement.segments import find_segments

__all__ = ["make_plan"]


def make_plan(
    topo: Topo,
    machines: Sequence[MachineSpec],
    options: PlanOptions,
    pins: Pins = NO_PINS,
    down: Collection[str] = (),
) -> Plan:
    """Plan a network.

    Args:
        topo: the description.
        machines: where it may be built; the first is the default.
        options: the choices of the run.
        pins: what of it exists already, and stays as it is.
        down: links that carry nothing: no route leads over them.

    Raises:
        PlanError: the description cannot be built as asked; the message names the node or link and the cure.
    """
    if not isinstance(topo, Topo) or not isinstance(options, PlanOptions):
        raise PlanError(
            f"make_plan: {shown(topo)}, {shown(options)} are not Topo and PlanOptions; give one of each"
        )
    if not isinstance(machines, Sequence) or not all(isinstance(each, MachineSpec) for each in machines):
        raise PlanError(
            f"make_plan: machines {shown(machines)} are not list of MachineSpec; write [MachineSpec(...)]"
        )
    layout = lay_out(topo, machines, options.least_cut_delay_ns, pins, options.instances_per_machine)
    segments = find_segments(layout)
    addresses = assign_addresses(layout, segments, ipv4(options.ip_base), pins)
    addresses6 = assign_addresses(layout, segments, ipv6(options.ip6_base), pins)
    macs = assign_macs(layout, options.auto_set_macs, pins)
    peering = PeeringOptions.of(options.peering)
    links, joints = join(
        layout,
        {machine.name: machine.address for machine in machines},
        options.least_cut_delay_ns,
        options.backend,
        Peering(
            peering,
            options.peering_key,
            options.peer_port,
            {machine.name: machine.computer for machine in machines},
        ),
        pins,
    )
    check_device_names(layout, {interface for link in links for interface in link.portals})
    families = (addresses, addresses6)
    routes = {**router_routes(layout, segments, families, down), **host_routes(layout, segments, families)}
    network = Network(
        layout, addresses, addresses6, macs, routes, assign_dpids(layout, pins), topo.fluid_specs()
    )
    if pins is NO_PINS:  # captures belong to the first plan; what they watch may go
        _check_captures(layout, options)
    plans = {
        machine.name: _machine_plan(network, machine, joints[machine.name], options, pins)
        for machine in machines
    }
    _refuse_two_switchings(machines, plans)
    types = choose_port_types(
        [_switching(network, machine, plans[machine.name], options, pins) for machine in machines]
    )
    for name, port_type in types.items():
        plans[name]["port_type"] = port_type
    estimates, warnings = judge_fit(machines, plans)
    waits = {
        name: [instance["realtime"]["wait"] for instance in plan["instances"]] for name, plan in plans.items()
    }
    notes = [*layout.division.notes, *waiting_notes(machines, waits)]
    notes += chain_notes(topo, addresses.by_interface, addresses6.by_interface)
    if options.record is not None and not any(plan["instances"] for plan in plans.values()):
        notes.append("Nothing is simulated, so there is nothing to record")
    joined = [link.machines for link in links if link.kind == "cut"]
    instances = sum(len(plan["instances"]) for plan in plans.values())
    notes += peering_notes(peering, joined, any(link.guest is not None for link in links), instances)
    peers = {
        (name, peer): entry
        for joint in joints.values()
        for name, ends in joint.instances.items()
        for peer, entry in ends.peers.items()
    }
    guests = tickets(network, links, peers, options.slow)
    return Plan(
        plans,
        layout.machine_of,
        layout.instance_of,
        links,
        estimates,
        warnings,
        notes,
        pins,
        guests,
        options.slow,
    )


def _machine_plan(
    network: Network, machine: MachineSpec, joint: Joints, options: PlanOptions, pins: Pins
) -> MachinePlan:
    layout = network.layout
    switches = [spec for spec in layout.on(machine.name, "switch") if not spec.simulated]
    for spec in switches:
        check_has(spec.kind, spec.resolved, f"switch {spec.name}")
    others = [spec for spec in switches if spec.kind != OPENVSWITCH]
    switches = [spec for spec in switches if spec.kind == OPENVSWITCH]
    controllers = options.controllers_of(machine.name)
    plan: MachinePlan = {
        "format": 1,
        "machine": machine.name,
        "port_type": "",  # later: it follows what there is, on all machines
        "hosts": host_plans(network, machine.name, options.auto_static_arp),
        "switches": [
            switch_plan(spec, layout.ends_of[spec.name], network.dpids[spec.name], controllers, options)
            for spec in switches
        ],
        "pairs": joint.pairs,
        "portals": joint.portals,
        "instances": _instance_plans(network, machine, joint, options, pins),
    }
    if options.slow != 1:
        plan["slow"] = options.slow
    if options.host_names and plan["hosts"]:
        plan["names"] = host_names(network)
    if joint.devices:
        plan["devices"] = joint.devices
    if joint.crossings:
        plan["crossings"] = joint.crossings
    if others:
        plan["nodes"] = [node_plan(spec, layout.ends_of[spec.name]) for spec in others]
    return plan


def _switching(
    network: Network, machine: MachineSpec, plan: MachinePlan, options: PlanOptions, pins: Pins
) -> Switching:
    layout = network.layout
    named = {switch["name"] for switch in plan["switches"]}
    switches = [spec for spec in layout.on(machine.name, "switch") if spec.name in named]
    return Switching(
        machine,
        len(switches),
        pins.port_types.get(machine.name, options.port_type),
        {spec.name: spec.resolved["datapath"] for spec in switches if spec.resolved.get("datapath")},
        max((end.mtu for spec in switches for end in layout.ends_of[spec.name]), default=0),
        ports_of(plan),
    )


def _instance_plans(
    network: Network, machine: MachineSpec, joint: Joints, options: PlanOptions, pins: Pins
) -> list[InstancePlan]:
    """The plans of a machine's instances. Where there are enough processors, each is pinned to one of its own: several,
    and those that wait `dedicated`."""
    plans = [
        plan
        for name, ends in joint.instances.items()
        if (plan := instance_plan(network, name, ends, options, pins.instances.get(name))) is not None
    ]
    waits = choose_waits(machine, plans)
    emulates = any(not spec.simulated for spec in network.layout.on(machine.name))
    enough = len(plans) <= len(machine.processors) - emulates
    pinned = enough and (len(plans) > 1 or "dedicated" in waits)
    for at, (plan, wait) in enumerate(zip(plans, waits, strict=True), 1):
        realtime = plan["realtime"]
        if plan["name"] not in pins.instances:
            cpu = machine.processors[-at] if pinned and realtime["cpu"] is None else realtime["cpu"]
            plan["realtime"] = {**realtime, "wait": wait, "cpu": cpu}
    return plans


def _refuse_two_switchings(machines: Sequence[MachineSpec], plans: Mapping[str, MachinePlan]) -> None:
    """In one network namespace only one Open vSwitch can run: the devices of its datapaths have the same names."""
    first: dict[tuple[str, int], MachineSpec] = {}
    for machine in machines:
        if machine.network is None or not plans[machine.name]["switches"]:
            continue
        other = first.setdefault((machine.computer, machine.network), machine)
        if other is not machine:
            raise PlanError(
                f"machines {other.name} and {machine.name} are one computer ({other.address}) with one network, in "
                "which only one machine can have switches of Open vSwitch, and both have some; name each computer "
                f"once, put the switches on {other.name} alone, or simulate those of {machine.name}"
            )


def _check_captures(layout: Layout, options: PlanOptions) -> None:
    simulated = {
        end.interface: layout.machine_of[name]
        for name, ends in layout.ends_of.items()
        if layout.nodes[name].simulated
        for end in ends
    }
    writers: dict[tuple[str, str], str] = {}
    for name, file in options.captures.items():
        if name not in simulated:
            raise PlanError(
                f"capture at {name}: there is no simulated interface of that name; "
                f"the interfaces are {', '.join(sorted(simulated)) or 'none: nothing is simulated'}"
            )
        other = writers.setdefault((simulated[name], normpath(file)), name)
        if other != name:
            raise PlanError(
                f"capture at {name}: {file} is the file of the capture at {other}; give each its own"
            )
