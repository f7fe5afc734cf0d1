# SPDX-License-Identifier: MIT
"""What it costs to watch and to record the comparison's two trees of 63 switches with 64 hosts each.

Watched is a network with the live page, two updates a second, of which a program of its own takes every one. Recorded
is one with a time series of ten samples a second, too. The arms take turns, forth and back: first while nothing is
sent, then with 8 TCP flows without a limit and 8 UDP flows of 10 Mbit/s.

Goals: while nothing is sent, the page takes 3 % of a core of the head and 1 % of the instances. With page and series,
goodput under flows is 97 % of that without, or as near to it as half of the windows without are to each other, and
99.9 % of the events are at most 0.1 ms later.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.flows import TCP, Pairs, await_each_other, received, start_flows, udp
from benchmarks.result import Result
from hybridnet import ExperimentError, Net
from hybridnet.observe.recording.network_record import NetworkRecord
from hybridnet.observe.results.verdict import percentile_ns, subtract_buckets
from hybridnet.topologies import TwoTrees

DEPTH = 6
FLOWS = 8  # of each kind
IDLE_ROUNDS, IDLE_S = 3, 6.0
FLOW_ROUNDS, FLOW_S = 5, 8.0
SETTLE_S = 2.0  # the page and the listener begin
SERIES_S = 0.1
HEAD, INSTANCES, GOODPUT, LATER_MS = 0.03, 0.01, 0.97, 0.1

LISTEN = """
import sys
from hybridnet.run.live import Client
for page in sys.stdin:
    for event in Client(page.strip()).events():
        print(event["number"], flush=True)
    print("end", flush=True)
"""

Listener = subprocess.Popen[str]

PLAIN, WATCHED, RECORDED = "without", "page", "page and series"

Arms = Mapping[str, list[dict[str, float]]]
"""The figures of each window of an arm."""


def run() -> list[Result]:
    with Net(TwoTrees(depth=DEPTH, bw=10_000, delay="5ms")) as net, _listener() as told, ExitStack() as flows:
        pairs = [(net[source], net[target]) for source, target in net.topo.pairs]  # type: ignore[attr-defined]
        await_each_other(net, pairs)
        idle = _alternate(
            net, told, (PLAIN, WATCHED, RECORDED), IDLE_ROUNDS, lambda: _processor_window(net, IDLE_S)
        )
        clients = start_flows(pairs[: 2 * FLOWS], [TCP] * FLOWS + [udp("10M")] * FLOWS, flows)
        busy = _alternate(
            net, told, (PLAIN, RECORDED), FLOW_ROUNDS, lambda: _flow_window(net, pairs[: 2 * FLOWS], FLOW_S)
        )
        if ended := [client.args for client in clients if client.poll() is not None]:
            raise ExperimentError(f"{len(ended)} flows ended while they were needed: {ended[0]}")
    return [*_costs(idle), *_effects(busy)]


def _alternate(
    net: Net, told: Listener, names: Sequence[str], rounds: int, window: Callable[[], dict[str, float]]
) -> Arms:
    arms: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            with ExitStack() as watching:
                if name != PLAIN:
                    watching.enter_context(_page(net, told))
                if name == RECORDED:
                    watching.enter_context(_series(net))
                time.sleep(SETTLE_S)
                arms[name].append(window())
    return arms


@contextmanager
def _listener() -> Iterator[Listener]:
    """A program that takes every update of the pages that it is told of. It starts before anything is measured."""
    with subprocess.Popen(
        [sys.executable, "-c", LISTEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        try:
            yield program
        finally:
            program.terminate()


@contextmanager
def _page(net: Net, told: Listener) -> Iterator[None]:
    """The network has a page, and somebody who looks at it."""
    assert told.stdin is not None
    assert told.stdout is not None
    with net.live() as page:
        print(page.url, file=told.stdin, flush=True)
        if not told.stdout.readline():
            raise ExperimentError("the page told nothing")
        yield
    while told.stdout.readline().strip() != "end":
        pass


@contextmanager
def _series(net: Net) -> Iterator[None]:
    """A time series of the network is recorded."""
    machines = net.cluster.machines
    with tempfile.TemporaryDirectory(prefix="watching-") as folder:
        call = ("start_series", {"interval_s": SERIES_S, "elements": None})
        net.cluster.call_all(dict.fromkeys(machines, call))
        assert net.plan is not None
        record = NetworkRecord(
            Path(folder) / "network",
            net.plan.to_json(),
            {},
            1,
            lambda last: net.cluster.call_all(dict.fromkeys(machines, ("take_series", {"last": last}))),
        )
        try:
            yield
        finally:
            record.end_series()


def _processor_window(net: Net, seconds: float) -> dict[str, float]:
    """Processor time, as shares of a core."""
    before, began = _processor_times(net), time.monotonic()
    time.sleep(seconds)
    after, lasted = _processor_times(net), time.monotonic() - began
    return {key: (after[key] - before[key]) / lasted for key in after}


def _processor_times(net: Net) -> dict[str, float]:
    """In seconds, so far: of this process, and of the machines' processes of two kinds."""
    found = {"head": time.process_time()}
    ticks = os.sysconf("SC_CLK_TCK")
    for kind, pattern in {
        "instances": "[h]ybridnet.simulate.instance",
        "agents": "[h]ybridnet.machines",
    }.items():
        told = f"for p in $(pgrep -f '{pattern}'); do cat /proc/$p/stat 2>/dev/null; done; true"
        lines = [
            line
            for machine in net.cluster.machines
            for line in net.cluster.call(machine, "exec", argv=told)["stdout"].decode().splitlines()
        ]
        fields = [line.rpartition(")")[2].split() for line in lines]
        found[kind] = sum(int(row[11]) + int(row[12]) for row in fields) / ticks
    return found


def _flow_window(net: Net, pairs: Pairs, seconds: float) -> dict[str, float]:
    """What arrives, and how late 99.9 % of the events of the instance that is latest are."""
    began, before = received(net, pairs), net.snapshot()
    time.sleep(seconds)
    ended, after = received(net, pairs), net.snapshot()
    return {
        "goodput_gbps": 8 * (ended[0] - began[0]) / (ended[1] - began[1]),
        "p999_ms": max(_late_ms(before[machine], after[machine]) for machine in after),
    }


def _late_ms(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    grown = subtract_buckets(after["lateness"]["buckets"], before["lateness"]["buckets"])
    return percentile_ns(grown, 0.999) / 1e6


def _costs(arms: Arms) -> list[Result]:
    results = []
    for who, goal in (("head", HEAD), ("instances", INSTANCES), ("agents", None)):
        share = {name: median(row[who] for row in rows) for name, rows in arms.items()}
        results += [
            Result(f"watching/idle/{who}/without", share[PLAIN], "cores"),
            Result(
                f"watching/idle/{who}/page", share[WATCHED] - share[PLAIN], "cores", goal, less_is_better=True
            ),
            Result(f"watching/idle/{who}/page_and_series", share[RECORDED] - share[PLAIN], "cores"),
        ]
    return results


def _effects(arms: Arms) -> list[Result]:
    goodput, late = (
        {arm: [row[figure] for row in rows] for arm, rows in arms.items()}
        for figure in ("goodput_gbps", "p999_ms")
    )
    low, middle, high = quantiles(goodput[PLAIN], n=4, method="inclusive")
    spread = (high - low) / middle
    without_ms, watched_ms = (median(late[arm]) for arm in (PLAIN, RECORDED))
    return [
        Result("watching/flows/goodput/without", middle, "Gbit/s"),
        Result("watching/flows/goodput/spread", spread, ""),
        Result(
            "watching/flows/goodput/share", median(goodput[RECORDED]) / middle, "", min(GOODPUT, 1 - spread)
        ),
        Result("watching/flows/p999/without", without_ms, "ms"),
        Result("watching/flows/p999/more", watched_ms - without_ms, "ms", LATER_MS, less_is_better=True),
    ]
