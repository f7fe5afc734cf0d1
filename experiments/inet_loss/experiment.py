# SPDX-License-Identifier: MIT
"""Loss in capture: what Scussel and others 2015 found at 12,500 small packets a second, at that rate and ten times it.

Numbered UDP frames, 100 bytes each, from one host through a portal, a simulated link without limit or delay, and
another portal to a second host. ``hybridnet generate`` sends and counts. The portals capture these frames and nothing
else, so what was sent and not captured was lost in capture; the kernel's counters say where. See docs/inet.md.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter

from hybridnet.errors import UsageError
from hybridnet.experiments.common.inet_testbed import Arm, bridge_plan
from hybridnet.experiments.common.numbered import FILTER, Place, send_and_count
from hybridnet.experiments.common.options import add_rounds_argument, add_seconds_argument
from hybridnet.experiments.inet_loss.balance import equations_of
from hybridnet.experiments.inet_loss.report import PUBLISHED_PERCENT, LossRun, checks_of, table_of
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments

SUMMARY = "loss in capture at 12,500 and 125,000 small packets per second, as in Scussel and others 2015"
TAKES_S = 180
VIRTUAL_TIME = None

MACHINE = "m1"
MACHINES = 1
BACKENDS = ("packet", "pcap")
RATES = (12_500, 125_000)
FRAME_BYTES = 100
GATHER = ("--gather", "50us")  # at 125,000/s six frames leave with one system call


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seconds_argument(parser, 60.0, "seconds of each run")
    add_rounds_argument(parser, 3, "rounds, each of all runs in turn")
    add_experiment_arguments(parser, "inet-loss", quick="2 s, one round, 1,250 and 12,500 packets/s")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    seconds, rounds = (2.0, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    rates = tuple(rate // 10 for rate in RATES) if arguments.quick else RATES
    if seconds < 1 or rounds < 1:
        raise UsageError(f"inet-loss: --seconds {seconds:g} --rounds {rounds}: both must be at least 1")
    experiment = Experiment(arguments, {"seconds": seconds, "rounds": rounds, "rates": rates})
    directory = experiment.directory
    runs: list[LossRun] = []
    total = rounds * len(BACKENDS) * len(rates)
    with arguments.cluster([MACHINE]) as cluster, experiment.steps(total) as steps:
        for number, rate, backend in itertools.product(range(1, rounds + 1), rates, BACKENDS):
            with steps.step(f"round {number}: {backend}, {rate:,}/s"):
                runs.append(_measure(cluster, backend, rate, number, seconds))
                directory.write_json(f"round-{number}/{backend}-{rate}.json", runs[-1].to_json())
    directory.write_json(
        "loss.json", {"published_percent": PUBLISHED_PERCENT, "runs": [each.to_json() for each in runs]}
    )
    columns = ("backend", "rate", "number", "sent", "sent_pps", "captured", "received", "missing", "lost")
    directory.write_csv(
        "loss.csv", columns, [tuple(getattr(each, column) for column in columns) for each in runs]
    )
    return experiment.finish(checks_of(runs), table_of(runs))


def _measure(cluster: Cluster, backend: str, rate: int, number: int, seconds: float) -> LossRun:
    """Build the network, send, count, and remove it."""
    cluster.call(MACHINE, "build", plan=bridge_plan(MACHINE, Arm(backend, backend, filter=FILTER)))
    try:
        source, target = Place(MACHINE, "h1"), Place(MACHINE, "h2")
        passage = send_and_count(cluster, source, target, f"{rate}pps", seconds, FRAME_BYTES, GATHER)
    finally:
        cluster.call(MACHINE, "destroy")
    counters = passage.counters[MACHINE]
    dropped: Counter[str] = Counter()
    for row in (*counters["portals"].values(), *counters["links"].values()):
        dropped.update(row["dropped"])
    return LossRun(
        backend=backend,
        rate=rate,
        number=number,
        sent=passage.sent,
        sent_pps=passage.sender["rate_pps"],
        captured=counters["portals"]["p1"]["captured_segments"],
        received=passage.received,
        lost_in_capture=passage.lost_in_capture,
        simulator_drops=dict(dropped),
        receiver_drops=passage.receiver["capture_drops"] + passage.device_drops.get(target.interface, 0),
        unbalanced=tuple(str(each) for each in equations_of(passage, [MACHINE]) if not each.holds),
        verdict=passage.verdict.word,
    )
