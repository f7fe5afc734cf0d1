# SPDX-License-Identifier: MIT
"""How an instance waits: ping to a simulated host and across 10 ms, TCP, an idle instance, with each policy in turn.

Beside them, in the same rounds, are the kernel in the simulator's place, whose own ping says how fast this computer is,
and a bare reflector there, which says what is left for a program outside the kernel: it answers echo requests at a
packet socket, and does nothing else, while it polls or sleeps. (It is there where `make bench` has built it.)
Goals are those of a computer where that takes 0.067 ms; where it takes longer, they grow with it, except across the
link, whose 20 ms do not. All figures are medians of the rounds.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.capture_thread import tcp
from benchmarks.result import Result
from hybridnet import ExperimentError
from hybridnet.experiments.common import pinger
from hybridnet.experiments.common.inet_testbed import (
    ACROSS_ADDRESS,
    LOCAL_ADDRESS,
    Arm,
    across_plan,
    bridge_plan,
    local_plan,
)
from hybridnet.machines.cluster import Cluster

MACHINE = "m1"
POLICIES = ("sleep", "adaptive", "dedicated")
ARMS = {"kernel": Arm("kernel", None)} | {
    policy: Arm(policy, "packet", realtime={"wait": policy}) for policy in POLICIES
}
REFLECTOR = Path(__file__).resolve().parent.parent / "build" / "bench" / "simcore" / "reflector"
BARE = ("poll", "sleep")
ROUNDS = 3
PINGS = 200
INTERVAL_MS = {"local": 30, "across": 50}
LINK_MS = {"local": 0.0, "across": 20.0}
IDLE_S = 3.0
REFERENCE_MS = 0.067
"""Ping between two namespaces, by the kernel, on the computer that the goals are for."""

GOALS_MS = {
    ("local", "adaptive"): (0.11, 0.3),
    ("local", "dedicated"): (0.09, None),
    ("across", "adaptive"): (20.15, 20.4),
}
"""Of the median and the 99th percentile."""

IDLE_GOAL = 1.0
"""Percent of a core, adaptive."""


def run() -> list[Result]:
    samples: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with Cluster.local([MACHINE]) as cluster:
        for _ in range(ROUNDS):
            for name, arm in ARMS.items():
                for (test, what), value in _measure(cluster, arm).items():
                    samples[test, name, what].append(value)
            for how in BARE if REFLECTOR.exists() else ():
                for what, value in _reflected(cluster, how).items():
                    samples["local", f"bare-{how}", what].append(value)
    medians = {key: median(values) for key, values in samples.items()}
    slower = max(1.0, medians["local", "kernel", "p50"] / REFERENCE_MS)
    return [_result(*key, value, slower) for key, value in medians.items()]


def _result(test: str, arm: str, what: str, value: float, slower: float) -> Result:
    name = f"waiting/{test}/{arm}/{what}"
    if what == "tcp":
        return Result(name, value, "Gbit/s")
    if what == "busy":
        return Result(name, value, "%", IDLE_GOAL if arm == "adaptive" else None, less_is_better=True)
    goal = dict(zip(("p50", "p99"), GOALS_MS.get((test, arm), (None, None)), strict=True))[what]
    link = LINK_MS[test]
    return Result(
        name, value, "ms", None if goal is None else link + (goal - link) * slower, less_is_better=True
    )


def _measure(cluster: Cluster, arm: Arm) -> dict[tuple[str, str], float]:
    """By test and figure: what one arm does in one round."""
    figures: dict[tuple[str, str], float] = {}
    for test, plan, address in (
        ("local", local_plan, LOCAL_ADDRESS),
        ("across", across_plan, ACROSS_ADDRESS),
    ):
        cluster.call(MACHINE, "build", plan=plan(MACHINE, arm))
        try:
            if arm.backend is None:
                _execute(cluster, "fw", ["sysctl", "-qw", "net.ipv4.ip_forward=1"])
            elif test == "local":
                figures["idle", "busy"] = _busy(cluster)
            for what, value in _ping(cluster, address, INTERVAL_MS[test]).items():
                figures[test, what] = value
        finally:
            cluster.call(MACHINE, "destroy")
    if arm.backend is not None:
        cluster.call(MACHINE, "build", plan=bridge_plan(MACHINE, arm))
        try:
            figures["bulk", "tcp"] = tcp(cluster)
        finally:
            cluster.call(MACHINE, "destroy")
    return figures


def _reflected(cluster: Cluster, how: str) -> dict[str, float]:
    """The median and the 99th percentile of pings that a bare reflector answers."""
    cluster.call(MACHINE, "build", plan=local_plan(MACHINE, ARMS["kernel"]))
    try:
        _execute(cluster, "fw", ["sysctl", "-qw", "net.ipv4.icmp_echo_ignore_all=1"])
        command = [str(REFLECTOR), "fw-eth1", how]
        number = cluster.call(MACHINE, "start_process", node="fw", command=command, stdin=True)["number"]
        try:
            cluster.call(MACHINE, "read_process", number=number, timeout=10.0)
            return _ping(cluster, LOCAL_ADDRESS, INTERVAL_MS["local"])
        finally:
            cluster.call(MACHINE, "close_process", number=number)
    finally:
        cluster.call(MACHINE, "destroy")


def _ping(cluster: Cluster, address: str, interval_ms: int) -> dict[str, float]:
    rtts_ns = sorted(_pings(cluster, address, interval_ms))
    return {"p50": rtts_ns[len(rtts_ns) // 2] / 1e6, "p99": rtts_ns[len(rtts_ns) * 99 // 100] / 1e6}


def _busy(cluster: Cluster) -> float:
    """Share of a core that the idle instance takes, in percent."""

    def loop() -> dict[str, Any]:
        answer = cluster.call(MACHINE, "snapshot", of_elements=False)[MACHINE]
        if answer is None:
            raise ExperimentError("waiting: the instance has ended")
        row: dict[str, Any] = answer["loop"]
        return row

    first = loop()
    time.sleep(IDLE_S)
    last = loop()
    return 100.0 * (last["cpu_ns"] - first["cpu_ns"]) / (last["wall_ns"] - first["wall_ns"])


def _pings(cluster: Cluster, address: str, interval_ms: int) -> list[int]:
    program = Path(pinger.__file__).read_text(encoding="utf-8")
    command = [sys.executable, "-c", program, address, str(PINGS), str(interval_ms), "alone"]
    rtts: list[int] = json.loads(_execute(cluster, "h1", command))["rtts_ns"]
    if not rtts:
        raise ExperimentError(f"waiting: none of {PINGS} pings was answered")
    return rtts


def _execute(cluster: Cluster, node: str, command: list[str]) -> str:
    done = cluster.call(MACHINE, "exec", argv=command, node=node, timeout=120.0)
    if done["status"] != 0:
        raise ExperimentError(f"waiting: {command[0]}: {done['stderr'].decode()[-300:]}")
    output: str = done["stdout"].decode()
    return output
