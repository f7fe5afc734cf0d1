# SPDX-License-Identifier: MIT
"""What the counters of the machines say of the emulated part of a run. Pure.

An agent counts (`hybridnet.agent.counters.counters`), and what grew between two marks is judged here. Machines that
share a computer, as local ones do, share its processors, backlogs and memory: what belongs to a computer is judged
once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, final

from hybridnet.observe.results.limits import Limits
from hybridnet.observe.series.snapshot import LinkCounts, Snapshot
from hybridnet.system.incidents import Incident

__all__ = [
    "Counters",
    "Emulated",
    "Enforced",
    "Look",
    "Outage",
    "Scrape",
    "SwitchingCounters",
    "judge_machines",
]


@final
class Outage(TypedDict):
    """An instance was missing, from when to when (CLOCK_MONOTONIC; to_ns None: it is still), and how it ended."""

    instance: str
    from_ns: int
    to_ns: int | None
    how: str


@final
class Enforced(TypedDict):
    """Of one host: programs that the kernel has killed because the host's programs took more memory than they may, new
    processes that it has refused, and the limits.
    """

    killed: int
    refused: int
    memory_bytes: int | None
    processes: int | None


@final
class SwitchingCounters(TypedDict):
    """Of Open vSwitch: for how long each thread has run, where the kernel counts it, and packets that did not reach the
    slow path, which decides on new flows.
    """

    ran_ns: dict[str, int]
    lost_upcalls: int


@final
class Counters(TypedDict):
    """All that a verdict needs of one machine: see `hybridnet.agent.counters.counters`."""

    computer: str
    time_ns: int  # CLOCK_MONOTONIC
    processors: dict[str, int]
    quotas: dict[str, list[int]]
    busy: dict[str, list[tuple[int, int]]]  # see `hybridnet.agent.counters.utilization`
    sample_seconds: float
    softnet_dropped: int
    memory: dict[str, int]
    enforced: dict[str, Enforced]  # by host, of those that may take so much memory or so many processes
    drops: dict[str, int]  # by interface
    mtu_mismatches: dict[str, tuple[int, str, int]]
    switching: SwitchingCounters | None  # None: there are no switches
    instances: dict[str, Snapshot | None]  # without elements; None: it has ended
    started: dict[str, int]  # how often, by instance
    outages: list[Outage]
    incidents: list[Incident]


@final
class Look(TypedDict):
    """What somebody who watches the network twice a second needs of one machine."""

    time_ns: int  # CLOCK_MONOTONIC
    counters: Counters
    wires: list[tuple[str, str, int, int, int, int, int, int]]  # see `hybridnet.agent.counters.wires`
    links: dict[str, LinkCounts]  # by instance


@final
class Scrape(TypedDict):
    """What a scrape of metrics needs of one machine beside a look at it."""

    instances: dict[str, Snapshot | None]  # None: it has ended
    interfaces: list[tuple[str, str, int, int, int, int, int, int]]
    """Of the hosts: node and name; bytes, packets and drops of what came in; the same of what was sent."""
    flows: dict[str, int]  # in the tables of each switch of Open vSwitch


NAMED_INTERFACES = 3


@dataclass
class Emulated:
    """What was found: reasons for broken, reasons for saturated, what was compared with the limits, and what the
    description asks for and happened.
    """

    broken: list[str] = field(default_factory=list)
    saturated: list[str] = field(default_factory=list)
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def judge_machines(windows: Mapping[str, tuple[Counters, Counters]], limits: Limits) -> Emulated:
    """Judge what grew on each machine between the beginning and the end of what is judged.

    Args:
        windows: by machine; all of one network.
        limits: what is tolerated.
    """
    found = Emulated()
    computers: dict[str, list[str]] = {}
    for machine, (_, after) in windows.items():
        computers.setdefault(after["computer"], []).append(machine)
    for machines in computers.values():
        name = "the computer" if len(computers) == 1 else f"the computer of {', '.join(machines)}"
        dropped = sum(
            sum(_growths(*(each["drops"] for each in windows[machine])).values()) for machine in machines
        )
        told = sum(_note_enforced(windows[machine], found.notes) for machine in machines)
        _judge_computer(name, windows[machines[0]], dropped, told, limits, found)
    for machine, window in windows.items():
        _judge_machine(machine, window, limits, found)
    return found


def _note_enforced(window: tuple[Counters, Counters], notes: list[str]) -> int:
    """Note limits of hosts that the kernel has enforced. Returns how many programs it has killed for that."""
    before, after = (counters["enforced"] for counters in window)
    told = 0
    for host, now in after.items():
        first = before.get(host)
        killed = _growth(0 if first is None else first["killed"], now["killed"])
        refused = _growth(0 if first is None else first["refused"], now["refused"])
        told += killed
        if killed:
            most = "" if now["memory_bytes"] is None else f"{now['memory_bytes'] / (1 << 20):g} MiB"
            notes.append(
                f"host {host}: its programs took more than memory={most}, and the kernel killed {killed} of them"
            )
        if refused:
            most = "" if now["processes"] is None else f"={now['processes']}"
            notes.append(f"host {host}: the kernel refused {refused} new processes beyond pids{most}")
    return told


def _judge_computer(
    name: str, window: tuple[Counters, Counters], dropped: int, told: int, limits: Limits, found: Emulated
) -> None:
    """`dropped`: at interfaces of all machines on this computer. A backlog holds the frames of others as well, and what
    it drops of ours, the interface that sent it counts too. `told`: programs that were killed as limits of hosts say.
    """
    before, after = window
    seconds = _seconds(window)
    dropped = min(dropped, _growth(before["softnet_dropped"], after["softnet_dropped"]))
    if dropped > limits.softnet_drops:
        found.broken.append(
            f"{name}: the kernel dropped {dropped} frames because a processor's backlog was full (softnet; limit "
            f"{limits.softnet_drops}): frames came faster than it takes them; lower the load"
        )
    killed = max(0, _grown(before["memory"], after["memory"], "killed_programs") - told)
    if killed > limits.killed_programs:
        found.broken.append(
            f"{name}: memory ran out, and the kernel killed {killed} programs; use fewer hosts, or more memory"
        )

    cores = after["processors"]["count"]
    of_all = after["processors"]["ticks_per_second"] * cores * seconds
    idle, stolen = (
        _grown(before["processors"], after["processors"], key) for key in ("idle_ticks", "stolen_ticks")
    )
    mean = min(1.0, max(0.0, 1.0 - idle / of_all)) if of_all else 0.0
    busy_seconds = _busy_seconds(window, "processors", limits.processor_busy)
    if mean > limits.processor_busy:
        busy_seconds = max(busy_seconds, seconds)
    if busy_seconds > limits.busy_seconds:
        found.saturated.append(
            f"{name}: its processors were more than {100 * limits.processor_busy:g} % busy for {busy_seconds:.1f} s of "
            f"{seconds:.1f} s (limit {limits.busy_seconds:g} s): emulated hosts and switches waited for a core; "
            "lower the load"
        )
    steal = stolen / of_all if of_all else 0.0
    # The kernel counts whole ticks, so one of each processor may be of the time before: much of a short window.
    if of_all and (stolen - cores) / of_all > limits.steal:
        found.saturated.append(
            f"{name}: its hypervisor gave {100 * steal:.1f} % of the processors' time to others (limit "
            f"{100 * limits.steal:g} %); use a computer that nobody else uses"
        )
    throttled = max(
        (_used_up(before["quotas"].get(group), now) for group, now in after["quotas"].items()), default=0.0
    )
    if throttled > limits.throttled:
        found.saturated.append(
            f"{name}: the quota of processor time for hybridnet was used up in {100 * throttled:.1f} % of its periods "
            f"(limit {100 * limits.throttled:g} %): programs waited; raise that of the container or control group"
        )

    row: dict[str, float] = {
        "seconds": seconds,
        "softnet_drops": dropped,
        "killed_programs": killed,
        "processor_busy": mean,
        "busy_seconds": busy_seconds,
        "steal": steal,
        "throttled": throttled,
    }
    _judge_memory(name, window, limits, found.saturated, row)
    found.figures[name] = row


def _judge_memory(
    name: str,
    window: tuple[Counters, Counters],
    limits: Limits,
    saturated: list[str],
    row: dict[str, float],
) -> None:
    before, after = (counters["memory"] for counters in window)
    seconds = _seconds(window)
    cure = "use fewer hosts, or more memory"
    if "stalled_us" in after:
        row["memory_stalled"] = _grown(before, after, "stalled_us") / 1e6 / seconds if seconds else 0.0
        if row["memory_stalled"] > limits.memory_stalled:
            saturated.append(
                f"{name}: all programs waited for memory in {100 * row['memory_stalled']:.1f} % of the time (limit "
                f"{100 * limits.memory_stalled:g} %); {cure}"
            )
        return
    row["reclaims_per_second"] = _grown(before, after, "reclaims") / seconds if seconds else 0.0
    if row["reclaims_per_second"] > limits.reclaims_per_second:
        saturated.append(
            f"{name}: programs had to free memory {row['reclaims_per_second']:.0f} times a second before they got some "
            f"(limit {limits.reclaims_per_second:g}); {cure}"
        )


def _judge_machine(name: str, window: tuple[Counters, Counters], limits: Limits, found: Emulated) -> None:
    before, after = window
    row: dict[str, float] = {}
    dropped = _growths(before["drops"], after["drops"])
    row["interface_drops"] = total = sum(dropped.values())
    too_large = [device for device in dropped if device in after["mtu_mismatches"]]
    for device in too_large if total > limits.interface_drops else ():
        mtu, other, other_mtu = after["mtu_mismatches"][device]
        found.saturated.append(
            f"machine {name}: {dropped[device]} frames were dropped at {device}, which sends up to {mtu} bytes, where "
            f"{other} takes {other_mtu}: give both ends the same MTU"
        )
        total -= dropped.pop(device)
    if total > limits.interface_drops:
        most = sorted(dropped, key=lambda interface: -dropped[interface])
        named = ", ".join(f"{interface} {dropped[interface]}" for interface in most[:NAMED_INTERFACES])
        more = f" and {len(most) - NAMED_INTERFACES} more" if len(most) > NAMED_INTERFACES else ""
        found.saturated.append(
            f"machine {name}: {total} frames were dropped at interfaces of hosts and switches ({named}{more}; limit "
            f"{limits.interface_drops}): whoever reads them there was too slow; lower the load"
        )
    if after["switching"] is not None:
        earlier = 0 if before["switching"] is None else before["switching"]["lost_upcalls"]
        row["lost_upcalls"] = lost = _growth(earlier, after["switching"]["lost_upcalls"])
        if lost > limits.lost_upcalls:
            found.broken.append(
                f"machine {name}: Open vSwitch lost {lost} packets on the way to its slow path (upcalls; limit "
                f"{limits.lost_upcalls}): flows began faster than it takes them in; start fewer at once"
            )
        row["switching_busy_seconds"] = busy = _busy_seconds(window, "switching", limits.processor_busy)
        if busy > limits.busy_seconds:
            found.saturated.append(
                f"machine {name}: a thread of Open vSwitch was more than {100 * limits.processor_busy:g} % busy for "
                f"{busy:.1f} s of {_seconds(window):.1f} s (limit {limits.busy_seconds:g} s): the switches were the "
                "limit; lower the load"
            )
    found.figures[name] = row


def _seconds(window: tuple[Counters, Counters]) -> float:
    return float(window[1]["time_ns"] - window[0]["time_ns"]) / 1e9


def _growth(first: int, last: int) -> int:
    """By how much a counter grew; what began again meanwhile counts from zero."""
    return last - first if last >= first else last


def _grown(before: Mapping[str, int], after: Mapping[str, int], key: str) -> int:
    return _growth(before.get(key, 0), after[key])


def _growths(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """By how much each of many counters grew, where it did."""
    grown = {key: _grown(before, after, key) for key in after}
    return {key: growth for key, growth in grown.items() if growth}


def _used_up(before: Sequence[int] | None, after: Sequence[int]) -> float:
    """In what share of the periods since then a quota was used up; rows of (periods, of these used up)."""
    periods, used_up = (last - first for first, last in zip(before or (0, 0), after, strict=True))
    return used_up / periods if periods > 0 else 0.0


def _busy_seconds(window: tuple[Counters, Counters], whose: str, limit: float) -> float:
    """For how long samples were beyond the limit: rows of (share in tenths of a percent, samples)."""
    before, after = (_beyond(counters["busy"][whose], limit) for counters in window)
    return min(_seconds(window), float(window[1]["sample_seconds"]) * (after - before))


def _beyond(samples: Sequence[Sequence[int]], limit: float) -> int:
    return sum(count for share, count in samples if share > 1000 * limit)
