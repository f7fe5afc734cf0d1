# SPDX-License-Identifier: MIT
"""Random flow tables, groups and frames through two switches: the same ports, the same bytes, the same counters.

Open vSwitch beside itself must agree, and must not where one of the two is told something else. Then comes Open
vSwitch beside a simulated switch.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict

from rich.table import Table

from hybridnet.experiments.common.options import add_seed_argument
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.openflow_differential.testbed import Judgement, bench
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments, count

SUMMARY = "100,000 random frames through random flow tables of two switches: same ports, bytes, counters"
TAKES_S = 300
VIRTUAL_TIME = None
MACHINES, MACHINE = 1, "m1"

FRAMES_EACH = 50
TOGETHER = 20
"""Pipelines that a switch has at the same time: their frames are sent at once."""
PIPELINES, QUICK_PIPELINES = 2000, 40
REFERENCE = "openvswitch"
SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--target",
        choices=list(SWITCH_KINDS),
        default="simulated",
        help="the switch to compare with Open vSwitch (default: %(default)s)",
    )
    parser.add_argument(
        "--pipelines",
        type=count,
        default=PIPELINES,
        metavar="N",
        help=f"number of random pipelines, with {FRAMES_EACH} frames each (default: %(default)s)",
    )
    add_seed_argument(parser, 0, "pipeline")
    add_experiment_arguments(parser, "openflow-differential", quick=f"{QUICK_PIPELINES} pipelines")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Compare the two.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    pipelines = QUICK_PIPELINES if arguments.quick else arguments.pipelines
    experiment = Experiment(
        arguments, {"target": arguments.target, "pipelines": pipelines, "seed": arguments.seed}
    )
    judgement, tampered = Judgement(), Judgement()
    seeds = range(arguments.seed, arguments.seed + pipelines)
    with (
        arguments.cluster([MACHINE]) as cluster,
        experiment.console.status("two of Open vSwitch, one tampered with") as status,
    ):
        with bench(cluster, REFERENCE, REFERENCE, tampers=True) as two:
            two.compare(seeds[:TOGETHER], FRAMES_EACH, tampered)
        with bench(cluster, REFERENCE, arguments.target) as two:
            for first in range(0, pipelines, TOGETHER):
                status.update(
                    f"{first} of {pipelines} pipelines, {judgement.frames} frames, "
                    f"{len(judgement.unexplained)} deviations"
                )
                two.compare(seeds[first : first + TOGETHER], FRAMES_EACH, judgement)
    experiment.console.print(_table(judgement))
    experiment.directory.write_json("judgement.json", asdict(judgement))
    return experiment.finish(checks_of(arguments.target, judgement, tampered))


def checks_of(target: str, judgement: Judgement, tampered: Judgement) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    found = len(judgement.unexplained)
    explained = len(judgement.deviations) - found
    return [
        Check(
            f"{target} beside {REFERENCE}: deviations that no clause explains",
            f"{found}, and {explained} with their clause, in {judgement.pipelines} pipelines ({judgement.flows} flows, "
            f"{judgement.groups} groups) with {judgement.frames} frames, of which {judgement.leaving} copies left, and "
            f"{judgement.counters} counters; {judgement.late} frames came late",
            None,
            "none",
            found == 0,
        ),
        Check(
            "two of Open vSwitch, one without a flow of the other: deviations",
            f"{len(tampered.deviations)} in {tampered.pipelines} pipelines",
            None,
            "at least 1",
            len(tampered.deviations) > 0,
        ),
    ]


def _table(judgement: Judgement) -> Table:
    table = Table(title="Deviations", title_justify="left")
    for column in ("kind", "clause", "in all", "seed", "for example"):
        table.add_column(column, overflow="fold")
    counts = Counter((deviation.kind, deviation.clause) for deviation in judgement.deviations)
    for (kind, clause), number in counts.items():
        same = [each for each in judgement.deviations if (each.kind, each.clause) == (kind, clause)]
        for place, deviation in enumerate(same[: 1 if clause else SHOWN]):
            table.add_row(
                kind if place == 0 else "",
                clause if place == 0 else "",
                str(number) if place == 0 else "",
                str(deviation.table),
                deviation.words,
            )
    return table
