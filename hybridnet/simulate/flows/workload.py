# SPDX-License-Identifier: MIT
"""Workloads: which flows start when, from where, to where, and how large. The same seed gives the same flows."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from hybridnet.describe.options import family
from hybridnet.describe.options.read import read_value
from hybridnet.describe.quantities import parse_delay, parse_percent
from hybridnet.describe.values import choice, shown, text, whole
from hybridnet.errors import UsageError
from hybridnet.simulate.flows.sizes import SizeDistribution

__all__ = ["MOST_FLOWS", "MOST_FLOWS_OF_HOST", "PATTERNS", "Flow", "Workload", "check_workloads", "flows_of"]

PATTERNS = ("all-to-all", "permutation", "incast", "all-reduce")
MOST_FLOWS = 1_000_000
"""Of a replication: a flow takes about 3 kB of memory."""
MOST_FLOWS_OF_HOST = 44_000
"""That a host sends in a replication: each has a port of its own there, from 5001 on. Those from 49,152 on are for its
connections to others."""
_NS = 1_000_000_000
_LEAST_LOAD = 1e-6


@dataclass(frozen=True)
class Flow:
    """So many bytes, from one host to another.

    Args:
        workload: the label of the workload that it belongs to.
        start_ns: when it starts, simulated time; of one that follows another, before which it does not.
        source: the host that has the bytes.
        destination: the host that gets them.
        size_bytes: how many, at least 1.
        tcp: of both ends, as plans write it.
        after: the flow that it follows: it starts once that has finished. None: it starts at `start_ns`.
    """

    workload: str
    start_ns: int
    source: str
    destination: str
    size_bytes: int
    tcp: Mapping[str, Any]
    after: Flow | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Workload:
    """Flows between simulated hosts, over TCP. All arguments are checked at once, but for names of hosts.

    Args:
        sizes: of the flows: ``"web-search"``, ``"data-mining"``, ``"hadoop"``, a size (``"20 kB"``; a number is bytes),
            or a file with lines ``SIZE_BYTES CUMULATIVE``. For all-reduce a size: of what each host has.
        load: how much each host sends, as a share of the rate of its link, above 0 to 1, or ``"50 %"``. Bytes of flows
            count, headers do not. Flows of each host arrive as a Poisson process. Not for incast and all-reduce.
        pattern: whom a host sends to: ``"all-to-all"``, each flow to any other host; ``"permutation"``, always to the
            same one, so that each host receives from one; ``"incast"``: every `interval`, `fan_in` hosts begin at once
            to send one flow each to the same host; ``"all-reduce"``: the hosts are a ring, and in each round each sends
            to the next one, once it has what the one before it sent in the round before. A flow has as many bytes as
            `sizes` over the number of hosts. Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
            clusters of workstations", JPDC 2009.
        hosts: which hosts take part, of all-reduce in the order of the ring; none: all simulated hosts.
        fan_in: of incast, how many send at once.
        interval: of incast, the time between, such as ``"10ms"``.
        receiver: of incast, who receives; None: each time one that is drawn.
        rounds: of all-reduce, how many; None: all, which are 2 * (hosts - 1).
        start: no flow starts earlier, such as ``"100ms"``.
        stop: no flow starts then or later; None: until the simulation ends. Not for all-reduce.
        tcp: of both ends: a preset or a dictionary, as applications have it; None: ``"linux"``.

    Raises:
        UsageError: an argument makes no sense, or the file of sizes is none.
        UnitError: a time has no unit.
        TopologyError: there is no such TCP.

    Example:
        >>> Workload("web-search", load=0.5).label
        'web-search all-to-all'
    """

    sizes: str | os.PathLike[str] | int
    load: float | str | None = None
    pattern: str = "all-to-all"
    hosts: Sequence[str] = ()
    fan_in: int | None = None
    interval: str | None = None
    receiver: str | None = None
    rounds: int | None = None
    start: str = "0"
    stop: str | None = None
    tcp: str | Mapping[str, Any] | None = None

    @classmethod
    def parse(cls, written: str) -> Workload:
        """A workload as the command line has it: the sizes, and then arguments, such as
        ``web-search,load=0.5,hosts=h1+h2``.

        Raises:
            UsageError: there is no such argument, or one makes no sense.

        Example:
            >>> Workload.parse("20kB,pattern=incast,fan_in=8,interval=10ms,receiver=h1").fan_in
            8
        """
        sizes, *rest = written.split(",")
        arguments: dict[str, Any] = {}
        for each in rest:
            name, equals, value = each.partition("=")
            choice(name, f"workload {shown(written)}: argument", _ARGUMENTS)
            if not equals or not value or name in arguments:
                raise UsageError(
                    f"workload {shown(written)}: {shown(each)}: write each argument once, as {name}=VALUE"
                )
            arguments[name] = _READERS.get(name, str)(value)
        return cls(sizes, **arguments)

    def __post_init__(self) -> None:
        choice(self.pattern, "workload: pattern", PATTERNS)
        if isinstance(self.hosts, str) or not isinstance(self.hosts, Sequence):
            raise UsageError(
                f"workload: hosts {shown(self.hosts)} is not a list of names; write ['h1', 'h2']"
            )
        names = [text(name, "workload: host") for name in self.hosts]
        if len(set(names)) < len(names):
            raise UsageError(f"workload: hosts {shown(self.hosts)}: name each once")
        for name, pattern in _OF_ONE_PATTERN.items():
            if getattr(self, name) is not None and self.pattern != pattern:
                raise UsageError(
                    f"workload: {name} is of {pattern}, and the pattern is {self.pattern}; leave it out"
                )
        if self.pattern == "incast":
            self._check_incast()
        elif self.pattern == "all-reduce":
            self._check_all_reduce()
        else:
            self._check_poisson()
        if self.stop is not None and self.stop_ns(0) <= self.start_ns:
            raise UsageError(
                f"workload: it stops at {self.stop} and starts at {self.start}; choose a later stop"
            )
        _ = self.distribution, self.tcp_plan  # what is wrong with them is said here

    def _check_poisson(self) -> None:
        if self.load is None:
            raise UsageError(f"workload: {self.pattern} needs a load; write for example load=0.5")
        _ = self.share

    def _check_incast(self) -> None:
        if self.load is not None:
            raise UsageError("workload: incast has no load: fan_in, interval and sizes say it; leave it out")
        if self.fan_in is None or self.interval is None:
            raise UsageError(
                "workload: incast needs fan_in and interval; write for example fan_in=8, interval='10ms'"
            )
        whole(self.fan_in, "workload: fan_in", 1, MOST_FLOWS)  # which `members` bounds by the hosts
        if parse_delay(self.interval, "workload: interval") <= 0:
            raise UsageError(
                f"workload: interval {shown(self.interval)} is not above 0; write for example '10ms'"
            )
        if self.receiver is not None:
            text(self.receiver, "workload: receiver")

    def _check_all_reduce(self) -> None:
        if self.load is not None or self.stop is not None:
            raise UsageError(
                "workload: all-reduce has neither load nor stop: its size and its rounds say how much is sent; leave "
                "them out"
            )
        if len(self.distribution.points) > 1:
            raise UsageError(
                f"workload: sizes {shown(self.sizes)}: all-reduce has one size, of what each host has; write for "
                "example '1 GB'"
            )
        if self.rounds is not None:
            whole(self.rounds, "workload: rounds", 1, MOST_FLOWS_OF_HOST)

    @cached_property
    def distribution(self) -> SizeDistribution:
        """The sizes of its flows."""
        return SizeDistribution.of(self.sizes)

    @cached_property
    def tcp_plan(self) -> Mapping[str, Any]:
        """The TCP of both ends, as plans write it."""
        option = family("application").models["tcp_bulk"].said["tcp"]
        given = read_value("linux" if self.tcp is None else self.tcp, option, "workload: tcp")
        plan: Mapping[str, Any] = {"preset": given} if isinstance(given, str) else given
        return plan

    @property
    def label(self) -> str:
        """Its name in tables."""
        return f"{self.distribution.name} {self.pattern}"

    @property
    def share(self) -> float:
        """The load, as a share of the link's rate."""
        load = self.load
        if isinstance(load, str) and load.rstrip().endswith("%"):
            load = parse_percent(load, "workload: load")
        if isinstance(load, bool) or not isinstance(load, int | float) or not _LEAST_LOAD <= load <= 1:
            raise UsageError(
                f"workload: load {shown(self.load)} is not a share above 0 and up to 1; write 0.5 or '50 %'"
            )
        return load

    @property
    def start_ns(self) -> int:
        """When it starts, simulated time."""
        return parse_delay(self.start, "workload: start")

    def stop_ns(self, until_ns: int) -> int:
        """When it stops, where the simulation ends at `until_ns`."""
        return until_ns if self.stop is None else parse_delay(self.stop, "workload: stop")

    def members(self, there: Collection[str]) -> list[str]:
        """Its hosts, where these are the simulated ones.

        Raises:
            UsageError: one of them is not there, or there are too few.
        """
        named = [*self.hosts, *([] if self.receiver is None else [self.receiver])]
        missing = next((name for name in named if name not in there), None)
        if missing is not None:
            raise UsageError(
                f"workload {self.label}: there is no simulated host {shown(missing)}; describe it with addSimHost, or "
                "name another"
            )
        hosts = list(self.hosts) or list(there)
        if len(hosts) < 2:
            raise UsageError(f"workload {self.label}: it has {len(hosts)} host; flows need two or more")
        senders = len([host for host in hosts if host != self.receiver])
        most = senders if self.receiver is not None else senders - 1
        if self.fan_in is not None and self.fan_in > most:
            raise UsageError(
                f"workload {self.label}: fan_in is {self.fan_in}, and {most} hosts can send to one; choose at most that"
            )
        return hosts


def _if_number(kind: Callable[[str], int | float]) -> Callable[[str], Any]:
    """Reads a number; what is none is left as it is, to be refused or understood where it is checked."""

    def read(value: str) -> Any:
        try:
            return kind(value)
        except ValueError:
            return value

    return read


_OF_ONE_PATTERN = {"fan_in": "incast", "interval": "incast", "receiver": "incast", "rounds": "all-reduce"}
_ARGUMENTS = ("load", "pattern", "hosts", *_OF_ONE_PATTERN, "start", "stop", "tcp")
_READERS: Mapping[str, Callable[[str], Any]] = {
    "load": _if_number(float),
    "fan_in": _if_number(int),
    "rounds": _if_number(int),
    "hosts": lambda value: value.split("+"),
}


def check_workloads(given: Any) -> tuple[Workload, ...]:
    """A list of workloads. Raises UsageError: it is something else."""
    if not isinstance(given, Sequence) or not all(isinstance(each, Workload) for each in given):
        raise UsageError(
            f"simulate: workloads {shown(given)} is not a list of Workload; write [Workload(...)]"
        )
    return tuple(given)


def flows_of(
    workloads: Sequence[Workload], rates_bps: Mapping[str, int | None], seed: int, until_ns: int
) -> list[Flow]:
    """The flows of a replication, in the order in which they start.

    Args:
        workloads: whose flows.
        rates_bps: of each simulated host the rate of the link by which it sends; None: it has no limit.
        seed: of the replication. Every host of every workload draws from a random stream of its own.
        until_ns: no flow starts then or later.

    Raises:
        UsageError: a host is missing, a load has no rate to be a share of, or there are more flows than `MOST_FLOWS` or
            `MOST_FLOWS_OF_HOST`.
    """
    flows: list[Flow] = []
    sent: Counter[str] = Counter()
    for number, workload in enumerate(workloads):
        for flow in _of_one(workload, rates_bps, f"{seed}/{number}", until_ns):
            flows.append(flow)
            sent[flow.source] += 1
            if len(flows) > MOST_FLOWS or sent[flow.source] > MOST_FLOWS_OF_HOST:
                whose = (
                    f"the workloads have more than {MOST_FLOWS} flows"
                    if len(flows) > MOST_FLOWS
                    else f"{flow.source} sends more than {MOST_FLOWS_OF_HOST} flows"
                )
                raise UsageError(
                    f"simulate: {whose}; simulate a shorter time with more seeds, or choose a smaller load or larger "
                    "sizes"
                )
    return sorted(flows, key=lambda flow: flow.start_ns)


def _of_one(
    workload: Workload, rates_bps: Mapping[str, int | None], stream: str, until_ns: int
) -> Iterator[Flow]:
    hosts = workload.members(rates_bps)
    end_ns = min(until_ns, workload.stop_ns(until_ns))
    if workload.pattern == "incast":
        yield from _incast(workload, hosts, Random(f"{stream}/incast"), end_ns)
        return
    if workload.pattern == "all-reduce":
        yield from _all_reduce(workload, hosts) if workload.start_ns < end_ns else ()
        return
    partners: dict[str, str] = {}
    if workload.pattern == "permutation":
        partners = _permutation(hosts, Random(f"{stream}/permutation"))
    for host in hosts:
        rate_bps = rates_bps[host]
        if rate_bps is None:
            raise UsageError(
                f"workload {workload.label}: the link of {host} has no rate, so a load has no meaning; give it one "
                "with bw"
            )
        mean_ns = _NS * 8 * workload.distribution.mean_bytes / (workload.share * rate_bps)
        random = Random(f"{stream}/{host}")
        others = [each for each in hosts if each != host]
        at_ns = workload.start_ns + random.expovariate(1 / mean_ns)
        while at_ns < end_ns:
            destination = partners[host] if partners else others[int(random.random() * len(others))]
            yield _flow(workload, int(at_ns), host, destination, random)
            at_ns += random.expovariate(1 / mean_ns)


def _permutation(hosts: Sequence[str], random: Random) -> dict[str, str]:
    """To whom each sends: the next one in a circle in random order, so nobody sends to itself."""
    order = list(hosts)
    random.shuffle(order)
    return dict(zip(order, [*order[1:], order[0]], strict=True))


def _incast(workload: Workload, hosts: Sequence[str], random: Random, end_ns: int) -> Iterator[Flow]:
    assert workload.fan_in is not None
    step_ns = parse_delay(workload.interval, "workload: interval")
    for at_ns in range(workload.start_ns, end_ns, step_ns):
        receiver = workload.receiver or hosts[int(random.random() * len(hosts))]
        for sender in random.sample([host for host in hosts if host != receiver], workload.fan_in):
            yield _flow(workload, at_ns, sender, receiver, random)


def _all_reduce(workload: Workload, hosts: Sequence[str]) -> Iterator[Flow]:
    """Round by round. Of two hosts each sends to the other."""
    size = math.ceil(workload.distribution.mean_bytes / len(hosts))
    came: list[Flow | None] = [None] * len(hosts)  # to each, in the round before
    for _ in range(workload.rounds or 2 * (len(hosts) - 1)):
        sent = [
            Flow(workload.label, workload.start_ns, host, following, size, workload.tcp_plan, after)
            for host, following, after in zip(hosts, [*hosts[1:], hosts[0]], came, strict=True)
        ]
        yield from sent
        came = [sent[-1], *sent[:-1]]


def _flow(workload: Workload, at_ns: int, source: str, destination: str, random: Random) -> Flow:
    return Flow(
        workload.label, at_ns, source, destination, workload.distribution.draw(random), workload.tcp_plan
    )
