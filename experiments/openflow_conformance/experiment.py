# SPDX-License-Identifier: MIT
"""Ryu's switch tester with hundreds of generated cases, against Open vSwitch and against simulated switches.

Each target gets the same cases in the same network. The table counts what passes of each kind. Beside it stands why a
case fails that another target passes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.table import Table

from hybridnet.errors import UsageError
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.openflow_conformance.case import Case
from hybridnet.experiments.openflow_conformance.cases import all_cases
from hybridnet.experiments.openflow_conformance.testbed import Result, run_cases
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments

SUMMARY = "Ryu's switch tester with over 800 cases of our own: Open vSwitch and simulated switches as targets"
TAKES_S = 300
VIRTUAL_TIME = None
MACHINES, MACHINE = 1, "m1"

REFERENCE = "openvswitch"
LEAST_CASES = 400
QUICK_EVERY = 10
"""Of a quick run: one case of so many."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--target",
        action="append",
        choices=list(SWITCH_KINDS),
        help="the switch to test; may be repeated (default: both)",
    )
    parser.add_argument(
        "--only",
        metavar="TEXT",
        help="only the cases whose names contain this text, for example 'group: select'",
    )
    add_experiment_arguments(parser, "openflow-conformance", quick=f"one case of {QUICK_EVERY}")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the cases against each target.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: no case has the text.
    """
    cases = [case for case in all_cases() if arguments.only is None or arguments.only in case.title]
    if not cases:
        raise UsageError(f"openflow-conformance: no case has {arguments.only!r} in its name")
    if arguments.quick:
        cases = cases[::QUICK_EVERY]
    targets = arguments.target or list(SWITCH_KINDS)
    experiment = Experiment(arguments, {"targets": targets, "cases": len(cases)})
    outcome: dict[str, list[Result]] = {}
    with arguments.cluster([MACHINE]) as cluster, experiment.console.status("") as status:
        for target in targets:
            done: list[Result] = []

            def show(result: Result, target: str = target, done: list[Result] = done) -> None:
                done.append(result)
                status.update(f"{target}: {len(done)} of {len(cases)} cases: {result.title}")

            outcome[target] = run_cases(cluster, target, cases, show)
    experiment.console.print(summary(outcome), failures(outcome))
    experiment.directory.write_json(
        "cases.json", {target: [result.to_json() for result in of] for target, of in outcome.items()}
    )
    return experiment.finish(checks_of(cases, outcome, whole=not arguments.quick and arguments.only is None))


def checks_of(cases: Sequence[Case], outcome: dict[str, list[Result]], *, whole: bool) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    checks = []
    if whole:
        checks.append(
            Check("cases", str(len(cases)), None, f"at least {LEAST_CASES}", len(cases) >= LEAST_CASES)
        )
    passed = {target: {result.title for result in of if result.passed} for target, of in outcome.items()}
    for target, titles in passed.items():
        wanted = passed.get(REFERENCE, set())
        missing = len(wanted - titles)
        if target == REFERENCE or REFERENCE not in passed:
            stopped = sum(result.stopped for result in outcome[target])
            checks.append(
                Check(
                    f"{target}: cases passed",
                    f"{len(titles)} of {len(cases)}; the tester stopped in {stopped}",
                    None,
                    "the tester stops in none",
                    stopped == 0,
                )
            )
        else:
            checks.append(
                Check(
                    f"{target}: cases passed",
                    f"{len(titles)} of {len(cases)}; {missing} fail that Open vSwitch passes",
                    None,
                    f"all {len(wanted)} that Open vSwitch passes",
                    missing == 0,
                )
            )
    return checks


def summary(outcome: dict[str, list[Result]]) -> Table:
    """How many cases of each kind pass."""
    table = Table(title="Cases passed", title_justify="left")
    table.add_column("kind")
    table.add_column("cases", justify="right")
    for target in outcome:
        table.add_column(target, justify="right")
    [first, *_] = outcome.values()
    for category in dict.fromkeys(result.category for result in first):
        counts = [
            sum(result.passed for result in of if result.category == category) for of in outcome.values()
        ]
        of_kind = sum(result.category == category for result in first)
        table.add_row(category, str(of_kind), *map(str, counts))
    totals = [sum(result.passed for result in of) for of in outcome.values()]
    table.add_section()
    table.add_row("all", str(len(first)), *map(str, totals))
    return table


def failures(outcome: dict[str, list[Result]]) -> Table:
    """The cases that some target fails, with the tester's words."""
    table = Table(title="Cases that fail", title_justify="left")
    table.add_column("case", overflow="fold")
    for target in outcome:
        table.add_column(target, overflow="fold")
    for row in zip(*outcome.values(), strict=True):
        if not all(result.passed for result in row):
            table.add_row(row[0].title, *("passes" if result.passed else result.detail for result in row))
    return table
