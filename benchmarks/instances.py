# SPDX-License-Identifier: MIT
"""Instances of one machine, joined through shared memory: what a cut costs, and sixteen of them in a ring.

Two emulated hosts with a link of 50 us between their portals, in one instance and in two, in turns: pings, TCP, and the
processor time of the instances and of the whole computer for each byte. Goals: pings through the cut within 0.06 ms of
those without (median), and 60 % of its TCP. The same pings with a link of 20 us, which is less than a plan cuts unless
it is told to; beside them the share of packets that came later than that, which decides whether a verdict trusts them.

Sixteen instances, each a router with a simulated host, which sends UDP to the host two instances further, for a minute.
Goal: with a fifth of the computer busy, no event is 5 ms late. Beside it, where `make bench` has built it, a program
that only sleeps, before every instance, says how late this computer wakes anybody in that minute.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import traffic
from benchmarks.result import Result
from hybridnet import Net, Topo
from hybridnet.observe.series.buckets import percentile_ns, subtract_buckets

ROUNDS = 3
PAIR_DELAY = "50us"
SHORT_DELAY, SHORT_NS = "20us", 20_000
BARE = Path(__file__).resolve().parent.parent / "build" / "bench" / "simcore"
HOP, SLEEPER = BARE / "hop", BARE / "sleeper"
ARMS = {"one": False, "two": True}

RING = 16
RING_S = 60.0
RING_RATE = "1.5 Mbit/s"
"""Of each host: 130 packets a second, each through three instances."""
SETTLE_S = 2.0


class Pair(Topo):
    """h1 ── portal ── a delay ── portal ── h2, the portals in one instance or in two."""

    def build(self, apart: bool, delay: str = PAIR_DELAY) -> None:
        h1, h2 = self.addHost("h1", instance=1), self.addHost("h2", instance=2 if apart else 1)
        self.addLink(h1, h2, delay=delay, max_queue_size=50_000)


class Ring(Topo):
    """Instances in a circle, 1 ms from each other."""

    def build(self) -> None:
        for number in range(1, RING + 1):
            far = f"h{(number + 1) % RING + 1}"
            source = {"kind": "udp_source", "destination": far, "port": 9, "rate": RING_RATE}
            sink = {"kind": "udp_sink", "port": 9}
            self.addSimRouter(f"r{number}", instance=number)
            self.addSimHost(f"h{number}", applications=[source, sink])
            self.addLink(f"h{number}", f"r{number}", bw=1000)
        for number in range(1, RING + 1):
            self.addLink(f"r{number}", f"r{number % RING + 1}", bw=1000, delay="1ms")


def run() -> list[Result]:
    return _pairs() + _short() + _ring()


def _bare(delay: str) -> float:
    """The least that a cut of that delay can add to a ping on this computer now, in ms: the median of some hundred."""
    [late_ns, _] = subprocess.run(
        [HOP, delay.removesuffix("us")], check=True, capture_output=True, text=True
    ).stdout.split()
    return 2 * int(late_ns) / 1e6


def _least(name: str, bare: list[float]) -> list[Result]:
    return [Result(f"{name}/bare_limit", median(bare), "ms")] if bare else []


def _pairs() -> list[Result]:
    rows: list[Result] = []
    found: dict[str, dict[str, list[float]]] = {arm: {} for arm in ARMS}
    bare: list[float] = []
    for number in range(1, ROUNDS + 1):
        bare += [_bare(PAIR_DELAY)] if HOP.exists() else []
        for arm, apart in ARMS.items():
            name = f"instances/{arm}/{number}"
            measured = _pair(apart, name)
            rows += measured
            for each in measured:
                if each.value is not None:
                    found[arm].setdefault(each.name.removeprefix(f"{name}/"), []).append(each.value)
    of = {arm: {what: median(values) for what, values in figures.items()} for arm, figures in found.items()}
    added = of["two"]["ping/p50"] - of["one"]["ping/p50"]
    rows += [
        Result("instances/cut/ping_added", added, "ms", 0.06, less_is_better=True),
        *_least("instances/cut", bare),
        Result("instances/cut/tcp_kept", of["two"]["tcp"] / of["one"]["tcp"], "", 0.6),
    ]
    for arm in ARMS:
        for what in ("instances_ns_per_byte", "computer_ns_per_byte"):
            rows.append(Result(f"instances/{arm}/{what}", of[arm][what], "ns"))
    return rows


def _pair(apart: bool, name: str) -> list[Result]:
    with Net(Pair(apart), controller=None) as net:
        h1, h2 = net.get("h1", "h2")
        traffic.raise_windows(h1, h2)
        results = traffic.ping(net, h1, h2, name, None, None)
        before, busy = net.snapshot(of_elements=False), _busy_ns()
        tcp = traffic.tcp(h1, h2, name)
        after, busy_after = net.snapshot(of_elements=False), _busy_ns()
    spent = sum(after[each]["loop"]["cpu_ns"] - before[each]["loop"]["cpu_ns"] for each in after)
    carried = (tcp.value or 0.0) * 1e9 / 8 * traffic.TCP_SECONDS
    return [
        *results,
        tcp,
        Result(f"{name}/instances_ns_per_byte", spent / carried, "ns"),
        Result(f"{name}/computer_ns_per_byte", (busy_after - busy) / carried, "ns"),
    ]


def _short() -> list[Result]:
    """Pings over the short link, cut and not, in turns."""
    rows: list[Result] = []
    p50: dict[str, list[float]] = {arm: [] for arm in ARMS}
    late: list[float] = []
    bare: list[float] = []
    for number in range(1, ROUNDS + 1):
        bare += [_bare(SHORT_DELAY)] if HOP.exists() else []
        for arm, apart in ARMS.items():
            with Net(Pair(apart, SHORT_DELAY), controller=None, least_cut_delay_ns=SHORT_NS) as net:
                pings = traffic.ping(net, *net.get("h1", "h2"), f"instances/short/{arm}/{number}", None, None)
                peers = [peer for each in net.snapshot(of_elements=False).values() for peer in each["peers"]]
            rows += pings
            p50[arm].append(next(each.value or 0.0 for each in pings if each.name.endswith("p50")))
            if apart:
                late.append(
                    sum(peer["late_packets"] for peer in peers)
                    / sum(peer["received_packets"] for peer in peers)
                )
    added = median(p50["two"]) - median(p50["one"])
    return [
        *rows,
        Result("instances/short/ping_added", added, "ms", 0.06, less_is_better=True),
        *_least("instances/short", bare),
        Result("instances/short/late_fraction", median(late), "", 1e-4, less_is_better=True),
    ]


def _ring() -> list[Result]:
    with Net(Ring(), controller=None) as net:
        time.sleep(SETTLE_S)  # what is measured is time itself
        before, began, busy = net.snapshot(of_elements=False), time.monotonic(), _busy_ns()
        sleeper = (
            subprocess.Popen([SLEEPER, f"{RING_S:.0f}"], stdout=subprocess.PIPE, text=True)
            if SLEEPER.exists()
            else None
        )
        with net.measured() as measured:
            time.sleep(RING_S)
        lasted, busy = time.monotonic() - began, _busy_ns() - busy
        after = net.snapshot(of_elements=False)
    for reason in measured.verdict.reasons:
        print(f"instances/ring: {measured.verdict.word}: {reason}", file=sys.stderr)
    latest = max(_latest_ms(before[name], after[name]) for name in after)
    cpu = {name: after[name]["loop"]["cpu_ns"] - before[name]["loop"]["cpu_ns"] for name in after}
    sinks = [_sink(snapshot) for snapshot in after.values()]
    bare_ns = [] if sleeper is None else list(map(int, sleeper.communicate()[0].split()))
    return [
        Result("instances/ring/latest", latest, "ms", 5.0, less_is_better=True),
        *(
            Result(f"instances/ring/bare_{what}", value / 1e6, "ms")
            for what, value in zip(("latest", "lateness_p999"), bare_ns, strict=False)
        ),
        Result(
            "instances/ring/lateness_p999", max(_p999_ms(before[name], after[name]) for name in after), "ms"
        ),
        Result("instances/ring/computer_busy", busy / 1e9 / lasted / (os.cpu_count() or 1), ""),
        Result("instances/ring/simulating", sum(cpu.values()) / 1e9 / lasted / (os.cpu_count() or 1), ""),
        Result("instances/ring/received", sum(row["received_datagrams"] for row in sinks), "packets"),
        Result(
            "instances/ring/missing",
            sum(row["missing"] for row in sinks),
            "packets",
            0,
            less_is_better=True,
        ),
        Result("instances/ring/trusted", float(str(measured.verdict).startswith("trusted")), "", 1),
    ]


def _latest_ms(before: dict[str, Any], after: dict[str, Any]) -> float:
    """The most that an event was late between two snapshots, within a sixteenth."""
    late = subtract_buckets(after["lateness"]["buckets"], before["lateness"]["buckets"])
    return max((upper_ns for upper_ns, count in late if count), default=0) / 1e6


def _p999_ms(before: dict[str, Any], after: dict[str, Any]) -> float:
    late = subtract_buckets(after["lateness"]["buckets"], before["lateness"]["buckets"])
    return percentile_ns(late, 0.999) / 1e6


def _sink(snapshot: dict[str, Any]) -> dict[str, Any]:
    [row] = [row for row in snapshot["applications"] if ":udp_sink:" in row["name"]]
    return dict(row)


def _busy_ns() -> int:
    """Processor time of the computer since it started, idle and waiting time left out."""
    jiffies = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(jiffies) - jiffies[3] - jiffies[4]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
