# SPDX-License-Identifier: MIT
"""Runs flows in a network, and reads what they keep busy: processors, instances, Open vSwitch, programs.

A program of somebody else's only adds to what is busy. So what counts is the quietest of a few windows.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from hybridnet.errors import ExperimentError
from hybridnet.forecast.costs import Traffic
from hybridnet.forecast.demand import PACING_S, Flow
from hybridnet.forecast.traffic import HEADERS
from hybridnet.net import Net
from hybridnet.node.popen import Popen

__all__ = ["Seen", "run_flows"]

FIRST_PORT = 5201
SETTLE_S = 0.5
"""After the last flow has begun: connections are there and windows have grown."""
WINDOW_S = 0.5
WHOLE = 0.9
"""Of the most packets in a window: what one must have to count."""
START_S = 0.05
"""What starting one program takes, at most, on a computer that is not full."""
SPARE_S = 0.3
"""For looking itself: a flow must not end before the last look."""
END_S = 30.0
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


def run_flows(net: Net, flows: Sequence[Flow], seconds: float, *, write_bytes: int | None = None) -> Seen:
    """Run flows together, and look at what they keep busy meanwhile.

    Args:
        net: a network that runs.
        flows: may be none: then the network's own work is seen.
        seconds: how long is looked, at least WINDOW_S.
        write_bytes: TCP's programs give the kernel so little at a time, at iperf3's own pace; None: the kernel paces
            them.

    Raises:
        ExperimentError: a program failed; the message quotes it.
    """
    lasts_s = SETTLE_S + seconds + len(flows) * START_S + SPARE_S
    with ExitStack() as ending:
        servers = [ending.enter_context(_serve(net, flow, FIRST_PORT + at)) for at, flow in enumerate(flows)]
        for server, flow in zip(servers, flows, strict=True):
            _await_listening(server, flow)
        clients = [
            ending.enter_context(_send(net, flow, FIRST_PORT + at, lasts_s, write_bytes))
            for at, flow in enumerate(flows)
        ]
        time.sleep(SETTLE_S)
        looks = [_look(net, flows)]
        for _ in range(max(1, round(seconds / WINDOW_S))):
            time.sleep(WINDOW_S)
            looks.append(_look(net, flows))
        reports = [_report(client, flow) for client, flow in zip(clients, flows, strict=True)]
    return _seen(looks, reports, flows)


@dataclass(frozen=True)
class _Look:
    """Everything that was counted at one moment."""

    counters: Mapping[str, Any]  # by machine
    hosts: Mapping[str, Mapping[str, int]]  # by host, of its first interface


def _look(net: Net, flows: Sequence[Flow]) -> _Look:
    machines: Mapping[str, list[str]] = {}
    for name in dict.fromkeys([*(flow.source for flow in flows), *(flow.target for flow in flows)]):
        machines.setdefault(str(net[name].machine), []).append(name)  # type: ignore[attr-defined]
    hosts: dict[str, Mapping[str, int]] = {}
    for machine, names in machines.items():
        wanted = [(name, str(net[name].defaultIntf())) for name in names]
        answer = net.cluster.call(machine, "interface_counters", interfaces=wanted)
        hosts |= dict(zip(names, answer["counters"], strict=True))
    return _Look(net.cluster.call_all(dict.fromkeys(net.cluster.machines, ("counters", {}))), hosts)


def _seen(looks: Sequence[_Look], reports: Sequence[Mapping[str, float]], flows: Sequence[Flow]) -> Seen:
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


def _sent_packets(first: _Look, last: _Look) -> int:
    return sum(row["tx_packets"] - first.hosts[name]["tx_packets"] for name, row in last.hosts.items())


def _seconds(first: _Look, last: _Look) -> float:
    machine = next(iter(last.counters))
    return float(last.counters[machine]["time_ns"] - first.counters[machine]["time_ns"]) / 1e9


def _cores(first: _Look, last: _Look) -> dict[str, float]:
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
    return float(max(grown, default=0)) / (after["time_ns"] - before["time_ns"])


def _serve(net: Net, flow: Flow, port: int) -> Popen:
    return net[flow.target].popen(["iperf3", "-s", "-1", "-p", str(port), "--forceflush"])


def _await_listening(server: Popen, flow: Flow) -> None:
    assert server.stdout is not None
    said = []
    while line := server.stdout.readline():
        said.append(line)
        if "Server listening" in line:
            return
    raise ExperimentError(f"iperf3 server at {flow.target}: {' '.join(said).strip() or 'it printed nothing'}")


def _send(net: Net, flow: Flow, port: int, seconds: float, write_bytes: int | None) -> Popen:
    rate = str(max(1, round(flow.rate_bps)))
    options = ["-C", "cubic", "-b", "0", "--fq-rate", rate]
    if flow.protocol == "udp":
        pacing = ["--pacing-timer", str(round(flow.pacing_s * 1e6))]
        options = ["-u", "-b", rate, "-l", str(flow.packet_bytes), *pacing]
    elif write_bytes is not None:
        options = ["-C", "cubic", "-b", rate, "-l", str(write_bytes)]
    address = net[flow.target].IP()
    command = ["iperf3", "-c", str(address), "-p", str(port), "-t", f"{seconds:.1f}", "-J", *options]
    return net[flow.source].popen(command)


def _report(client: Popen, flow: Flow) -> Mapping[str, float]:
    out, err = client.communicate(timeout=END_S)
    try:
        report = json.loads(out)
    except ValueError:
        report = {"error": (err or out).strip()[-300:] or "it printed nothing"}
    if "error" in report:
        raise ExperimentError(f"iperf3 from {flow.source} to {flow.target}: {report['error']}")
    end = report["end"]
    return {
        **end["cpu_utilization_percent"],
        "sent_bps": end.get("sum_sent", end.get("sum"))["bits_per_second"],
    }
