# SPDX-License-Identifier: MIT
"""What the benchmarks measure between two hosts: round trips, and TCP one way and both ways."""

from __future__ import annotations

import itertools
import json
import subprocess
from typing import Any

from benchmarks.result import Result
from hybridnet import ExperimentError, Host, Net
from hybridnet.observe.results.verdict import percentile_ns

PINGS = 1000
TCP_SECONDS = 6  # the first is left out
CUBIC = ("-C", "cubic", "-t", str(TCP_SECONDS), "-O", "1")
WINDOW_BYTES = 256 << 20  # so that no flow is limited by its sockets' buffers

_ports = itertools.count(5201)


def raise_windows(*hosts: Host) -> None:
    """Let TCP use windows as large as 10 Gbit/s and tens of milliseconds need."""
    for host in hosts:
        for name in ("tcp_rmem", "tcp_wmem"):
            host.execute(["sysctl", "-qw", f"net.ipv4.{name}=4096 131072 {WINDOW_BYTES}"])


def ping(
    net: Net, source: Host, target: Host, name: str, p50_goal_ms: float | None, p99_goal_ms: float | None
) -> list[Result]:
    """Median and 99th percentile of many pings, 5 ms apart, after one that is not counted."""
    assert source.machine is not None
    pairs = [(source.name, target.IP())]
    net.cluster.call(source.machine, "ping_pairs", pairs=pairs, wait_s=5.0)
    [answer] = net.cluster.call(source.machine, "ping_pairs", pairs=pairs, count=PINGS, interval_s=0.005)
    rtts = sorted(answer["rtts_ms"])
    if not rtts:
        raise ExperimentError(f"{name}: none of {PINGS} pings was answered")
    lost = answer["sent"] - answer["received"]
    return [
        Result(f"{name}/ping/p50", rtts[len(rtts) // 2], "ms", p50_goal_ms, less_is_better=True),
        Result(f"{name}/ping/p99", rtts[len(rtts) * 99 // 100], "ms", p99_goal_ms, less_is_better=True),
        Result(f"{name}/ping/lost", lost, "packets", 0, less_is_better=True),
    ]


def tcp(source: Host, target: Host, name: str, goal_gbps: float | None = None) -> Result:
    """Goodput of one cubic flow, at the receiver."""
    end = _iperf3(source, target, *CUBIC)
    return Result(f"{name}/tcp", end["sum_received"]["bits_per_second"] / 1e9, "Gbit/s", goal_gbps)


def tcp_both_ways(source: Host, target: Host, name: str) -> list[Result]:
    """Goodputs of two cubic flows at once, one in each direction."""
    end = _iperf3(source, target, *CUBIC, "--bidir")
    ways = {"forward": end["sum_received"], "backward": end["sum_received_bidir_reverse"]}
    return [
        Result(f"{name}/tcp_both_ways/{way}", received["bits_per_second"] / 1e9, "Gbit/s")
        for way, received in ways.items()
    ]


def fidelity(net: Net, name: str) -> list[Result]:
    """How late the instances' events were, and what the kernel dropped before a portal read it."""
    results = []
    for machine, snapshot in net.snapshot().items():
        late_ms = percentile_ns(snapshot["lateness"]["buckets"], 0.999) / 1e6
        drops = sum(portal["kernel_drops"] for portal in snapshot["portals"])
        results += [
            Result(f"{name}/{machine}/lateness_p999", late_ms, "ms", 1.0, less_is_better=True),
            Result(f"{name}/{machine}/capture_drops", drops, "frames", 0, less_is_better=True),
        ]
    return results


def _iperf3(source: Host, target: Host, *options: str) -> dict[str, Any]:
    port = str(next(_ports))
    with target.popen(["iperf3", "-s", "-1", "-p", port, "--forceflush"], stderr=subprocess.STDOUT) as server:
        assert server.stdout is not None
        while "listening" not in (line := server.stdout.readline()):
            if not line:
                raise ExperimentError(f"iperf3 -s on {target} ended before it listened")
        out, err, _ = source.pexec(["iperf3", "-c", str(target.IP()), "-p", port, "-J", *options])
    try:
        report = json.loads(out)
    except ValueError:
        raise ExperimentError(f"iperf3 on {source} gave no report: {err or out}") from None
    if "error" in report:
        raise ExperimentError(f"iperf3 on {source}: {report['error']}")
    end: dict[str, Any] = report["end"]
    return end
