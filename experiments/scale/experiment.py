# SPDX-License-Identifier: MIT
"""Ten thousand simulated hosts and a thousand concurrent TCP flows in real time, in one instance or several.

Each flow has access links of 1 Mbit/s, which it fills. The checks are how long it takes until the network is up, how
much memory the instances have, whether every flow gets its rate, and the verdict.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hybridnet import Net
from hybridnet.errors import UsageError
from hybridnet.experiments.common.options import add_seconds_argument
from hybridnet.experiments.scale.network import (
    PAYLOAD_BPS,
    ROUTERS,
    START_S,
    START_WITHIN_S,
    SWITCHES_PER_ROUTER,
    ManyHosts,
)
from hybridnet.machines.cluster.places import ClusterFactory
from hybridnet.observe.results import Check, Experiment, Verdict, add_experiment_arguments

SUMMARY = "10,000 simulated hosts with 1,000 TCP flows in real time, on one core or more"
TAKES_S = 60
VIRTUAL_TIME = None

MACHINES = 1
HOSTS = 10_000
FLOWS = 1_000
SECONDS = 30.0
SETTLE_S = 3.0
"""After the last flow's start, until its link is full."""
MOST_BUILD_S = 5.0
MOST_BUILD_S_PER_HOST = 30.0 / 50_000
"""Of networks with more than `HOSTS`."""
MOST_MEMORY_BYTES = 2 << 30
LEAST_OF_RATE = 0.9


@dataclass(frozen=True)
class Outcome:
    """What was measured.

    Args:
        describe_s: to make the description: Python calls.
        start_s: from there until the instances run: plan, check it, ship it, build. The machine is there before.
        memory_bytes: the most that the instances' processes had together.
        flow_bps: payload of each flow that came, over the judged time.
        busy: processor time of the instances' threads, as a part of the judged time: 1 is one core.
    """

    hosts: int
    instances: int
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

    @property
    def most_build_s(self) -> float:
        """What the checks allow."""
        return MOST_BUILD_S if self.hosts <= HOSTS else MOST_BUILD_S_PER_HOST * self.hosts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--hosts", type=int, default=HOSTS, metavar="N", help="simulated hosts (default: %(default)s)"
    )
    parser.add_argument(
        "--flows", type=int, default=FLOWS, metavar="N", help="TCP flows (default: %(default)s)"
    )
    parser.add_argument(
        "--instances",
        type=int,
        default=1,
        metavar="N",
        help="simulate in N instances of one machine, 1 to 11 (default: %(default)s)",
    )
    add_seconds_argument(parser, SECONDS, "seconds that are judged", least=1)
    add_experiment_arguments(parser, "scale", quick="1,000 hosts, 100 flows, 5 s")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Build the network, let it run, and remove it.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: numbers of hosts and flows that do not go together.
    """
    hosts, flows, seconds = arguments.hosts, arguments.flows, arguments.seconds
    instances = arguments.instances
    if arguments.quick:
        hosts, flows, seconds = 1_000, 100, 5.0
    switches = ROUTERS * SWITCHES_PER_ROUTER
    if hosts % 2 or hosts < switches or not 1 <= flows <= hosts // 2:
        raise UsageError(
            f"scale: --hosts {hosts} --flows {flows}: write an even number of hosts, at least {switches}, and at "
            "most one flow for two of them"
        )
    if not 1 <= instances <= ROUTERS + 1:
        raise UsageError(
            f"scale: --instances {instances}: write 1 to {ROUTERS + 1}, one for each router of the core at most"
        )
    facts = {"hosts": hosts, "flows": flows, "instances": instances, "seconds": seconds}
    experiment = Experiment(arguments, facts)
    with experiment.console.status(f"{hosts} hosts, {flows} flows"):
        outcome = _measure(arguments.cluster, hosts, flows, seconds, instances)
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
            f"{outcome.hosts} hosts: from the first line of the description until everything runs",
            f"{outcome.build_s:.2f} s: {outcome.describe_s:.2f} described, {outcome.start_s:.2f} planned and built",
            None,
            f"below {outcome.most_build_s:g} s",
            outcome.build_s < outcome.most_build_s,
        ),
        Check(
            f"memory of {'the instance' if outcome.instances == 1 else f'{outcome.instances} instances'}, at most",
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
        Check.of_verdicts(
            f"verdict over {outcome.seconds:.0f} s; simulating took {outcome.busy:.0%} of a core",
            [outcome.verdict],
        ),
    ]


def _measure(make_cluster: ClusterFactory, hosts: int, flows: int, seconds: float, instances: int) -> Outcome:
    with make_cluster(["m1"]) as cluster:
        began = time.perf_counter()
        topo = ManyHosts(hosts=hosts, flows=flows)
        described = time.perf_counter()
        with Net(topo, cluster=cluster, controller=None, instances_per_machine=instances) as net:
            started = time.perf_counter()
            time.sleep(START_S + START_WITHIN_S + SETTLE_S)
            with net.measured() as measured:
                before = net.snapshot(of_elements=False)
                time.sleep(seconds)
                after = net.snapshot(of_elements=False)
    return Outcome(
        hosts=hosts,
        instances=len(after),
        describe_s=described - began,
        start_s=started - described,
        memory_bytes=sum(each["process"]["most_memory_bytes"] for each in after.values()),
        seconds=seconds,
        flow_bps=[bps for name in after for bps in _goodputs(before[name], after[name])],
        busy=sum(_busy(before[name], after[name]) for name in after),
        verdict=measured.verdict,
    )


def _lasted_s(before: dict[str, Any], after: dict[str, Any]) -> float:
    return float(after["time_ns"] - before["time_ns"]) / 1e9


def _busy(before: dict[str, Any], after: dict[str, Any]) -> float:
    return float(after["loop"]["cpu_ns"] - before["loop"]["cpu_ns"]) / 1e9 / _lasted_s(before, after)


def _goodputs(before: dict[str, Any], after: dict[str, Any]) -> list[float]:
    """Of every sink of one instance, in the order of the plan."""
    received = zip(_received(before), _received(after), strict=True)
    return [8 * (last - first) / _lasted_s(before, after) for first, last in received]


def _received(snapshot: dict[str, Any]) -> Sequence[int]:
    return [row["received_bytes"] for row in snapshot["applications"] if ":tcp_discard:" in row["name"]]
