# SPDX-License-Identifier: MIT
"""Links: what each link of the description becomes.

    between                    in one instance                      in two instances
    emulated, nothing asked    veth; patch between two switches,    cut link, a portal at each end
                               unless patch=False, or a switch
                               of that machine runs RSTP
    emulated, rate, delay ...  simulated link, a portal each end    cut link, a portal at each end
    emulated and simulated     simulated link, one portal           cut link, one portal
    simulated                  simulated link                       cut link

Emulated nodes of one machine are joined by a veth or patch where nothing is asked, whichever instances have their
portals. A *cut link* stands in two instance plans: each has its own end, and the other instance as the other end, told
from its siblings by a channel number. In each of the two, `a` is the end that is there. Where the run asks for it, a
crossing with an emulation portal at each end takes the place of peering (`hybridnet/plan/choices/crossings.py`).

A link to a guest is a cut link whose other instance is not of this run: it stands in one instance plan, and the guest's
own is made where it joins (`hybridnet/plan/network/guests.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypedDict, final

from hybridnet.describe.kinds import OPENVSWITCH
from hybridnet.describe.quantities import format_delay
from hybridnet.describe.schema.plans import (
    CrossingPlan,
    EmulationPortal,
    InstancePlan,
    PairEnd,
    PairPlan,
    PeerPlan,
    PortalPlan,
    SimulatedEnd,
    SimulatedLink,
)
from hybridnet.describe.topo import LinkSpec, NodeSpec
from hybridnet.describe.topo.direction import Direction
from hybridnet.describe.topo.options import End
from hybridnet.errors import PlanError
from hybridnet.plan.choices.crossings import crossing_devices, crossings_of, portal_of_crossing
from hybridnet.plan.choices.peering import Peering
from hybridnet.plan.choices.transports import least_delay_ns
from hybridnet.plan.network.guests import GUEST, GUEST_PORT, check_guest_link, check_guests, guest_peer
from hybridnet.plan.network.switches import Jumbo, jumbo, portal_device
from hybridnet.plan.placement.division import is_simulated
from hybridnet.plan.placement.layout import Layout
from hybridnet.plan.placement.pins import NO_PINS, Pins

__all__ = ["Ends", "Joints", "LinkPlan", "SetLink", "changed", "join", "rewritten"]


@final
class SetLink(TypedDict):
    """What an instance's verb `set_link` takes: null takes away what a direction has not."""

    link: str
    a_to_b: dict[str, object]
    b_to_a: dict[str, object]


@dataclass(frozen=True)
class LinkPlan:
    """What one link became. `kind`: veth, patch, simulated, cut or guest."""

    name: str
    kind: str
    a: End
    b: End
    a_to_b: Direction
    b_to_a: Direction
    machines: tuple[str, str]  # of the two ends
    instances: tuple[str, str]  # of the two ends; that of a simulated link simulates it
    portals: tuple[str, ...]  # the interfaces that have one
    channel: int | None = None  # of a cut link, among those between its two instances
    by_portals: bool = False  # of a cut link: a crossing with a portal at each end, and not peering
    guest: str | None = None  # of a link to a guest: which node that is

    @property
    def simulated(self) -> bool:
        """Whether the simulator is this link."""
        return self.kind not in ("veth", "patch")


@dataclass
class Joints:
    """What one machine has to make for its links."""

    pairs: list[PairPlan] = field(default_factory=list)
    portals: list[PortalPlan] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)  # of the computer, for portals
    crossings: list[CrossingPlan] = field(default_factory=list)  # of cut links
    instances: dict[str, Ends] = field(default_factory=dict)


@dataclass
class Ends:
    """What one instance has of the links."""

    emulation_portals: list[EmulationPortal] = field(default_factory=list)
    peers: dict[str, PeerPlan] = field(default_factory=dict)  # by the other instance
    links: list[SimulatedLink] = field(default_factory=list)


def join(
    layout: Layout,
    addresses: dict[str, str],
    least_cut_delay_ns: int,
    backend: str,
    peering: Peering,
    pins: Pins = NO_PINS,
) -> tuple[list[LinkPlan], dict[str, Joints]]:
    """Decide what every link becomes, and what each machine makes for it.

    Args:
        layout: the description with every node on a machine.
        addresses: where each machine is reached, in the machines' order.
        least_cut_delay_ns: the smallest delay that is allowed between machines.
        backend: of emulation portals.
        peering: how instances reach each other: the first pair by its first port or ports, each further by the next.
        pins: what exists: cut links keep their channels, pairs of instances their ports.

    Raises:
        PlanError: a cut link has too little delay, or an option is not available at that kind of end.
    """
    joints = {
        machine: Joints(instances={name: Ends() for name in layout.division.instances[machine]})
        for machine in addresses
    }
    channels = _Channels(pins)
    guests = {spec.name for spec in layout.nodes.values() if spec.role == GUEST}
    ports = {pair: port for pair, port in pins.peer_ports.items() if not pair & guests}
    guest_ports = _guest_ports(layout, guests, pins)
    check_guests(layout, guest_ports)
    crossings = count(1)
    without_patches = {layout.machine_of[spec.name] for spec in layout.nodes.values() if _runs_rstp(spec)}
    plans: list[LinkPlan] = []
    for link in layout.links:
        _check_ends(layout, link)
        plan = _decide(layout, link, least_cut_delay_ns, pins, without_patches)
        if plan.kind == "cut":
            pair = frozenset(plan.instances)
            if pair not in ports:
                ports[pair] = max([peering.first_port - peering.ports, *ports.values()]) + peering.ports
            channel = channels.of(plan.name, pair)
            plan = replace(plan, channel=channel, by_portals=peering.options.by_portals)
        plans.append(plan)
        if not plan.simulated:
            a, b = (_node_end(layout, end, plan.kind) for end in (link.a, link.b))
            joints[plan.machines[0]].pairs.append({"kind": plan.kind, "a": a, "b": b})
            continue
        for end, machine, instance in zip((link.a, link.b), plan.machines, plan.instances, strict=True):
            if end.interface in plan.portals:
                _add_portal(joints[machine], instance, layout.nodes[end.node], end, backend)
        if plan.guest is not None:
            own, turned = joints[plan.machines[0]].instances[plan.instances[0]], plan.a.node == plan.guest
            port = guest_ports[plan.guest]
            own.peers[plan.guest] = guest_peer(plan.guest, port, peering.key, peering.options.planned)
            own_end = _instance_end(plan, plan.b if turned else plan.a)
            own.links.append(_instance_link(plan, own_end, turned, {"peer": plan.guest, "channel": 0}))
            continue
        if plan.kind == "simulated":
            instance_link = _instance_link(plan, _instance_end(plan, plan.a), False)
            joints[plan.machines[0]].instances[plan.instances[0]].links.append(instance_link)
            continue
        port = ports[frozenset(plan.instances)]
        if plan.by_portals:
            peering.check_open(plan.instances, plan.machines)
            _add_crossing(joints, plan, next(crossings), addresses, port)
            continue
        for near, far in ((0, 1), (1, 0)):
            here, other = plan.instances[near], plan.instances[far]
            machines = (plan.machines[near], plan.machines[far])
            own = joints[machines[0]].instances[here]
            at = (addresses[machines[0]], addresses[machines[1]])
            own.peers[other] = peering.entry((here, other), machines, at, port)
            assert plan.channel is not None
            own_end = _instance_end(plan, (plan.a, plan.b)[near])
            far_end: SimulatedEnd = {"peer": other, "channel": plan.channel}
            own.links.append(_instance_link(plan, own_end, near == 1, far_end))
    return plans, joints


def changed(
    plan: LinkPlan, a_to_b: Direction, b_to_a: Direction, least_cut_delay_ns: int
) -> tuple[LinkPlan, dict[str, SetLink]]:
    """Return the link with other directions while it runs, and what set_link tells each instance. `rewritten` writes it
    down once it is so.

    Raises:
        PlanError: it is not simulated, or a cut link's delay becomes too short.
    """
    if not plan.simulated:
        raise PlanError(
            f"link {plan.name}: it is a {plan.kind} that nothing delays, and cannot be changed while it runs; describe "
            "it with an option of a simulated link, such as delay='10us'"
        )
    if plan.guest is not None:
        raise PlanError(
            f"link {plan.name}: half of it is on the computer of guest {plan.guest}, and it cannot be changed while "
            "the network runs; give it its final options before the network starts"
        )
    new = replace(plan, a_to_b=a_to_b, b_to_a=b_to_a)
    if plan.kind == "cut":
        _check_cut_delay(new, plan.machines, plan.instances, least_cut_delay_ns)
    there, back = a_to_b.to_change(), b_to_a.to_change()
    told: dict[str, SetLink] = {plan.instances[0]: {"link": plan.name, "a_to_b": there, "b_to_a": back}}
    if plan.kind == "cut":  # its own end is `a` there
        told[plan.instances[1]] = {"link": plan.name, "a_to_b": back, "b_to_a": there}
    if plan.by_portals:  # what comes out is left as it is
        for each in told.values():
            each["b_to_a"] = {}
    return new, told


def rewritten(link: LinkPlan, instance: InstancePlan) -> InstancePlan:
    """An instance plan in which a link of it has the directions that `link` has."""
    entries = list(instance["links"])
    at = next(at for at, entry in enumerate(entries) if entry["name"] == link.name)
    swapped = (
        link.kind == "cut" and instance["name"] == link.instances[1]
    )  # a cut link's other end: its own is `a` there
    there, back = (link.b_to_a, link.a_to_b) if swapped else (link.a_to_b, link.b_to_a)
    if link.by_portals:
        back = Direction()  # which is simulated where it begins
    entries[at] = {**entries[at], "a_to_b": there.to_json(), "b_to_a": back.to_json()}
    return {**instance, "links": entries}


class _Channels:
    """The channel of each cut link: its own from before, or the lowest that is free between its two instances."""

    def __init__(self, pins: Pins) -> None:
        self._pinned = pins.channels
        self._taken = set(pins.channels.values())
        self._numbers: defaultdict[frozenset[str], Iterator[int]] = defaultdict(count)

    def of(self, link: str, pair: frozenset[str]) -> int:
        if link in self._pinned:
            return self._pinned[link][1]
        return next(number for number in self._numbers[pair] if (pair, number) not in self._taken)


def _runs_rstp(spec: NodeSpec) -> bool:
    """Whether a switch runs the rapid spanning tree protocol.

    Open vSwitch hands such a bridge's messages on through a patch within the call that sends them, and the other bridge
    answers within that: with two of them ovs-vswitchd calls itself until it dies (3.1.0), also over bridges between.
    """
    return spec.kind == OPENVSWITCH and spec.resolved.get("stp") == "rstp"


def _decide(
    layout: Layout,
    link: LinkSpec,
    least_cut_delay_ns: int,
    pins: Pins,
    without_patches: Collection[str],
) -> LinkPlan:
    machines = (layout.machine_of[link.a.node], layout.machine_of[link.b.node])
    instances = (layout.instance_of[link.a.node], layout.instance_of[link.b.node])
    emulated = tuple(end.interface for end in (link.a, link.b) if not layout.nodes[end.node].simulated)
    guests = [end.node for end in (link.a, link.b) if layout.nodes[end.node].role == GUEST]
    if guests:
        check_guest_link(link, guests, least_cut_delay_ns)
        near, own = (1, link.b) if link.a.node == guests[0] else (0, link.a)
        machine, instance = machines[near], instances[near]
        return LinkPlan(
            link.name,
            "guest",
            link.a,
            link.b,
            link.a_to_b,
            link.b_to_a,
            (machine, machine),
            (instance, instance),
            (own.interface,) if own.interface in emulated else (),
            guest=guests[0],
        )
    if machines[0] != machines[1] or is_simulated(link, layout.nodes, pins):
        kind = "simulated" if instances[0] == instances[1] else "cut"
        if kind == "cut":
            _check_cut_delay(link, machines, instances, least_cut_delay_ns)
    else:
        specs = [layout.nodes[end.node] for end in (link.a, link.b)]
        patch = (
            link.patch
            and machines[0] not in without_patches
            and all(spec.kind == OPENVSWITCH for spec in specs)
        )
        kind, emulated = ("patch" if patch else "veth"), ()
    return LinkPlan(link.name, kind, link.a, link.b, link.a_to_b, link.b_to_a, machines, instances, emulated)


def _guest_ports(layout: Layout, guests: Collection[str], pins: Pins) -> dict[str, int]:
    """The UDP port of each guest: the one it has, or says, or the next that no other has."""
    known = {node: port for pair, port in pins.peer_ports.items() for node in pair & set(guests)}
    known |= {
        name: layout.nodes[name].resolved["port"]
        for name in guests
        if name not in known and layout.nodes[name].resolved.get("port") is not None
    }
    free = (port for port in count(GUEST_PORT) if port not in known.values())
    return {name: known[name] if name in known else next(free) for name in layout.nodes if name in guests}


def _check_cut_delay(
    link: LinkSpec | LinkPlan,
    machines: tuple[str, str],
    instances: tuple[str, str],
    between_machines_ns: int,
) -> None:
    delay_ns = min(link.a_to_b.least_delay_ns, link.b_to_a.least_delay_ns)
    least_ns = least_delay_ns(machines, between_machines_ns)
    if delay_ns < least_ns:
        apart = machines[0] != machines[1]
        where = (
            "on machines {} and {}".format(*machines)
            if apart
            else "in instances {} and {}".format(*instances)
        )
        least = format_delay(least_ns)
        raise PlanError(
            f"link {link.name}: its ends are {where}, and its delay ({format_delay(delay_ns)}) cannot hide "
            f"the transit between them; give it delay='{least.replace(' ', '')}' or more, or put both ends "
            f"{'on one machine' if apart else 'into one instance'}"
        )


def _check_ends(layout: Layout, link: LinkSpec) -> None:
    for end in (link.a, link.b):
        spec = layout.nodes[end.node]
        if spec.forwards_frames and (end.ip or end.ip6) is not None:
            raise PlanError(
                f"link {link.name}: {end.interface} is a switch's port and takes no ip or ip6; leave it out"
            )


def _add_portal(joint: Joints, instance: str, spec: NodeSpec, end: End, backend: str) -> None:
    portals = joint.instances[instance].emulation_portals
    name, device = _portal_name(end), portal_device(end.interface)
    if spec.role == "external":
        portal: EmulationPortal = {
            "name": name,
            "device": end.interface,
            "backend": spec.resolved.get("backend") or backend,
        }
        if spec.resolved.get("filter"):
            portal["filter"] = spec.resolved["filter"]
        if spec.resolved.get("options"):
            portal["options"] = spec.resolved["options"]
        portals.append(portal)
        joint.devices.append(end.interface)
        return
    joint.portals.append(
        {"name": name, "node": end.node, "interface": end.interface, "device": device, **jumbo(end)}
    )
    portals.append({"name": name, "device": device, "backend": backend})


def _add_crossing(
    joints: dict[str, Joints], plan: LinkPlan, number: int, addresses: dict[str, str], port: int
) -> None:
    between = (addresses[plan.machines[0]], addresses[plan.machines[1]])
    mtu = max(plan.a.mtu, plan.b.mtu)
    for machine, made in crossings_of(number, plan.machines, between, port, mtu).items():
        joints[machine].crossings.append(made)
    for near, device in enumerate(crossing_devices(number)):
        own = joints[plan.machines[near]].instances[plan.instances[near]]
        portal = portal_of_crossing(device)
        own.emulation_portals.append(portal)
        own_end = _instance_end(plan, (plan.a, plan.b)[near])
        own.links.append(_instance_link(plan, own_end, near == 1, {"portal": portal["name"]}))


def _instance_link(
    plan: LinkPlan, near: SimulatedEnd, reverse: bool, far: SimulatedEnd | None = None
) -> SimulatedLink:
    out, back = (plan.b_to_a, plan.a_to_b) if reverse else (plan.a_to_b, plan.b_to_a)
    if plan.by_portals:
        back = Direction()  # which is simulated where it begins
    return {
        "name": plan.name,
        "a": near,
        "b": far or _instance_end(plan, plan.b),
        "a_to_b": out.to_json(),
        "b_to_a": back.to_json(),
    }


def _instance_end(plan: LinkPlan, end: End) -> SimulatedEnd:
    return {"portal": _portal_name(end)} if end.interface in plan.portals else {"interface": end.interface}


def _portal_name(end: End) -> str:
    return f"p-{end.interface}"


def _node_end(layout: Layout, end: End, kind: str) -> PairEnd:
    """A host's interface has its MTU where the plan describes the host, and a patch port has none."""
    own = jumbo(end) if layout.nodes[end.node].role == "switch" and kind == "veth" else Jumbo()
    return {"node": end.node, "interface": end.interface, **own}
