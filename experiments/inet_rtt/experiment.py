# SPDX-License-Identifier: MIT
"""Round-trip times through a real-time simulator: figures 2 and 3 of Scussel and others 2015.

A ping to a simulated host, and one across a simulated link of 1 Gbit/s and 10 ms, with both portals; the kernel in the
simulator's place as the baseline; and what made INET's emulation slow, cause by cause, as options of the portal and
the run loop: a fixed 10 ms poll, and libpcap without its immediate mode. See docs/inet.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path

from hybridnet.errors import ExperimentError, UsageError
from hybridnet.experiments.common import pinger
from hybridnet.experiments.common.inet_testbed import (
    ACROSS_ADDRESS,
    LOCAL_ADDRESS,
    Arm,
    across_plan,
    local_plan,
)
from hybridnet.experiments.common.options import add_rounds_argument
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.experiments.inet_rtt.plot import plot
from hybridnet.experiments.inet_rtt.report import (
    ARMS,
    PUBLISHED,
    TESTS,
    Run,
    checks_of,
    summarize,
    table_of,
    to_json,
)
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments

SUMMARY = "ping to and across the simulator, as in figures 2 and 3 of Scussel and others 2015"
TAKES_S = 240
VIRTUAL_TIME = None

MACHINE = "m1"
MACHINES = 1
INTERVAL_MS = {"local": 30, "across": 70}
"""Longer than the slowest arm's round trip, so that one ping does not wake the simulator for another."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--pings",
        type=int,
        default=300,
        metavar="N",
        help="pings for each arm, test and round (default: 300)",
    )
    add_rounds_argument(parser, 3, "rounds, each of all arms in turn")
    add_experiment_arguments(parser, "inet-rtt", quick="20 pings, one round: to see that it works")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    pings, rounds = (20, 1) if arguments.quick else (arguments.pings, arguments.rounds)
    if pings < 1 or rounds < 1:
        raise UsageError(f"inet-rtt: --pings {pings} --rounds {rounds}: both must be at least 1")
    if pings > pinger.MOST:
        raise UsageError(f"inet-rtt: --pings {pings}: at most {pinger.MOST:,}; take more --rounds")
    experiment = Experiment(arguments, {"pings": pings, "rounds": rounds, "interval_ms": INTERVAL_MS})
    directory = experiment.directory
    runs: list[Run] = []
    total = rounds * len(ARMS) * len(TESTS)
    with arguments.cluster([MACHINE]) as cluster, experiment.steps(total) as steps:
        for number, arm, test in itertools.product(range(1, rounds + 1), ARMS, TESTS):
            with steps.step(f"round {number}: {test}, {arm.name}"):
                runs.append(_measure(cluster, arm, test, number, pings))
                directory.write_json(f"round-{number}/{test}/{arm.name}.json", runs[-1].rtts_ns)
    summaries = summarize(runs)
    directory.write_json("rtt.json", {"published_ms": PUBLISHED, "summaries": to_json(summaries)})
    directory.write_csv(
        "rtt.csv",
        ["test", "arm", "round", "rtt_ms"],
        [(run.test, run.arm, run.number, ns / 1e6) for run in runs for ns in run.rtts_ns],
    )
    plot(directory.path / "rtt.png", runs)
    return experiment.finish(checks_of(runs), table_of(summaries))


def _measure(cluster: Cluster, arm: Arm, test: str, number: int, pings: int) -> Run:
    """Build the network, ping, and remove it."""
    plan, address = (local_plan, LOCAL_ADDRESS) if test == "local" else (across_plan, ACROSS_ADDRESS)
    cluster.call(MACHINE, "build", plan=plan(MACHINE, arm))
    try:
        if arm.backend is None:
            _execute(cluster, "fw", ["sysctl", "-qw", "net.ipv4.ip_forward=1"])
        interval_ms = INTERVAL_MS[test]
        source = Path(pinger.__file__).read_text(encoding="utf-8")
        output = _execute(
            cluster,
            "h1",
            [PYTHON, "-c", source, address, str(pings), str(interval_ms), "alone"],
            timeout_s=60 + 2 * pings * (interval_ms / 1e3 + pinger.WAIT_S),
        )
    finally:
        cluster.call(MACHINE, "destroy")
    answer = json.loads(output)
    return Run(arm=arm.name, test=test, number=number, sent=answer["sent"], rtts_ns=answer["rtts_ns"])


def _execute(cluster: Cluster, node: str, command: list[str], timeout_s: float = 60.0) -> str:
    done = cluster.call(MACHINE, "exec", argv=command, node=node, timeout=timeout_s)
    if done["status"] != 0:
        raise ExperimentError(
            f"inet-rtt: {node}: `{command[0]}` ended with status {done['status']}: {done['stderr'].decode()[-300:]}"
        )
    output: str = done["stdout"].decode()
    return output
