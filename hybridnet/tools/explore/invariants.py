# SPDX-License-Identifier: MIT
"""What must hold at the end of a trial, when nothing is disturbed any more.

An invariant is a function from what was observed to its findings; ``@invariant`` names it::

    @invariant
    def h3_is_isolated(seen):
        for probe in seen.probes.values():
            if probe.target == "h3" and probe.arrived:
                yield f"{probe.source} reached h3"
"""

from __future__ import annotations

import bisect
import ipaddress
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from hybridnet.describe.values import counted, shown, whole
from hybridnet.errors import UsageError
from hybridnet.run.prompt.user_code import user_code
from hybridnet.tools.explore.frames import frame_text
from hybridnet.tools.explore.header import cube_of
from hybridnet.tools.explore.rules import ambiguous, shadowed
from hybridnet.tools.explore.site import Service, Site
from hybridnet.tools.explore.trial import PROBES_NS, Flow, Observed
from hybridnet.tools.explore.walk import Class, Partition, Way

__all__ = [
    "INVARIANTS",
    "Finding",
    "Invariant",
    "affinity",
    "all_reach_all",
    "bounded",
    "findings",
    "invariant",
    "isolated",
    "no_ambiguous_rules",
    "no_shadowed_rules",
    "reaches",
]

MOST_TIMES = 8
"""So often a packet may come to the controller from one switch each time that it is sent: loops of some packets, while
tables change, are no storm."""
_LAST = len(PROBES_NS)
_IPV4, _ICMP = 0x0800, 1
_MOST_QUOTED = 3  # flows, in a sentence
_SECOND_NS = 1_000_000_000
_MIB = 1 << 20
_MOST_BOUND = 1_000_000
_SERVER_ERROR = 500  # from here on, of HTTP's status codes


@final
@dataclass(frozen=True)
class Finding:
    """What does not hold: of which invariant, what, and the way of the packet if there is one."""

    invariant: str
    text: str
    way: Way | None = None


@final
@dataclass(frozen=True)
class Invariant:
    """One of them.

    Args:
        check: yields what does not hold, with the way of a packet if there is one.
        hosts, switches: that it names.
        services: by their addresses, whose clients have flows in each trial.
    """

    name: str
    check: Callable[[Observed], Iterable[str | tuple[str, Way]]]
    hosts: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    services: Mapping[str, Service] = field(default_factory=dict)

    def check_names(self, site: Site) -> None:
        """Raise UsageError where it names what the network has not."""
        for what, names, there in (
            ("host", self.hosts, site.hosts),
            ("switch", self.switches, site.switches),
        ):
            for name in names:
                if name not in there:
                    raise UsageError(
                        f"invariant {self.name}: the network has no {what} {shown(name)}; it has {', '.join(there)}"
                    )
        for address, service in self.services.items():
            if not site.clients(service):
                raise UsageError(
                    f"invariant {self.name}: all hosts are servers; leave one out, which is a client"
                )
            taken = next((each.name for each in site.hosts.values() if each.address == service.address), None)
            if taken is not None:
                raise UsageError(
                    f"invariant {self.name}: {address} is the address of {taken}; choose a free one"
                )


def invariant(check: Callable[[Observed], Iterable[str | tuple[str, Way]]]) -> Invariant:
    """Make an invariant of a function that yields a sentence for each thing that does not hold."""
    return Invariant(check.__name__.replace("_", "-"), check)


def findings(seen: Observed, invariants: Iterable[Invariant]) -> list[Finding]:
    """What does not hold. A controller that ended, or does nothing but talk, is a finding before all others, and
    packets that multiply are one.

    Raises:
        UsageError: an invariant of the user's raises something, or says something else than sentences.
    """
    if seen.ended or seen.talk:
        return [Finding("controller-runs", seen.ended or seen.talk)]
    if seen.fabric is None:
        return [Finding("no-loops", "packets multiply: they go around in a loop, and are copied there")]
    found: list[Finding] = []
    for each in invariants:
        if getattr(each.check, "__module__", None) == __name__:
            found += _checked(each, seen)
            continue
        code = getattr(each.check, "__code__", None)
        with user_code(each.name if code is None else code.co_filename, UsageError):
            found += _checked(each, seen)
    return found


def _checked(of: Invariant, seen: Observed) -> Iterator[Finding]:
    """What one of them finds. Raises UsageError: it says what nobody understands."""
    said: object = of.check(seen)
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise _unsaid(of, said)
    for each in said:
        text, way = each if isinstance(each, tuple) and len(each) == 2 else (each, None)
        if not isinstance(text, str) or not isinstance(way, Way | None):
            raise _unsaid(of, each)
        yield Finding(of.name, text, way)


def _unsaid(of: Invariant, said: object) -> UsageError:
    return UsageError(
        f"invariant {of.name}: it gives {shown(said)}; let it yield a sentence for each thing that does not hold"
    )


@invariant
def no_loops(seen: Observed) -> Iterator[tuple[str, Way]]:
    """No packet that a host may send goes around for ever, by the tables of the switches."""
    assert seen.fabric is not None
    for name, jack in seen.homes.items():
        partition = Partition(seen.fabric, cube_of(eth_src=seen.site.hosts[name].mac))
        for each in partition.classes(seen.site.jacks[jack]):
            for way in each.ways:
                if way.end.kind == "loop":
                    yield f"{each.text()} from {name} goes around for ever, again at {way.end.place[0]}", way
                    return


@invariant
def no_storms(seen: Observed) -> Iterator[str]:
    """No packet comes to the controller from a switch again and again, while its host has sent it once.

    What goes around for some time only, while a spanning tree is computed, is in no table at the end.
    """
    for (switch, frame), times in seen.asked.items():
        sent = seen.sent.get(frame, 0)
        if sent and times > MOST_TIMES * sent:
            yield (
                f"{frame_text(frame, seen.site.hosts.values())} came to the controller from {switch} "
                f"{counted(times, 'time')}, and was sent {counted(sent, 'time')}: it went around in a loop"
            )
            return


def _pings(seen: Observed, source: str, target: str) -> Iterator[Class]:
    """Where pings go by the tables, as OpenFlow has it: what one switch forwards, another one may drop.

    They have the header of `frames.ping`: hosts know nothing of VLANs.
    """
    assert seen.fabric is not None
    fabric = replace(seen.fabric, by_the_book=True)
    one, other = seen.site.hosts[source], seen.site.hosts[target]
    header = cube_of(
        eth_src=one.mac, eth_dst=other.mac, eth_type=_IPV4, vlan_vid=0, vlan_pcp=0, ip_dscp=0, ip_ecn=0,
        ip_proto=_ICMP, ipv4_src=one.address, ipv4_dst=other.address, icmpv4_type=8, icmpv4_code=0,
    )  # fmt: skip
    yield from Partition(fabric, header).classes(seen.site.jacks[seen.homes[source]])


def _black_hole(seen: Observed, source: str, target: str) -> tuple[str, Way] | None:
    """Where pings go by the tables, if they neither come to their host nor to the controller."""
    for each in _pings(seen, source, target):
        ends = [way.end for way in each.ways]
        if any(end.host == target or end.kind == "controller" for end in ends):
            continue
        way = each.ways[0]
        old = seen.before.get(target)
        where = f"{way.end.place[0]} port {way.end.place[1]}"
        if old is not None and any(end.place == seen.site.jacks[old] for end in ends):
            return (
                f"packets from {source} to {target} still go to {where}, where {target} was before it moved",
                way,
            )
        what = {
            "drop": "are dropped",
            "free": "leave where nobody is,",
            "down": "leave by a port that is down,",
        }
        why = ""
        if way.end.missed is not None:
            why = (
                f": table {way.end.missed} has no flow for them, and no table-miss flow (OpenFlow 1.3.5, 5.4)"
            )
        return (
            f"packets from {source} to {target} {what.get(way.end.kind, 'go elsewhere,')} at {where}{why}",
            way,
        )
    return None


def _unreached(seen: Observed, source: str, target: str) -> Iterator[str | tuple[str, Way]]:
    hole = _black_hole(seen, source, target)
    if hole is not None:
        yield hole
    for probe in seen.probes.values():
        if (probe.round, probe.source, probe.target) == (_LAST, source, target) and not probe.answered:
            what = "its answer does not come" if probe.arrived else "it does not arrive"
            at_s = (PROBES_NS[-1] + seen.settle_ns) / 1e9
            yield f"{source} pings {target} at {at_s:g} s for the {_LAST}rd time, and {what}"


@invariant
def all_reach_all(seen: Observed) -> Iterator[str | tuple[str, Way]]:
    """Every host reaches every other one: no black hole in the tables, and the last ping is answered."""
    for one in seen.homes:
        for other in seen.homes:
            if one != other:
                yield from _unreached(seen, one, other)


@invariant
def no_forgotten_packet(seen: Observed) -> Iterator[str]:
    """A ping of the last rounds that comes to the controller, and that nobody else has, is sent on by it."""
    for probe in seen.probes.values():
        if probe.round and probe.asked and not probe.released and not probe.arrived:
            yield (
                f"the controller got a ping from {probe.source} to {probe.target} from {probe.asked[-1]} and "
                "never sent it on: it is lost, or waits for ever"
            )


@invariant
def no_exception(seen: Observed) -> Iterator[str]:
    """The application raises nothing that it does not catch."""
    lines = seen.log.splitlines()
    for number, line in enumerate(lines):
        if "Traceback (most recent call last)" in line:
            raised = next(
                (each for each in lines[number + 1 :] if each and not each.startswith(" ")), "an exception"
            )
            yield f"the application raised {raised}"
            return


@invariant
def requests_are_answered(seen: Observed) -> Iterator[str]:
    """The application's REST interface answers each request, and not with an error of its own (HTTP 5xx)."""
    for request in seen.requests:
        if request.status is None:
            yield f"{request.text} has no answer; has the application a REST interface?"
        elif request.status >= _SERVER_ERROR:
            yield f"{request.text} is answered with {request.status}"


@invariant
def no_shadowed_rules(seen: Observed) -> Iterator[str]:
    """No flow without a time-out is hidden for ever by others of higher priority without one: no packet meets it."""
    assert seen.fabric is not None
    for switch, tables in seen.fabric.tables.items():
        for rules in tables.by_number.values():
            for rule, higher in shadowed(rules):
                hiding = "; ".join(each.text() for each in higher[:_MOST_QUOTED])
                more = f", and {len(higher) - _MOST_QUOTED} more" if len(higher) > _MOST_QUOTED else ""
                yield f"no packet ever meets a flow of {switch}, {rule.text()}: before it come {hiding}{more}"


@invariant
def no_ambiguous_rules(seen: Observed) -> Iterator[str]:
    """No two flows of one priority match the same packet and do different things: which one counts is undefined."""
    assert seen.fabric is not None
    for switch, tables in seen.fabric.tables.items():
        for rules in tables.by_number.values():
            for one, other, packets in ambiguous(rules):
                yield (
                    f"{packets.text()} meets two flows of {switch} with the same priority, and which one counts is "
                    f"undefined (OpenFlow 1.3.5, 5.3): {one.text()}; {other.text()}"
                )


INVARIANTS = (
    no_exception,
    no_loops,
    no_storms,
    all_reach_all,
    no_forgotten_packet,
    requests_are_answered,
)
"""Those that are checked unless the user says others."""


def reaches(source: str, target: str, *, via: str | None = None, hops: int | None = None) -> Invariant:
    """A host reaches another one in the end, and if that is said, on a way of this kind.

    The way is that of the tables; what the controller sends on itself has none.

    Args:
        source, target: hosts.
        via: a switch through which every packet comes; None: any way will do.
        hops: switches that a packet crosses at most, 1 or more; None: any number.

    Raises:
        UsageError: `hops` is no such number.
    """
    name = f"{source}-reaches-{target}"
    if hops is not None and (isinstance(hops, bool) or not isinstance(hops, int) or hops < 1):
        raise UsageError(f"invariant {name}: hops {shown(hops)}: write a number of switches, 1 or more")
    name += ("" if via is None else f"-via-{via}") + (
        "" if hops is None else f"-in-{counted(hops, 'hop')}".replace(" ", "-")
    )

    def check(seen: Observed) -> Iterator[str | tuple[str, Way]]:
        yield from _unreached(seen, source, target)
        yield from _astray(seen, source, target, via, hops)

    return Invariant(name, check, (source, target), () if via is None else (via,))


def _astray(
    seen: Observed, source: str, target: str, via: str | None, hops: int | None
) -> Iterator[tuple[str, Way]]:
    """The ways to a host that do not go where they are to go, or are too long; the first of each."""
    ways = [way for each in _pings(seen, source, target) for way in each.ways if way.end.host == target]
    past = [way for way in ways if via is not None and via not in (hop.switch for hop in way.hops)]
    far = [way for way in ways if hops is not None and len(way.hops) > hops]
    for way in past[:1]:
        yield (
            f"packets from {source} come to {target} without crossing {via}: they cross {_crossed(way)}",
            way,
        )
    for way in far[:1]:
        yield (
            f"packets from {source} to {target} cross {len(way.hops)} switches ({_crossed(way)}), and may cross {hops}",
            way,
        )


def _crossed(way: Way) -> str:
    return ", ".join(hop.switch for hop in way.hops)


def isolated(source: str, target: str) -> Invariant:
    """No ping of a host ever arrives at another one."""

    def check(seen: Observed) -> Iterator[str]:
        for probe in seen.probes.values():
            if (probe.source, probe.target) == (source, target) and probe.arrived:
                yield f"a ping from {source} arrived at {target}, which must be isolated from it"
                return

    return Invariant(f"{source}-isolated-from-{target}", check, (source, target))


def bounded(*, messages_per_s: int | None = None, memory_mib: int | None = None) -> Invariant:
    """The controller says no more than so much to a switch, and needs no more than so much memory.

    Args:
        messages_per_s: to one switch, in any second of simulated time: 1 or more; None: any number.
        memory_mib: by how much its own memory grows from 1.4 s on, once all switches and hosts are known: 1 MiB or
            more; None: any. As it is no part of simulated time, it may differ a little when a trial is repeated.

    Raises:
        UsageError: neither is said, or one is no such number.
    """
    given = {"messages_per_s": messages_per_s, "memory_mib": memory_mib}
    for name, value in given.items():
        if value is not None:
            whole(value, f"bounded: {name}", 1, _MOST_BOUND)
    if messages_per_s is None and memory_mib is None:
        raise UsageError(
            "bounded: write messages_per_s=, memory_mib= or both, such as bounded(memory_mib=50)"
        )

    def check(seen: Observed) -> Iterator[str]:
        for switch, instants in seen.said.items():
            if messages_per_s is not None:
                yield from _too_many(switch, instants, messages_per_s, seen.settle_ns)
        if memory_mib is not None and seen.grown > memory_mib * _MIB:
            yield f"the controller's memory grows by {seen.grown / _MIB:.1f} MiB, and may grow by {memory_mib}"

    words = [f"{name.replace('_', '-')}-{value}" for name, value in given.items() if value is not None]
    return Invariant(f"bounded-{'-'.join(words)}", check)


def _too_many(switch: str, instants: Sequence[int], most: int, begun_ns: int) -> Iterator[str]:
    """The first second in which a switch is told too much."""
    for number, at_ns in enumerate(instants[most:]):
        if at_ns - instants[number] < _SECOND_NS:
            end = bisect.bisect_left(instants, instants[number] + _SECOND_NS)
            yield (
                f"the controller sends {switch} {end - number} messages in the second from "
                f"{(instants[number] - begun_ns) / 1e9:g} s on, and may send {most}"
            )
            return


def affinity(address: str, servers: Sequence[str]) -> Invariant:
    """All segments of a flow to a service come to one of its servers, and in the end all are answered.

    The flow affinity of NICE (Canini and others, NSDI 2012). The hosts that are no servers are clients: they ask who
    has the address (ARP), and send segments of TCP to it, which the servers answer.

    Args:
        address: of the service, that no host has.
        servers: hosts; they have addresses of their own, and answer what comes to these.

    Raises:
        UsageError: the address is none, or there is no server.
    """
    name = f"{address}-affinity"
    try:
        number = int(ipaddress.IPv4Address(address))
    except ValueError:
        raise UsageError(f"affinity({shown(address)}): write an IPv4 address, such as 10.0.0.100") from None
    if isinstance(servers, str) or not servers:
        raise UsageError(f"{name}: servers {shown(servers)}: write a list of hosts, such as ['h2', 'h3']")
    service = Service(number, tuple(servers))

    def check(seen: Observed) -> Iterator[str]:
        for flow in seen.flows.values():
            if flow.service == service:
                yield from _parted(flow, address)

    return Invariant(name, check, tuple(servers), services={address: service})


def _parted(flow: Flow, address: str) -> Iterator[str]:
    """How a flow's segments do not all come to one server; those of the last flows are to be answered, too."""
    what = f"flow {flow.number}, from {flow.source} to {address},"
    first = flow.came[0][1] if flow.came else None
    for number, host in flow.came:
        if host not in flow.service.servers:
            yield f"{what} comes to {host}, which is no server of it"
            return
        if host != first:
            yield f"{what} has begun at {first}, and its segment {number} comes to {host}"
            return
    if not flow.turn:
        return
    if not flow.sent:
        yield f"{what} does not begin: nobody says who has the address"
    lacking = [number for number in range(1, flow.sent + 1) if number not in flow.answered]
    if lacking:
        came = any(number == lacking[0] for number, _ in flow.came)
        why = f"comes to {first}, and its answer not to {flow.source}" if came else "comes to no server"
        yield f"{what} is not disturbed, and its segment {lacking[0]} {why}"
