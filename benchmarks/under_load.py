# SPDX-License-Identifier: MIT
"""How long the head waits for commands and programs while 32 TCP and 32 UDP flows without a limit keep every core busy,
over two trees of 63 switches with 64 hosts each, as the comparison with MaxiNet builds them.

Goals: `h.cmd("true")` in 50 ms (median) and 500 ms (99 %); 64 programs, each started by a `h.popen` of its own when the
one before is started, in 3 s, and in 3 s from the first call until the last of them has said that it runs. Beside them
the same without flows, what the flows carry before and after, and how long they took to start.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from benchmarks.flows import TCP, Pairs, await_each_other, received, start_flows, udp
from benchmarks.result import Result
from hybridnet import ExperimentError, Host, Net
from hybridnet.topologies import TwoTrees

DEPTH = 6
FLOWS = 32  # of each kind
SETTLE_S = 5.0
SHELLS = 16
COMMANDS = 300
COMMANDS_S = 60.0  # no more commands after that
SNAPSHOTS = 10
PROGRAMS = 64
CARRIED_S = 3.0

PROGRAM = ["sh", "-c", "echo here; exec sleep 1000"]


def run() -> list[Result]:
    topo = TwoTrees(depth=DEPTH, bw=10_000, delay="5ms")
    with Net(topo) as net, ExitStack() as flows:
        pairs = [(net[source], net[target]) for source, target in topo.pairs]
        await_each_other(net, pairs)
        idle = _head(net, pairs[: 2 * SHELLS], "idle", Goals())
        began = time.monotonic()
        clients = start_flows(pairs, [TCP] * FLOWS + [udp("0")] * FLOWS, flows)
        started = Result("under_load/flows/started", time.monotonic() - began, "s")
        time.sleep(SETTLE_S)
        before = _carried(net, pairs, "before")
        busy = _head(net, pairs[::-1], "flows", Goals(50, 500, 3))
        after = _carried(net, pairs, "after")
        if ended := [client.args for client in clients if client.poll() is not None]:
            raise ExperimentError(f"{len(ended)} flows ended while they were needed: {ended[0]}")
    return [*idle, started, before, *busy, after]


@dataclass(frozen=True)
class Goals:
    """What commands take in the median and at 99 %, in milliseconds, and what programs take to start, in seconds."""

    median_ms: float | None = None
    most_ms: float | None = None
    started_s: float | None = None


def _head(net: Net, pairs: Pairs, state: str, goals: Goals) -> list[Result]:
    """What the user of the head waits for. The first `SHELLS` sources have no shell yet."""
    name = f"under_load/{state}"
    sources = [source for source, _ in pairs]
    first_s = [_seconds(lambda: source.cmd("true")) for source in sources[:SHELLS]]  # noqa: B023
    again_s: list[float] = []
    began = time.monotonic()
    while len(again_s) < COMMANDS and time.monotonic() - began < COMMANDS_S:
        again_s.append(_seconds(lambda: sources[len(again_s) % SHELLS].cmd("true")))
    snapshot_s = [_seconds(net.snapshot) for _ in range(SNAPSHOTS)]
    started_s, said_s = _start_programs([*sources, *(target for _, target in pairs)][:PROGRAMS])
    return [
        Result(f"{name}/first_cmd/p50", _percentile_ms(first_s, 0.5), "ms"),
        Result(f"{name}/first_cmd/longest", max(first_s) * 1e3, "ms"),
        Result(f"{name}/cmd/p50", _percentile_ms(again_s, 0.5), "ms", goals.median_ms, less_is_better=True),
        Result(f"{name}/cmd/p99", _percentile_ms(again_s, 0.99), "ms", goals.most_ms, less_is_better=True),
        Result(f"{name}/cmd/longest", max(again_s) * 1e3, "ms"),
        Result(f"{name}/cmd/count", len(again_s), ""),
        Result(f"{name}/snapshot/longest", max(snapshot_s) * 1e3, "ms"),
        Result(f"{name}/popen/{PROGRAMS}_started", started_s, "s", goals.started_s, less_is_better=True),
        Result(f"{name}/popen/{PROGRAMS}_run", said_s, "s", goals.started_s, less_is_better=True),
    ]


def _seconds(action: Callable[[], object]) -> float:
    began = time.monotonic()
    action()
    return time.monotonic() - began


def _start_programs(hosts: list[Host]) -> tuple[float, float]:
    """Seconds until the last of the programs is started, and until the last one has printed its line."""
    with ExitStack() as ending:
        began = time.monotonic()
        programs = [ending.enter_context(host.popen(PROGRAM)) for host in hosts]
        started_s = time.monotonic() - began
        for program in programs:
            if program.stdout is None or program.stdout.readline() != "here\n":
                raise ExperimentError(f"program {program.pid} ended before it ran")
        return started_s, time.monotonic() - began


def _carried(net: Net, pairs: Pairs, when: str) -> Result:
    """What arrives at the receivers' interfaces."""
    began = received(net, pairs)
    time.sleep(CARRIED_S)
    ended = received(net, pairs)
    gbps = 8 * (ended[0] - began[0]) / (ended[1] - began[1])
    return Result(f"under_load/flows/carried/{when}", gbps, "Gbit/s")


def _percentile_ms(seconds: list[float], share: float) -> float:
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))] * 1e3
