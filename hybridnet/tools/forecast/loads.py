# SPDX-License-Identifier: MIT
"""What each part of the computers, and each link with a rate, has to do for a demand. Pure.

    Plan ─ Ways ─▶ hops of each flow ─┬─ links' rates ─▶ what of it is carried
                                      └─ Costs ────────▶ processors of each part

A part is what can be full by itself: the processors of a computer, an instance's thread, Open vSwitch's busiest thread
on a machine, a program of a host, a direction of a link.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hybridnet.errors import UsageError
from hybridnet.plan.network import Plan
from hybridnet.tools.forecast.costs import (
    AROUND,
    HALVINGS,
    POLLS,
    PROTOCOLS,
    THREAD,
    Cost,
    Costs,
    Traffic,
    looking,
    pausing,
    switching,
    turning,
)
from hybridnet.tools.forecast.demand import Demand, Flow
from hybridnet.tools.forecast.traffic import (
    at_sender,
    bursts_both_ways,
    causes,
    frame_bits,
    segmented,
    through_link,
)
from hybridnet.tools.forecast.ways import Hop, Ways

__all__ = ["Computer", "Loads", "Part", "Work"]

KERNEL_PORTS = "system"
XDP_PORTS = "afxdp"
SIMULATED = ("portal", "switch", "openflow", "router", "simhost")
LEAST_RTT_S = 0.0001
"""Of two hosts with nothing but their computer between them."""
MOST_ROUNDS = 16
CARRIED_WITHIN = 1e-3


@dataclass(frozen=True)
class Computer:
    """A computer with some machines of the plan.

    Args:
        name: its host name.
        cpus: the numbers of its processors.
        machines: those of the plan that are on it.
        costs: what things cost there.
    """

    name: str
    cpus: Sequence[int]
    machines: Sequence[str]
    costs: Costs


@dataclass(frozen=True, order=True)
class Part:
    """Something that can be full.

    Args:
        kind: ``processors``, ``instance``, ``switching``, ``sender``, ``receiver`` or ``link``.
        name: which: the computer, the instance, the machine, the host, the link.
        machine: where it is; a computer is of none, and a link of its sender's.
        capacity: processors, or 1 for a link.
    """

    kind: str
    name: str
    machine: str = field(compare=False)
    capacity: float = field(default=1.0, compare=False)

    def __str__(self) -> str:
        texts = {
            "processors": f"processors of {self.name}",
            "instance": f"instance {self.name}",
            "switching": f"Open vSwitch of {self.name}",
            "sender": f"sender at {self.name}",
            "receiver": f"receiver at {self.name}",
            "link": self.name,
        }
        return texts[self.kind]


@dataclass(frozen=True)
class Loads:
    """What the parts have to do.

    Args:
        busy: of each part: processors, or the share of a link's rate; more than its capacity where it is too much.
        looking: processors that instances take for looking whether something comes; those of a computer are busy with
            it, and the instances themselves are not.
        carried_bps: payload of all flows that the links let through.
    """

    busy: Mapping[Part, float]
    looking: Mapping[Part, float]
    carried_bps: float

    def share(self, part: Part) -> float:
        """Of the part's capacity."""
        return self.busy[part] / part.capacity


@dataclass(frozen=True)
class _Routed:
    """A flow, its way, and its round trip without waiting."""

    flow: Flow
    hops: Sequence[Hop]
    rtt_s: float


class Work:
    """The work that a demand is for a planned network.

    Raises:
        UsageError: a flow has no way, a machine no computer, or something on a way no cost.
    """

    def __init__(self, plan: Plan, demand: Demand, computers: Sequence[Computer]) -> None:
        self.notes: list[str] = []
        self.computers = computers
        self._plan = plan
        self._ways = Ways(plan)
        self._computer_of = {machine: each for each in computers for machine in each.machines}
        for machine in plan.machines:
            if machine not in self._computer_of:
                raise UsageError(f"machine {machine}: it is on no computer whose costs are known; name one")
        self._routed = [self._route(flow) for flow in demand.flows]
        others = sorted(
            {
                hop.target
                for routed in self._routed
                for hop in routed.hops
                if self._ways.kind[hop.target] == "other"
            }
        )
        if others:
            self.notes.append(f"what other switches cost is not measured, and left out: {', '.join(others)}")

    def loads(self, factor: float = 1.0) -> Loads:
        """The loads where every flow offers so many times its rate."""
        flows = [routed.flow.scaled(factor) for routed in self._routed]
        lets = self._lets(flows)
        tally = Tally()
        carried_bps = 0.0
        for routed, flow in zip(self._routed, flows, strict=True):
            parts = _passing(routed.hops, flow, lets)
            self._add(tally, routed, flow, parts)
            carried_bps += flow.rate_bps * parts[-1]
        self._add_polling(tally)
        threads = tally.threads()
        looks = {
            (part := Part("instance", instance["name"], machine)): looking(
                instance["realtime"]["wait"], tally.causes(part), threads.get(part, Taken()).work
            )
            for machine, plan in self._plan.machines.items()
            for instance in plan["instances"]
        }
        busy: dict[Part, float] = {}
        for computer in self.computers:
            own = {part: work for part, work in threads.items() if part.machine in computer.machines}
            around = tally.around[computer.name]
            around.work += computer.costs.idle_cores
            around.work += sum(cores for part, cores in looks.items() if part.machine in computer.machines)
            bursts = tally.bursts[computer.name]
            probability = _pausing([*own.values()], around, bursts, len(computer.cpus))
            busy |= {part: work.cores(probability) for part, work in own.items()}
            busy[_processors(computer)] = _busy([*own.values()], around, probability)
        for hop, share in self._offered(flows, lets).values():
            busy[Part("link", hop.name, self._plan.machine_of[hop.source])] = share
        return Loads(busy, looks, carried_bps)

    def _route(self, flow: Flow) -> _Routed:
        hops = self._ways.way(flow.source, flow.target)
        back = (hop.link.b_to_a if hop.forward else hop.link.a_to_b for hop in hops)
        delay_ns = sum(hop.direction.least_delay_ns for hop in hops) + sum(
            each.least_delay_ns for each in back
        )
        return _Routed(flow, hops, delay_ns / 1e9 + LEAST_RTT_S)

    # -- what the links let through ---------------------------------------------------------------------------------

    def _lets(self, flows: Sequence[Flow]) -> dict[_Key, float]:
        """Which part of what is offered to a link with a rate passes it: each of its flows loses the same part."""
        lets: dict[_Key, float] = {}
        for _ in range(MOST_ROUNDS):
            new = {
                key: min(1.0, 1.0 / share)
                for key, (_, share) in self._offered(flows, lets).items()
                if share > 0
            }
            changed = any(abs(let - lets.get(key, 1.0)) > CARRIED_WITHIN for key, let in new.items())
            lets = new
            if not changed:
                break
        return lets

    def _offered(self, flows: Sequence[Flow], lets: Mapping[_Key, float]) -> dict[_Key, tuple[Hop, float]]:
        """What is offered to each link with a rate, as a share of that."""
        offered: dict[_Key, tuple[Hop, float]] = {}
        for routed, flow in zip(self._routed, flows, strict=True):
            parts = _passing(routed.hops, flow, lets)
            for hop, part in zip(routed.hops, parts, strict=False):
                rate_bps = hop.direction.rate_bps
                if rate_bps is None:
                    continue
                # What passes of TCP has adapted to this link, too.
                came = part / lets.get(_key(hop), 1.0) if flow.protocol == "tcp" else part
                share = flow.rate_bps * came * frame_bits(flow, hop.direction) / rate_bps
                offered[_key(hop)] = (hop, offered.get(_key(hop), (hop, 0.0))[1] + share)
        return offered

    # -- what they cost ---------------------------------------------------------------------------------------------

    def _add(self, tally: Tally, routed: _Routed, flow: Flow, parts: Sequence[float]) -> None:
        """Add what one flow keeps busy: its ends, and everything between."""
        hops, protocol = routed.hops, flow.protocol
        sent = parts[0] if protocol == "tcp" else 1.0  # TCP adapts, UDP does not
        traffic = at_sender(flow.scaled(sent), routed.rtt_s)
        if self._ways.kind[hops[0].source] == "host":
            self._add_end(tally, "sender", hops[0], flow, traffic)
        elif self._ways.kind[hops[0].source] == "simhost":
            self._add_simulated(tally, hops[0].instances[0], "simhost", protocol, traffic, stages=1)
        for hop, (part, after) in zip(hops, itertools.pairwise(parts), strict=True):
            traffic = self._add_hop(tally, hop, flow, traffic, after / part if part else 0.0)
        if self._ways.kind[hops[-1].target] == "host":
            self._add_end(tally, "receiver", hops[-1], flow, traffic)

    def _add_hop(self, tally: Tally, hop: Hop, flow: Flow, traffic: Traffic, let: float) -> Traffic:
        """Add what one hop takes, and its far node. Returns the traffic behind it."""
        protocol, kind = flow.protocol, self._ways.kind[hop.target]
        if hop.link.simulated:
            near, far = hop.instances
            # What waits on a link comes out in a turn of its own, at the far end, and what comes back at the near one.
            waits = int(hop.direction.delay_ns > 0 or hop.direction.rate_bps is not None)
            cut = hop.link.kind == "cut"
            if hop.has_portal(near=True):
                self._add_simulated(tally, near, "portal", protocol, traffic, stages=1)
            if not cut:
                self._add_causes(tally, near, protocol, traffic, back=waits)
            traffic = through_link(traffic.scaled(let), flow, hop.direction)
            if cut:
                peering = self._peering(near, far)
                self._add_simulated(tally, near, peering, protocol, traffic, back=1 + waits)
                self._add_simulated(tally, far, peering, protocol, traffic, stages=1 + waits)
            portal = hop.has_portal(near=False)
            element = "portal" if portal else kind
            if element in SIMULATED:
                stages = 0 if cut else waits
                self._add_simulated(tally, far, element, protocol, traffic, stages=stages, back=int(portal))
        if kind == "ovs" and hop.link.kind != "patch":
            self._add_switching(tally, hop.target, flow, traffic)
        return traffic

    def _add_end(self, tally: Tally, end: str, hop: Hop, flow: Flow, traffic: Traffic) -> None:
        host, other = (hop.source, hop.target) if end == "sender" else (hop.target, hop.source)
        machine, protocol = self._plan.machine_of[host], flow.protocol
        computer = self._computer_of[machine]
        attached = "veth"
        if hop.link.simulated:
            attached = "portal"
        elif self._ways.kind[other] == "ovs":
            attached = self._plan.machines[machine]["port_type"]
        if attached == XDP_PORTS:
            traffic = segmented(traffic, flow)
        thread = computer.costs.of(f"{end}.{attached}", protocol, THREAD)
        tally.taken[Part(end, host, machine)].add(thread, traffic)
        tally.bursts[computer.name] += traffic.bursts
        if attached == "veth" and end == "sender":
            tally.around[computer.name].add(computer.costs.of("veth", protocol, AROUND), traffic)

    def _add_switching(self, tally: Tally, switch: str, flow: Flow, traffic: Traffic) -> None:
        """A pass through the Open vSwitch of a machine; between its bridges are patch ports, which take nothing. Behind
        AF_XDP ports the kernel puts segments together again (GRO), before a portal as before a host.
        """
        machine = self._plan.machine_of[switch]
        costs, plan = self._computer_of[machine].costs, self._plan.machines[machine]
        ports, protocol = plan["port_type"], flow.protocol
        if ports == XDP_PORTS:
            traffic = segmented(traffic, flow)
        element = f"ovs.{ports}"
        tally.around[self._computer_of[machine].name].add(costs.of(element, protocol, AROUND), traffic)
        if ports == KERNEL_PORTS:
            return
        thread, part = costs.of(element, protocol, THREAD), Part("switching", machine, machine)
        if ports == XDP_PORTS:
            tally.taken[part].work += thread.work(traffic)
            return
        turn_ns = thread.burst_ns
        if more := len(plan["switches"]) - 1:
            turn_ns += more * costs.of("ovs.bridge", protocol, THREAD).burst_ns
        tally.add(part, thread.work(traffic), turn_ns, bursts_both_ways(traffic, protocol))

    def _add_polling(self, tally: Tally) -> None:
        """Threads that poll turn whether something comes or not."""
        for name, plan in self._plan.machines.items():
            if plan["port_type"] == XDP_PORTS and plan["switches"]:
                costs = self._computer_of[name].costs
                turn_ns = costs.of(f"ovs.{XDP_PORTS}", PROTOCOLS[0], THREAD).burst_ns
                tally.add(Part("switching", name, name), 0.0, turn_ns, POLLS, polls=True)

    def _add_simulated(
        self,
        tally: Tally,
        instance: str,
        element: str,
        protocol: str,
        traffic: Traffic,
        *,
        stages: int = 0,
        back: int = 0,
    ) -> None:
        """Add one element of an instance. See `_add_causes`."""
        computer = self._computer_of[self._plan.machine_of_instance[instance]]
        work = computer.costs.of(element, protocol, THREAD).work(traffic)
        self._add_causes(tally, instance, protocol, traffic, work=work, stages=stages, back=back)
        if element == "portal" or element.startswith("peering."):  # where packets come from the kernel
            tally.around[computer.name].add(computer.costs.of(element, protocol, AROUND), traffic)

    def _add_causes(
        self,
        tally: Tally,
        instance: str,
        protocol: str,
        traffic: Traffic,
        *,
        work: float = 0.0,
        stages: int = 0,
        back: int = 0,
    ) -> None:
        """Add causes for turns of an instance: each unit is handled in so many, unless turns are shared, and what comes
        back for it in so many.
        """
        machine = self._plan.machine_of_instance[instance]
        costs = self._computer_of[machine].costs
        turn_ns, wake_ns = (costs.of(each, protocol, THREAD).burst_ns for each in ("loop", "wake"))
        if self._plan.instances[instance]["realtime"]["wait"] == "dedicated":  # and never pauses
            wake_ns = 0.0
        causing = causes(traffic, protocol, stages, back)
        tally.add(Part("instance", instance, machine), work, turn_ns, causing, wake_ns=wake_ns)

    def _peering(self, near: str, far: str) -> str:
        peer = next(each for each in self._plan.instances[near]["peers"] if each["name"] == far)
        return f"peering.{'sealed' if 'key' in peer else peer.get('transport', 'udp')}"


@dataclass
class Taken:
    """Processors that something takes, before it is known how often a burst ends a pause.

    Args:
        work: in any case.
        wakes: beside, where each burst ends a pause.
    """

    work: float = 0.0
    wakes: float = 0.0

    def add(self, cost: Cost, traffic: Traffic) -> None:
        """What this traffic costs."""
        self.work += cost.work(traffic)
        self.wakes += cost.wakes(traffic)

    def cores(self, probability: float) -> float:
        """Where a burst ends a pause with this probability."""
        return self.work + self.wakes * probability


class Tally:
    """What comes together at each part, before it is known how a loop shares out its turns.

    Attributes:
        taken: by each thread, without turns.
        around: by each computer beside its threads.
        bursts: in a second, at all programs of each computer.
    """

    def __init__(self) -> None:
        self.taken: defaultdict[Part, Taken] = defaultdict(Taken)
        self.around: defaultdict[str, Taken] = defaultdict(Taken)
        self.bursts: defaultdict[str, float] = defaultdict(float)
        self._turn_ns: dict[Part, float] = {}
        self._wake_ns: dict[Part, float] = {}
        self._causes: defaultdict[Part, float] = defaultdict(float)
        self._polling: set[Part] = set()

    def add(
        self,
        part: Part,
        work: float,
        turn_ns: float,
        causes: float,
        *,
        wake_ns: float = 0.0,
        polls: bool = False,
    ) -> None:
        """Add to a loop: work, and causes for a turn; `polls`: the loop is that of a thread which polls."""
        self.taken[part].work += work
        self._turn_ns[part], self._wake_ns[part] = turn_ns, wake_ns
        self._causes[part] += causes
        if polls:
            self._polling.add(part)

    def causes(self, part: Part) -> float:
        """For a turn of a loop, in a second."""
        return self._causes.get(part, 0.0)

    def threads(self) -> dict[Part, Taken]:
        """What each thread takes; more than one processor where it is asked for more."""
        return {
            part: Taken(self._turned(part, taken.work)) if part in self._turn_ns else taken
            for part, taken in self.taken.items()
        }

    def _turned(self, part: Part, work: float) -> float:
        waits = part.kind == "switching" and part not in self._polling
        causes, turn_ns = self._causes[part], self._turn_ns[part]
        return (
            switching(causes, turn_ns, work) if waits else turning(causes, turn_ns, work, self._wake_ns[part])
        )


_Key = tuple[str, bool]


def _processors(computer: Computer) -> Part:
    return Part("processors", computer.name, "", len(computer.cpus))


def _busy(threads: Sequence[Taken], around: Taken, probability: float) -> float:
    """Processors of a computer that are busy where a burst ends a pause with this probability."""
    return sum(min(1.0, each.cores(probability)) for each in threads) + around.cores(probability)


def _pausing(threads: Sequence[Taken], around: Taken, bursts: float, processors: int) -> float:
    """That probability, by bisection for the idle share: the more is idle, the more bursts end a pause."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        idle = (low + high) / 2
        if idle > 1.0 - _busy(threads, around, pausing(idle, bursts, processors)) / processors:
            high = idle
        else:
            low = idle
    return pausing(low, bursts, processors)


def _key(hop: Hop) -> _Key:
    return hop.link.a.interface, hop.forward


def _passing(hops: Sequence[Hop], flow: Flow, lets: Mapping[_Key, float]) -> list[float]:
    """What part of what a flow offers comes to each of its hops, and in the end. TCP sends less from the start where a
    link is full; UDP does not.
    """
    each = [lets.get(_key(hop), 1.0) for hop in hops]
    if flow.protocol == "tcp":
        return [math.prod(each)] * (len(hops) + 1)
    return list(itertools.accumulate(each, operator.mul, initial=1.0))
