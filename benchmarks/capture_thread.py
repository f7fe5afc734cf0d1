# SPDX-License-Identifier: MIT
"""Whether a capture thread pays here: `packet` and `pcap` without and with one, in turn, between two hosts.

Between the hosts is a link without limit or delay. Of each arm: round trips of an idle network; 125,000 small packets a
second, of which some may get lost, and how late the instance's events were meanwhile; one TCP flow. Medians of the
rounds, and the ratio with/without, which is what decides: a thread pays where it is above 1 for TCP, or below 1 for
losses, lateness and round trips.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.result import Result
from hybridnet import ExperimentError
from hybridnet.experiments.common import pinger
from hybridnet.experiments.common.inet_testbed import Arm, bridge_plan
from hybridnet.experiments.common.numbered import Place, send_and_count
from hybridnet.machines.cluster import Cluster

MACHINE = "m1"
RECEIVER = "10.1.0.2"
BACKENDS = ("packet", "pcap")
ROUNDS = 3
PINGS, PING_INTERVAL_MS = 300, 5
RATE, FLOOD_S, FRAME_BYTES = "125000pps", 3.0, 100
GATHER = ("--gather", "50us")  # of the sender, for the sake of its own core
TCP_S = 4  # the first is left out
UNITS = {"ping_p50": "ms", "ping_p99": "ms", "lost": "%", "lateness_p999": "ms", "tcp": "Gbit/s"}


def run() -> list[Result]:
    samples: dict[tuple[str, str, bool], list[float]] = defaultdict(list)
    with Cluster.local([MACHINE]) as cluster:
        for _ in range(ROUNDS):
            for backend in BACKENDS:
                for threaded in (False, True):
                    arm = Arm(backend, backend, {"capture_thread": threaded})
                    for what, value in _measure(cluster, arm).items():
                        samples[backend, what, threaded].append(value)
    results = []
    for backend in BACKENDS:
        for what, unit in UNITS.items():
            without, with_thread = (median(samples[backend, what, threaded]) for threaded in (False, True))
            name = f"capture_thread/{backend}/{what}"
            less = what != "tcp"
            results.append(Result(f"{name}/without", without, unit, less_is_better=less))
            results.append(Result(f"{name}/with", with_thread, unit, less_is_better=less))
            if without:
                results.append(
                    Result(f"{name}/with_to_without", with_thread / without, "", less_is_better=less)
                )
    return results


def _measure(cluster: Cluster, arm: Arm) -> dict[str, float]:
    """Build the network, measure, and remove it."""
    cluster.call(MACHINE, "build", plan=bridge_plan(MACHINE, arm))
    try:
        rtts_ns = sorted(_pings(cluster))
        source, target = Place(MACHINE, "h1"), Place(MACHINE, "h2")
        flood = send_and_count(cluster, source, target, RATE, FLOOD_S, FRAME_BYTES, GATHER)
        return {
            "ping_p50": rtts_ns[len(rtts_ns) // 2] / 1e6,
            "ping_p99": rtts_ns[len(rtts_ns) * 99 // 100] / 1e6,
            "lost": 100 * flood.missing / flood.sent,
            "lateness_p999": flood.verdict.figures[MACHINE]["lateness_p999_ns"] / 1e6,
            "tcp": tcp(cluster),
        }
    finally:
        cluster.call(MACHINE, "destroy")


def _pings(cluster: Cluster) -> list[int]:
    program = Path(pinger.__file__).read_text(encoding="utf-8")
    answer = json.loads(
        _execute(cluster, "h1", [sys.executable, "-c", program, RECEIVER, str(PINGS), str(PING_INTERVAL_MS)])
    )
    rtts: list[int] = answer["rtts_ns"]
    if not rtts:
        raise ExperimentError(f"capture_thread: none of {PINGS} pings was answered")
    return rtts


def tcp(cluster: Cluster) -> float:
    """Goodput of one cubic flow at the receiver, in Gbit/s."""
    server = _start(cluster, ["iperf3", "-s", "-1", "--forceflush"], "listening on 5201")
    try:
        command = ["iperf3", "-c", RECEIVER, "-C", "cubic", "-t", str(TCP_S), "-O", "1", "-J"]
        report = json.loads(_execute(cluster, "h1", command))
    finally:
        cluster.call(MACHINE, "close_process", number=server)
    rate: float = report["end"]["sum_received"]["bits_per_second"]
    return rate / 1e9


def _start(cluster: Cluster, command: list[str], until: str) -> int:
    number: int = cluster.call(MACHINE, "start_process", node="h2", command=command, merge=True)["number"]
    _read_until(cluster, number, until)
    return number


def _read_until(cluster: Cluster, process: int, text: str) -> str:
    output = b""
    while text.encode() not in output:
        piece = cluster.call(MACHINE, "read_process", number=process, timeout=60.0)
        if not piece:
            raise ExperimentError(
                f"capture_thread: waited for {text!r}, and the program said {output[-300:]!r}"
            )
        output += piece
    return output.decode()


def _execute(cluster: Cluster, node: str, command: list[str]) -> str:
    done: dict[str, Any] = cluster.call(MACHINE, "exec", argv=command, node=node, timeout=120.0)
    if done["status"] != 0:
        raise ExperimentError(
            f"capture_thread: {node}: `{command[0]}` ended with status {done['status']}: "
            f"{done['stderr'].decode()[-300:]}"
        )
    output: str = done["stdout"].decode()
    return output
