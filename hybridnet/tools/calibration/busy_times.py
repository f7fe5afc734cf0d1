# SPDX-License-Identifier: MIT
"""From what was counted at a few moments to what flows keep busy: processors, instances, Open vSwitch, programs. Pure.

A program of somebody else's only adds to what is busy. So what counts is the quietest of a few windows.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet.tools.forecast.costs import Traffic
from hybridnet.tools.forecast.demand import PACING_S, Flow
from hybridnet.tools.forecast.traffic import HEADERS

__all__ = ["Look", "Seen", "seen_by"]

WHOLE = 0.9
"""Of the most packets in a window: what one must have to count."""
LOOP = ("cpu_ns", "looked_ns", "turns", "sleeps", "moderated")
"""What is read of an instance's loop."""


@dataclass(frozen=True)
class Seen:
    """What flows did in the quietest window.

    Args:
        seconds: how long it was.
        cores: processors of each computer that were busy, by one of its machines.
        instances: processors that each instance's thread took, without its looks.
        looked: those that it took for looking whether something comes.
        turns: of each instance's loop, in a second.
        wakes: how many of them ended a pause.
        switching: processors that the busiest thread of Open vSwitch took, by machine.
        senders, receivers: processors that each flow's programs took.
        sent: what the senders' interfaces gave out, all together.
        arrived_bps: bit/s of frames that came to the receivers, all together.
    """

    seconds: float
    cores: Mapping[str, float]
    instances: Mapping[str, float]
    looked: Mapping[str, float]
    turns: Mapping[str, float]
    wakes: Mapping[str, float]
    switching: Mapping[str, float]
    senders: Sequence[float]
    receivers: Sequence[float]
    sent: Traffic
    arrived_bps: float

    @property
    def threads(self) -> float:
        """Processors that programs, instances and Open vSwitch took, all together."""
        instances = (*self.instances.values(), *self.looked.values())
        return sum(map(sum, (self.senders, self.receivers, instances, self.switching.values())))


@dataclass(frozen=True)
class Look:
    """Everything that was counted at one moment.

    Args:
        counters: what an agent counts, by machine.
        hosts: what its first interface counts, by host.
    """

    counters: Mapping[str, Any]
    hosts: Mapping[str, Mapping[str, int]]


def seen_by(looks: Sequence[Look], reports: Sequence[Mapping[str, float]], flows: Sequence[Flow]) -> Seen:
    """What flows did in the quietest window between two looks.

    Args:
        reports: of each flow's programs: what they took over their whole life in percent, and what they sent.
    """
    windows = list(itertools.pairwise(looks))
    # A flow may have begun late; then its first windows have less traffic.
    carried = [_sent_packets(*window) for window in windows]
    whole = [
        window for window, packets in zip(windows, carried, strict=True) if packets >= WHOLE * max(carried)
    ]
    first, last = min(whole, key=lambda window: sum(_cores(*window).values()))
    seconds = _seconds(first, last)
    loops = {
        name: {key: (snapshot["loop"][key] - earlier["loop"][key]) / seconds for key in LOOP}
        for machine, counters in last.counters.items()
        for name, snapshot in counters["instances"].items()
        if snapshot is not None and (earlier := first.counters[machine]["instances"].get(name)) is not None
    }
    grown = {
        name: {key: row[key] - first.hosts[name][key] for key in ("tx_packets", "tx_bytes", "rx_bytes")}
        for name, row in last.hosts.items()
    }
    sources = {flow.source: HEADERS[flow.protocol] for flow in flows}
    units = sum(grown[name]["tx_packets"] for name in sources) / seconds
    # A train counts as one frame, with one set of headers.
    sent_bytes = sum(
        grown[name]["tx_bytes"] - headers * grown[name]["tx_packets"] for name, headers in sources.items()
    )
    # Programs say what they took over their whole life, in which they may have sent less than in this window.
    life_bps = sum(report["sent_bps"] for report in reports)
    more = sent_bytes * 8 / seconds / life_bps if life_bps else 1.0
    bursts = sum(
        min(flow.rate_bps / 8 / flow.packet_bytes, 1 / PACING_S) for flow in flows if flow.protocol == "udp"
    )
    return Seen(
        seconds,
        _cores(first, last),
        {name: max(0.0, row["cpu_ns"] - row["looked_ns"]) / 1e9 for name, row in loops.items()},
        {name: min(row["cpu_ns"], row["looked_ns"]) / 1e9 for name, row in loops.items()},
        {name: row["turns"] for name, row in loops.items()},
        {name: row["sleeps"] + row["moderated"] for name, row in loops.items()},
        {
            machine: _switching(first.counters[machine], counters)
            for machine, counters in last.counters.items()
            if counters["switching"] is not None
        },
        [report["host_total"] / 100 * more for report in reports],
        [report["remote_total"] / 100 * more for report in reports],
        Traffic(bursts or units, units, sent_bytes / seconds),
        8 * sum(grown[name]["rx_bytes"] for name in dict.fromkeys(flow.target for flow in flows)) / seconds,
    )


def _sent_packets(first: Look, last: Look) -> int:
    return sum(row["tx_packets"] - first.hosts[name]["tx_packets"] for name, row in last.hosts.items())


def _seconds(first: Look, last: Look) -> float:
    machine = next(iter(last.counters))
    return float(last.counters[machine]["time_ns"] - first.counters[machine]["time_ns"]) / 1e9


def _cores(first: Look, last: Look) -> dict[str, float]:
    """Of each computer how many processors were busy, by the first of its machines."""
    found: dict[str, float] = {}
    computers = set()
    for machine, after in last.counters.items():
        if after["computer"] in computers:
            continue
        computers.add(after["computer"])
        before, now = first.counters[machine]["processors"], after["processors"]
        lasted_s = (after["time_ns"] - first.counters[machine]["time_ns"]) / 1e9
        idle_s = (now["idle_ticks"] - before["idle_ticks"]) / now["ticks_per_second"]
        found[machine] = min(float(now["count"]), max(0.0, now["count"] - idle_s / lasted_s))
    return found


def _switching(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    """Processors that the busiest thread took."""
    earlier = before["switching"]["ran_ns"]
    grown = [ran - earlier.get(thread, 0) for thread, ran in after["switching"]["ran_ns"].items()]
    took_ns: int = max(grown, default=0)
    lasted_ns: int = after["time_ns"] - before["time_ns"]
    return took_ns / lasted_ns
