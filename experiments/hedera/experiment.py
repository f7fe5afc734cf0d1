# SPDX-License-Identifier: MIT
"""Hedera beside ECMP and a switch that never blocks: what crosses a fat tree under the paper's patterns.

Every host has one TCP flow; the simulator shapes the links, at rates so low that a small computer carries them. Hosts
are real, or simulated, of which a tree may have more. A round runs all arms. Random patterns differ from round to
round, and are the same for all arms of one.

Source: Al-Fares and others, NSDI 2010, section 6.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import mean

from rich.table import Table

from hybridnet.errors import UsageError
from hybridnet.experiments.common.options import (
    add_lead_argument,
    add_rounds_argument,
    add_seconds_argument,
    at_least,
)
from hybridnet.experiments.common.switch_kinds import add_switches_argument
from hybridnet.experiments.hedera import real_hosts, simulated_hosts
from hybridnet.experiments.hedera.arms import ARMS, Settings
from hybridnet.experiments.hedera.patterns import PATTERNS, named
from hybridnet.experiments.hedera.plot import plot_bandwidth
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments, positive

SUMMARY = "Hedera compared with ECMP and a non-blocking switch: what crosses a fat tree"
TAKES_S = 400
VIRTUAL_TIME = None

ECMP, BEST = "ECMP", ("Hedera, first fit", "Hedera, annealing")
MACHINE = "m1"
MACHINES = 1
LEAST_GAIN = 1.2
JUDGED = ("stride(n/2)", "random bijective", "random")
QUICK = ("stride(n/2)",)
PUBLISHED = {"stride(n/2)": "up to 113 % better than ECMP (abstract; 8,192 simulated hosts)"}

HOSTS = {"real": real_hosts.measured, "simulated": simulated_hosts.measured}

Bandwidths = dict[str, dict[str, list[float]]]
"""Arm, pattern, and bit/s of each round."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--k",
        type=int,
        default=4,
        metavar="K",
        help="ports per switch of the fat tree (default: %(default)s)",
    )
    add_switches_argument(parser, "tree")
    parser.add_argument(
        "--hosts",
        choices=list(HOSTS),
        default="real",
        help="real hosts run Linux's TCP, simulated hosts simcore's (default: %(default)s)",
    )
    parser.add_argument(
        "--rate",
        type=positive,
        default=2.0,
        metavar="MBPS",
        help="rate of every link, in Mbit/s (default: %(default)g)",
    )
    parser.add_argument(
        "--poll",
        type=positive,
        default=1.0,
        metavar="S",
        help="seconds between two readings of the counters by the scheduler (default: %(default)g)",
    )
    add_seconds_argument(parser, 10.0, "seconds of each pattern that count")
    parser.add_argument(
        "--omit",
        type=at_least(0),
        default=5.0,
        metavar="S",
        help="seconds before these, not counted (default: %(default)g)",
    )
    add_lead_argument(parser, 8.0, "a network of simulated hosts")
    add_rounds_argument(parser, 3)
    parser.add_argument(
        "--pattern",
        action="append",
        metavar="NAME",
        help=f"traffic pattern: {', '.join(PATTERNS)}; stride and staggered mean all of their kind. May be repeated "
        "(default: all)",
    )
    add_experiment_arguments(parser, "hedera", quick="one pattern, one round")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run all arms, in turn.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: there is no fat tree of such switches, or no such pattern.
    """
    chosen = [name for word in arguments.pattern or PATTERNS for name in named(word)]
    patterns = QUICK if arguments.quick else tuple(dict.fromkeys(chosen))
    rounds = 1 if arguments.quick else arguments.rounds
    if arguments.k < 4 or arguments.k % 2:
        raise UsageError(f"hedera: --k {arguments.k}: write an even number of at least 4")
    settings = Settings(
        k=arguments.k,
        rate_mbps=arguments.rate,
        poll_s=arguments.poll,
        switches=arguments.switches,
        seconds=arguments.seconds,
        omitted_s=arguments.omit,
        lead_s=arguments.lead,
    )
    experiment = Experiment(arguments, {"hosts": arguments.hosts, "rounds": rounds, **asdict(settings)})
    hosts, measured = settings.hosts, HOSTS[arguments.hosts]
    words: Counter[str] = Counter()
    found: Bandwidths = {arm: {pattern: [] for pattern in patterns} for arm in ARMS}
    rows = []
    with arguments.cluster([MACHINE]) as cluster, experiment.console.status("") as status:
        for number in range(rounds):
            drawn = {
                pattern: PATTERNS[pattern](hosts, arguments.k, random.Random(f"{number} {pattern}"))
                for pattern in patterns
            }
            for arm in ARMS:
                status.update(f"round {number + 1} of {rounds}: {arm}: starts")
                for pattern, result in measured(cluster, arm, settings, drawn):
                    status.update(f"round {number + 1} of {rounds}: {arm}: after {pattern}")
                    words[result.verdict.word] += 1
                    for reason in result.verdict.reasons:
                        experiment.console.print(f"{arm}, {pattern}: {reason}", highlight=False)
                    found[arm][pattern].append(result.bps)
                    rows += [
                        (number, arm, pattern, flow.source, flow.target, flow.bps) for flow in result.flows
                    ]
    columns = ["round", "arm", "pattern", "source", "target", "bps"]
    experiment.directory.write_csv("flows.csv", columns, rows)
    experiment.directory.write_json("bandwidth.json", found)
    plot_bandwidth(experiment.directory.path / "hedera.png", found, hosts * arguments.rate)
    experiment.console.print(_table(found, hosts * arguments.rate))
    said = ", ".join(f"{count} {word}" for word, count in words.items())
    experiment.console.print(f"verdicts of {sum(words.values())} measurements: {said}", highlight=False)
    return experiment.finish(checks_of(found))


def checks_of(found: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Check]:
    """The promises of this experiment, and whether they hold: of the better of the two schedulers."""
    checks = []
    for pattern in JUDGED:
        if pattern in found[ECMP]:
            base = mean(found[ECMP][pattern])
            gains = {arm: mean(found[arm][pattern]) / base for arm in BEST}
            said = ", ".join(f"{arm.removeprefix('Hedera, ')} {gain:.2f}" for arm, gain in gains.items())
            checks.append(
                Check(
                    f"{pattern}: Hedera compared with ECMP",
                    f"{said} times",
                    PUBLISHED.get(pattern),
                    f"the better one at least {LEAST_GAIN:g} times",
                    max(gains.values()) >= LEAST_GAIN,
                )
            )
    return checks


def _table(found: Bandwidths, most_mbps: float) -> Table:
    table = Table(
        title=f"Bandwidth of all flows, Mbit/s; the hosts' links have {most_mbps:g}", title_justify="left"
    )
    table.add_column("pattern")
    for arm in found:
        table.add_column(arm, justify="right")
    for pattern in found[ECMP]:
        table.add_row(pattern, *(f"{mean(of[pattern]) / 1e6:.1f}" for of in found.values()))
    return table
