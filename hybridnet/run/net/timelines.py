# SPDX-License-Identifier: MIT
"""Timelines of a network that runs: what each machine is told, the instant from which they count, and what fired."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hybridnet.describe.schema.elements import nodes_of
from hybridnet.describe.schema.plans import LinkChange, StatusChange, TimelineEntry
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, MachineError, PlanError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan
from hybridnet.plan.network.route_changes import Routes, interface_toward
from hybridnet.run.net.instances import by_instance
from hybridnet.run.net.link_changes import LinkChanges, LinkStep
from hybridnet.run.net.timeline_changes import TimedChange

if TYPE_CHECKING:
    from hybridnet.agent.instances.changes import Fired, MachineClock
    from hybridnet.agent.instances.timelines import FiredEntry, InterfaceChange

__all__ = ["Event", "Schedule", "Timeline", "Timelines", "make_schedule"]

LEAD_SECONDS = 0.3
"""From the call until a timeline begins, at least: every machine must have heard of it by then."""
LEAD_SECONDS_PER_CHANGE = 0.0003
MOST_LATE_SECONDS = 1.0  # what is later is not being made, as on a machine that is lost
POLL_SECONDS = 0.005

RoutesWithout = Callable[[frozenset[str]], Mapping[str, Routes]]


@dataclass(frozen=True)
class Event:
    """A change of a timeline that was made, on one machine.

    Args:
        at_s: the instant that was asked for, in seconds since the timeline's beginning.
        fired_s: the instant at which it was made, by the wall clock. Of what is simulated, simulated time was ``at_s``
            whatever this says.
        machine: where it was made.
        instance: which made it, of what is simulated; of a cut link both do.
        change: as it was written.
        error: why it could not be made; empty: it was.
    """

    at_s: float
    fired_s: float
    machine: str
    change: Mapping[str, Any]
    error: str = ""
    instance: str | None = None

    @property
    def late_s(self) -> float:
        """By how much it was late."""
        return self.fired_s - self.at_s


@dataclass(frozen=True)
class Status:
    """Links that a change sets up or down, and whether simulated routers get other routes with it."""

    up: frozenset[str] = frozenset()
    down: frozenset[str] = frozenset()
    reroutes: bool = False

    @classmethod
    def of(cls, links: Iterable[LinkPlan], up: bool, reroutes: bool = False) -> Status:
        """Of these links."""
        names = frozenset(link.name for link in links)
        return cls(up=names, reroutes=reroutes) if up else cls(down=names, reroutes=reroutes)


Step = LinkStep | Status


@dataclass(frozen=True)
class Pending:
    """A change that a timeline has still to make, with the timeline's name. Its instant counts from that of what it is
    compared with.
    """

    at_ns: int
    timeline: str
    step: Step


@dataclass
class Schedule:
    """What a timeline tells the machines.

    Args:
        machine_of: where each instance runs.
        emulated: the nodes whose interfaces are devices of a machine.
        entries: by instance; each with the number of its change.
        interfaces: by machine, what its agent sets up and down.
        steps, statuses: of changes of a link's options, and of whether it is up, by their numbers.
    """

    changes: list[TimedChange]
    machine_of: Mapping[str, str]
    emulated: frozenset[str]
    entries: dict[str, list[tuple[int, TimelineEntry]]] = field(default_factory=dict)
    interfaces: dict[str, list[InterfaceChange]] = field(default_factory=dict)
    steps: dict[int, LinkStep] = field(default_factory=dict)
    statuses: dict[int, Status] = field(default_factory=dict)

    @property
    def machines(self) -> list[str]:
        """Those that have something to do."""
        return sorted({*(self.machine_of[name] for name in self.entries), *self.interfaces})

    def entries_on(self, machine: str) -> dict[str, list[TimelineEntry]]:
        """By instance, those of a machine, as its agent takes them."""
        return {
            name: [entry for _, entry in own]
            for name, own in self.entries.items()
            if self.machine_of[name] == machine
        }

    def tell(self, instance: str, number: int, entry: TimelineEntry) -> None:
        """Give an entry to an instance."""
        self.entries.setdefault(instance, []).append((number, entry))

    def set_interfaces(self, link: LinkPlan, number: int, up: bool) -> None:
        """Have the agents set the emulated ends of a link up or down."""
        for end, machine in zip((link.a, link.b), link.machines, strict=True):
            if end.node in self.emulated:
                entry: InterfaceChange = {
                    "entry": number,
                    "at_ns": self.changes[number].at_ns,
                    "node": end.node,
                    "interface": end.interface,
                    "up": up,
                }
                self.interfaces.setdefault(machine, []).append(entry)


class Timeline:
    """A timeline that was scheduled. `Net.timeline` makes it.

    Args:
        name: tells it from others in messages.
        duration_s: from its beginning to its last change.
        begins_at: when it begins, as `time.time` and ``ping -D`` count.
        slow: wall seconds for one of its own.
    """

    def __init__(
        self, name: str, cluster: Machines, schedule: Schedule, begin_ns: int, slow: int = 1
    ) -> None:
        self.name, self.begin_ns, self.slow = name, begin_ns, slow
        self.duration_s = max(change.at_ns for change in schedule.changes) / 1e9
        self.cancelled = False
        self._cluster, self._schedule = cluster, schedule
        # By machine and instance: one that begins anew forgets its own.
        self._seen: dict[tuple[str, str | None], list[tuple[int, Event]]] = {}
        self._gone: set[str] = set()  # instances that have begun anew, and machines
        self.begins_at = time.time() + (begin_ns - time.monotonic_ns()) / 1e9
        self._ends = begin_ns / 1e9 + self.duration_s * slow
        starts = _starts(cluster, schedule.machines, begin_ns, slow)
        calls = {
            machine: (
                "schedule",
                {
                    "timeline": name,
                    "start_ns": start_ns,
                    "entries": schedule.entries_on(machine),
                    "interfaces": schedule.interfaces.get(machine, []),
                },
            )
            for machine, start_ns in starts.items()
        }
        try:
            cluster.call_all(calls)
        except BaseException:
            self.cancel()
            raise

    @property
    def changes(self) -> Sequence[TimedChange]:
        """What was asked for."""
        return self._schedule.changes

    @property
    def events(self) -> list[Event]:
        """What has been made so far, in the order of the instants; of a machine that is lost or has left, and of an
        instance that was killed, what was known before.
        """
        return [event for _, event in self.numbered_events()]

    def numbered_events(self) -> list[tuple[int, Event]]:
        """The same, each with the number of its change."""
        there = [machine for machine in self._schedule.machines if machine in self._cluster.machines]
        answers = self._cluster.call_left(dict.fromkeys(there, ("fired", {"timeline": self.name})))
        fired: dict[str, Fired] = answers
        for machine, answer in fired.items():
            rows: dict[str | None, list[tuple[int, FiredEntry]]] = {
                name: [(self._schedule.entries[name][row["entry"]][0], row) for row in own]
                for name, own in answer["instances"].items()
            }
            rows[None] = [(row["entry"], row) for row in answer["interfaces"]]
            for instance, own in rows.items():
                if len(own) >= len(self._seen.get((machine, instance), [])):  # it has not forgotten any
                    self._seen[machine, instance] = [
                        (number, self._event(number, row, machine, instance)) for number, row in own
                    ]
        events = [pair for own_events in self._seen.values() for pair in own_events]
        return sorted(events, key=lambda pair: (pair[1].at_s, pair[0]))

    def _event(self, number: int, row: FiredEntry, machine: str, instance: str | None) -> Event:
        change = self._schedule.changes[number]
        at_s, fired_s = change.at_ns / 1e9, (change.at_ns + row["late_ns"]) / 1e9
        return Event(at_s, fired_s, machine, change.change, row["error"], instance)

    def due_ns(self, number: int) -> int:
        """When a change is to be made, on CLOCK_MONOTONIC."""
        return self.begin_ns + self.slow * self.changes[number].at_ns

    def is_over(self) -> bool:
        """Whether its last instant has passed, or it was cancelled."""
        return self.cancelled or time.monotonic() > self._ends

    def lose(self, names: Iterable[str]) -> None:
        """Instances have begun anew, and perhaps their machine: what they had still to make is gone."""
        self._gone.update(names)

    def has_lost(self, number: int) -> bool:
        """Whether nobody makes a change any more that has not been made yet."""
        schedule = self._schedule
        of_instances = {name for name, own in schedule.entries.items() for each, _ in own if each == number}
        of_agents = {
            name for name, own in schedule.interfaces.items() for each in own if each["entry"] == number
        }
        return {*of_instances, *of_agents} <= self._gone

    def cancel(self) -> None:
        """What has not been made will not be. A second call does nothing."""
        for machine in self._schedule.machines:
            with contextlib.suppress(HybridnetError):  # a machine that is lost makes nothing any more
                self._cluster.call(machine, "cancel_timeline", timeline=self.name)
        self._ends = time.monotonic()
        self.cancelled = True

    def wait(self) -> list[Event]:
        """Wait until its last change has been made, and return all `events`.

        Raises:
            MachineError: a change could not be made; the message quotes the first.
        """
        time.sleep(max(self._ends - time.monotonic(), 0) + 0.05)
        events = self.events
        for event in events:
            if event.error:
                raise MachineError(
                    f"timeline {self.name}, at {event.at_s:g} s, {shown(dict(event.change))}: {event.error}"
                )
        return events


class Timelines:
    """The timelines of one run.

    Args:
        links: where a change of a link's options is written down once it was made.
        slow: wall seconds for a second of what is described.
    """

    def __init__(self, cluster: Machines, links: LinkChanges, slow: int = 1) -> None:
        self._cluster, self._links, self._slow = cluster, links, slow
        self._all: list[Timeline] = []
        self._left: dict[str, dict[int, Step]] = {}  # by timeline: what has not been made
        self._count = 0
        self._followed_ns = 0  # what was due by then is written down

    def begin(
        self,
        changes: list[TimedChange],
        plan: Plan,
        least_cut_delay_ns: int,
        routes_without: RoutesWithout,
        lead_s: float | None,
    ) -> Timeline:
        """Schedule a timeline; see `hybridnet.Net.timeline`."""
        self.follow()
        least = LEAD_SECONDS + LEAD_SECONDS_PER_CHANGE * len(changes)
        lead_ns = round((least if lead_s is None else lead_s) * 1e9)
        planned = functools.cache(routes_without)
        # Routes take their time to plan. What comes first, of this timeline and of others, is known after that.
        for _ in range(2 if self._all else 1):
            begin_ns = time.monotonic_ns() + lead_ns
            pending = self._pending(begin_ns)
            schedule = make_schedule(changes, plan, self._links, least_cut_delay_ns, planned, pending)
        if not self._all:
            begin_ns = time.monotonic_ns() + lead_ns
        self._count += 1
        timeline = Timeline(f"t{self._count}", self._cluster, schedule, begin_ns, self._slow)
        self._all.append(timeline)
        self._left[timeline.name] = {**schedule.steps, **schedule.statuses}
        return timeline

    def lose(self, names: Collection[str]) -> None:
        """Instances, or a machine and its instances, have begun anew; `follow` was called just before."""
        for timeline in self._all:
            timeline.lose(names)
            left = self._left[timeline.name]
            for number in [number for number in left if timeline.has_lost(number)]:
                del left[number]

    def check_removal(self, links: Collection[str]) -> None:
        """Raise UsageError if a timeline has still to change one of these links, which are to go."""
        now_ns = time.monotonic_ns()
        for pending in self._pending(now_ns):
            step = pending.step
            own = {step.after.name} if isinstance(step, LinkStep) else step.up | step.down
            if both := sorted(own & set(links)):
                later_s = max(pending.at_ns, 0) / 1e9
                raise UsageError(
                    f"link {both[0]}: timeline {pending.timeline} changes it {later_s:.3g} s later; wait for that or "
                    "cancel it before you remove the link"
                )

    def check(self, step: Step) -> None:
        """Raise UsageError if a timeline would undo this step, made now, with a change that it has still to make;
        `follow` was called just before.
        """
        _check_kept(self._pending(self._followed_ns), [(0, step)], self._links)

    def _pending(self, since_ns: int) -> list[Pending]:
        """What has not been made, in the order of the instants, which count from one of CLOCK_MONOTONIC."""
        return sorted(
            (
                Pending((timeline.due_ns(number) - since_ns) // self._slow, timeline.name, step)
                for timeline in self._all
                if not timeline.cancelled
                for number, step in self._left[timeline.name].items()
            ),
            key=lambda pending: pending.at_ns,
        )

    def follow(self) -> None:
        """Write down what has been made since the last time: options of links, and which are down. Waits for what is
        being made just now.
        """
        while True:
            self._followed_ns = time.monotonic_ns()
            self._write_down()
            since_due = [-pending.at_ns * self._slow for pending in self._pending(self._followed_ns)]
            if not any(0 <= late_ns < MOST_LATE_SECONDS * 1e9 for late_ns in since_due):
                return
            time.sleep(POLL_SECONDS)

    def _write_down(self) -> None:
        made = [
            (timeline.due_ns(number), timeline.name, number, event)
            for timeline in self._all
            for number, event in timeline.numbered_events()
        ]
        for _, name, number, event in sorted(made, key=lambda each: each[0]):
            step = self._left[name].pop(number, None)
            if step is None or event.error:
                continue
            if isinstance(step, LinkStep):
                self._links.made(step)
            else:
                _hold(step, {}, self._links.down)
        self._all = [
            timeline
            for timeline in self._all
            if not timeline.cancelled and (self._left[timeline.name] or not timeline.is_over())
        ]


def make_schedule(
    changes: list[TimedChange],
    plan: Plan,
    links: LinkChanges,
    least_cut_delay_ns: int,
    routes_without: RoutesWithout,
    pending: Sequence[Pending] = (),
) -> Schedule:
    """What each machine is told.

    Args:
        routes_without: what `set_routes` is told, by instance, so that the routes avoid these links.
        pending: what other timelines have still to do, in the order of the instants.

    Raises:
        TopologyError, UnitError, PlanError, UsageError: a change cannot be made; the message names the entry.
    """
    schedule = Schedule(changes, plan.machine_of_instance, _emulated(plan))
    held: dict[str, LinkStep] = {}
    down = set(links.down)
    others = list(reversed(pending))
    for number in sorted(range(len(changes)), key=lambda number: changes[number].at_ns):
        timed = changes[number]
        while others and others[-1].at_ns <= timed.at_ns:
            _hold(others.pop().step, held, down)
        try:
            _add(schedule, number, timed, plan, links, least_cut_delay_ns, held, down, routes_without)
        except HybridnetError as error:
            raise type(error)(f"{timed.what}: {error}") from None
    own: dict[int, Step] = {**schedule.steps, **schedule.statuses}
    _check_kept(pending, [(changes[number].at_ns, step) for number, step in own.items()], links)
    return schedule


def _check_kept(pending: Sequence[Pending], own: Sequence[tuple[int, Step]], links: LinkChanges) -> None:
    """Raise UsageError if a pending change would undo one of these. It was worked out without them: that of a link
    has all its options, and one that reroutes has all routes. There may be thousands of both.
    """
    changed_ns: dict[str, int] = {}  # by link: when its options first change
    statuses: list[tuple[int, Status]] = []
    for at_ns, step in sorted(own, key=lambda pair: pair[0]):
        if isinstance(step, LinkStep):
            changed_ns.setdefault(step.after.name, at_ns)
        else:
            statuses.append((at_ns, step))
    simulated = links.simulated
    planned, really = set(links.down), set(links.down)
    count = 0
    for other in pending:
        if isinstance(other.step, LinkStep):
            name = other.step.after.name
            undone_ns = changed_ns.get(name, other.at_ns)
            what = f"changes link {name}"
        else:
            while count < len(statuses) and statuses[count][0] < other.at_ns:
                _hold(statuses[count][1], {}, really)
                count += 1
            for down in (planned, really):
                _hold(other.step, {}, down)
            unknown = (planned ^ really) & simulated
            if not other.step.reroutes or not unknown:
                continue
            undone_ns = statuses[0][0]
            what = f"gives routers the routes of another state of {', '.join(sorted(unknown))}"
        if undone_ns < other.at_ns:
            raise UsageError(
                f"timeline {other.timeline} {what} {(other.at_ns - undone_ns) / 1e9:.3g} s later, as it was "
                "scheduled, and would undo this; write both as one timeline, or wait for that one or cancel it"
            )


def _hold(step: Step, held: dict[str, LinkStep], down: set[str]) -> None:
    """From here on a step has been made."""
    if isinstance(step, LinkStep):
        held[step.after.name] = step
    else:
        down -= step.up
        down |= step.down


def _add(
    schedule: Schedule,
    number: int,
    timed: TimedChange,
    plan: Plan,
    links: LinkChanges,
    least_cut_delay_ns: int,
    held: dict[str, LinkStep],
    down: set[str],
    routes_without: RoutesWithout,
) -> None:
    change = timed.change
    if "routes" in change:
        for instance, routes in _routes(plan, change["routes"]).items():
            schedule.tell(instance, number, {"at_ns": timed.at_ns, "routes": routes})
        return
    src, dst = change["link"]
    if "status" not in change:
        step = links.step(src, dst, change.get("key"), timed.options, least_cut_delay_ns, held)
        schedule.steps[number] = step
        _hold(step, held, down)
        for instance, told in step.told.items():
            link_change: LinkChange = {
                "name": told["link"],
                "a_to_b": told["a_to_b"],
                "b_to_a": told["b_to_a"],
            }
            schedule.tell(instance, number, {"at_ns": timed.at_ns, "link": link_change})
        return
    up = change["status"] == "up"
    found = links.between(src, dst, change.get("key"))
    schedule.statuses[number] = Status.of(found, up, reroutes=bool(change.get("reroute")))
    _hold(schedule.statuses[number], held, down)
    for link in found:
        if link.simulated:
            for instance in dict.fromkeys(link.instances):
                status: StatusChange = {"name": link.name, "up": up}
                schedule.tell(instance, number, {"at_ns": timed.at_ns, "status": status})
        if up or not link.simulated:  # `configLinkStatus` may have set the end of a simulated one down
            schedule.set_interfaces(link, number, up)
    if change.get("reroute"):
        for instance, routes in routes_without(frozenset(down)).items():
            schedule.tell(instance, number, {"at_ns": timed.at_ns, "routes": routes})


def _emulated(plan: Plan) -> frozenset[str]:
    """The hosts and switches whose interfaces are devices of a machine; neither guests nor devices of the computer."""
    return frozenset(node["name"] for made in plan.machines.values() for node in nodes_of(made))


def _routes(plan: Plan, wanted: Mapping[str, list[Mapping[str, Any]]]) -> dict[str, Routes]:
    """By instance: the routes of its nodes, as the instance takes them."""
    by_name: dict[str, Routes] = {}
    instances = plan.instances
    for name, routes in wanted.items():
        instance = plan.instance_of.get(name, "")
        nodes = {node["name"]: node for node in instances[instance]["nodes"]} if instance in instances else {}
        if name not in nodes or nodes[name]["kind"] not in ("router", "host"):
            raise PlanError(f"node {name} is not a simulated router or host, and has no routes to change")
        by_name.setdefault(instance, {})[name] = [
            {
                "prefix": route["prefix"],
                "via": route.get("via"),
                "interface": route.get("interface") or interface_toward(nodes[name], route["via"]),
            }
            for route in routes
        ]
    return by_name


def _starts(cluster: Machines, machines: list[str], begin_ns: int, slow: int) -> dict[str, int]:
    """One instant of this computer's CLOCK_MONOTONIC, as that of each machine.

    Instances that have a cut link between them know each other's clock. Other machines' clocks are compared with this
    one by asking them, which is exact to half of the time that the answer takes.
    """
    clocks: dict[str, MachineClock] = {}
    starts: dict[str, int] = {}
    for machine in machines:
        asked_ns = time.monotonic_ns()
        clocks[machine] = cluster.call(machine, "clock")
        between_ns = (asked_ns + time.monotonic_ns()) // 2
        starts[machine] = begin_ns - between_ns + clocks[machine]["monotonic_ns"]
    simulated = [machine for machine in machines if clocks[machine]["epochs_ns"]]
    calls = {machine: ("snapshot", {"of_elements": False}) for machine in cluster.machines}
    snapshots = by_instance(cluster.call_left(calls) if len(simulated) > 1 else {})
    peers = {
        name: {row["name"]: row["clock_offset_ns"] for row in snapshot["peers"] if row["synchronized"]}
        for name, snapshot in snapshots.items()
        if snapshot is not None
    }
    own = {machine: clocks[machine]["epochs_ns"] for machine in simulated}
    first = next(iter(own[simulated[0]]), "") if simulated else ""
    known = {first: 0}  # an instance's clock, minus that of the first
    waiting = [first]
    while waiting:
        name = waiting.pop()
        for peer, offset_ns in peers.get(name, {}).items():
            if peer not in known:
                known[peer] = known[name] + offset_ns
                waiting.append(peer)
    for machine in simulated[1:]:
        reached = next((name for name in own[machine] if name in known), None)
        if reached is not None:
            simulated_ns = (starts[simulated[0]] - own[simulated[0]][first]) // slow + known[reached]
            starts[machine] = slow * simulated_ns + own[machine][reached]
    return starts
