# SPDX-License-Identifier: MIT
"""Ten thousand simulated hosts and a thousand concurrent TCP flows in one instance, in real time.

Each flow has access links of 1 Mbit/s, which it fills. The checks are how long it takes until the network is up, how
much memory the instance has, whether every flow gets its rate, and the verdict.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hybridnet import Net
from hybridnet.cluster.places import ClusterFactory
from hybridnet.errors import UsageError
from hybridnet.experiments.scale.network import (
    PAYLOAD_BPS,
    ROUTERS,
    START_S,
    START_WITHIN_S,
    SWITCHES_PER_ROUTER,
    ManyHosts,
)
from hybridnet.results import Check, Experiment, Verdict, Word, add_experiment_arguments

SUMMARY = "10,000 simulated hosts with 1,000 TCP flows in real time on one core"

MACHINES = 1
HOSTS = 10_000
FLOWS = 1_000
SECONDS = 30.0
SETTLE_S = 3.0
"""After the last flow's start, until its link is full."""
MOST_BUILD_S = 5.0
MOST_MEMORY_BYTES = 2 << 30
LEAST_OF_RATE = 0.9


@dataclass(frozen=True)
class Outcome:
    """What was measured.

    Args:
        describe_s: to make the description: Python calls.
        start_s: from there until the instance runs: plan, check it, ship it, build. The machine is there before.
        memory_bytes: the most that the instance's process had.
        flow_bps: payload of each flow that came, over the judged time.
        busy: processor time of the instance's thread, as a part of the judged time.
    """

    hosts: int
    describe_s: float
    start_s: float
    memory_bytes: int
    seconds: float
    flow_bps: list[float]
    busy: float
    verdict: Verdict

    @property
    def build_s(self) -> float:
        return self.describe_s + self.start_s


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument("--hosts", type=int, default=HOSTS, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--flows", type=int, default=FLOWS, metavar="N", help="(default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="S", help="that are judged (default: %(default)g)"
    )
    add_experiment_arguments(parser, "scale", quick="1,000 hosts, 100 flows, 5 s")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Build the network, let it run, and remove it.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: numbers of hosts and flows that do not go together.
    """
    hosts, flows, seconds = arguments.hosts, arguments.flows, arguments.seconds
    if arguments.quick:
        hosts, flows, seconds = 1_000, 100, 5.0
    switches = ROUTERS * SWITCHES_PER_ROUTER
    if hosts % 2 or hosts < switches or not 1 <= flows <= hosts // 2 or seconds < 1:
        raise UsageError(
            f"scale: --hosts {hosts} --flows {flows} --seconds {seconds:g}: an even number of at least {switches} "
            "hosts, at most one flow for two of them, and 1 s"
        )
    experiment = Experiment(arguments, {"hosts": hosts, "flows": flows, "seconds": seconds})
    with experiment.console.status(f"{hosts} hosts, {flows} flows"):
        outcome = _measure(arguments.cluster, hosts, flows, seconds)
    checks = checks_of(outcome)
    experiment.directory.write_json("scale.json", asdict(outcome) | {"build_s": outcome.build_s})
    experiment.directory.write_csv("flows.csv", ["goodput_bps"], [(bps,) for bps in outcome.flow_bps])
    return experiment.finish(checks)


def checks_of(outcome: Outcome) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    slowest = min(outcome.flow_bps)
    total = sum(outcome.flow_bps)
    return [
        Check(
            f"{outcome.hosts} hosts: from the first line of the description until all runs",
            f"{outcome.build_s:.2f} s: {outcome.describe_s:.2f} described, {outcome.start_s:.2f} planned and built",
            None,
            f"below {MOST_BUILD_S:g} s",
            outcome.build_s < MOST_BUILD_S,
        ),
        Check(
            "memory of the instance, at most",
            f"{outcome.memory_bytes / (1 << 20):.0f} MiB",
            None,
            f"below {MOST_MEMORY_BYTES >> 30} GiB",
            outcome.memory_bytes < MOST_MEMORY_BYTES,
        ),
        Check(
            f"{len(outcome.flow_bps)} flows: goodput of the slowest",
            f"{slowest / 1e6:.3f} Mbit/s; all together {total / 1e6:.0f}",
            None,
            f"at least {LEAST_OF_RATE:.0%} of {PAYLOAD_BPS / 1e6:.3f} Mbit/s",
            slowest >= LEAST_OF_RATE * PAYLOAD_BPS,
        ),
        Check(
            f"verdict over {outcome.seconds:.0f} s; one core was busy for {outcome.busy:.0%}",
            str(outcome.verdict),
            None,
            "trusted",
            outcome.verdict.word is Word.TRUSTED,
        ),
    ]


def _measure(make_cluster: ClusterFactory, hosts: int, flows: int, seconds: float) -> Outcome:
    with make_cluster(["m1"]) as cluster:
        began = time.perf_counter()
        topo = ManyHosts(hosts=hosts, flows=flows)
        described = time.perf_counter()
        with Net(topo, cluster=cluster, controller=None) as net:
            started = time.perf_counter()
            time.sleep(START_S + START_WITHIN_S + SETTLE_S)
            with net.measured() as measured:
                before = _snapshot(net)
                time.sleep(seconds)
                after = _snapshot(net)
    lasted_s = (after["time_ns"] - before["time_ns"]) / 1e9
    received = zip(_received(before), _received(after), strict=True)
    return Outcome(
        hosts=hosts,
        describe_s=described - began,
        start_s=started - described,
        memory_bytes=after["process"]["most_memory_bytes"],
        seconds=lasted_s,
        flow_bps=[8 * (last - first) / lasted_s for first, last in received],
        busy=(after["loop"]["cpu_ns"] - before["loop"]["cpu_ns"]) / 1e9 / lasted_s,
        verdict=measured.verdict,
    )


def _snapshot(net: Net) -> dict[str, Any]:
    [snapshot] = net.snapshot(of_elements=False).values()
    return dict(snapshot)


def _received(snapshot: dict[str, Any]) -> Sequence[int]:
    """Of every sink, in the order of the plan."""
    return [row["received_bytes"] for row in snapshot["applications"] if ":tcp_discard:" in row["name"]]
