# SPDX-License-Identifier: MIT
"""``hybridnet reproduce``: run one of the experiments in ``experiments/``, found by name.

An experiment is a package whose module ``experiment`` has `add_arguments(parser)`, `run(arguments) -> checks`, and
what `hybridnet.cli.experiments.Declared` names: SUMMARY, TAKES_S and VIRTUAL_TIME. One that runs on machines has
MACHINES, how many: it gets the options that say where they are, and as ``arguments.cluster`` what makes a cluster of
them (`hybridnet.machines.cluster.places.ClusterFactory`). Any other has WITHOUT_MACHINES, why it needs none. It reports
on standard output, or with ``--json`` on standard error; then standard output has the checks alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from hybridnet.cli.detach_options import add_detach_argument, run_detached
from hybridnet.cli.experiments import declared, experiment_names, load
from hybridnet.cli.main import Parser
from hybridnet.cli.network import machine_names
from hybridnet.cli.places import add_place_arguments, places_of
from hybridnet.cli.time_options import add_time_argument, begins_in_real_time, run_in_simulated_time
from hybridnet.describe.values import meant
from hybridnet.errors import UsageError
from hybridnet.observe.results import Check, count, positive, render_checks
from hybridnet.observe.results.checks import all_hold, tried
from hybridnet.observe.results.console import PlainConsole, print_table

SUMMARY = "Reproduce a figure or table, and check it."
EXAMPLES = """  hybridnet reproduce                  lists the experiments
  hybridnet reproduce --json           the same, as JSON
  hybridnet reproduce maxinet --help   its own options
  sudo hybridnet reproduce maxinet --rounds 1 --out runs/maxinet
  hybridnet reproduce --detach maxinet --scale paper --ssh me@node1,me@node2
  sudo hybridnet reproduce --all --tries 3          all of them, one after the other, and one table
  hybridnet reproduce --all --virtual-time          those, or those parts, that keep virtual time
  hybridnet reproduce shared-queue --time simulated   the same figures at any load; see `hybridnet run --help`
"""
OUT_OF_ALL = Path("runs/reproduce")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The experiment's name, and its own arguments."""
    add_detach_argument(parser)
    add_time_argument(parser)
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="the experiment (default: list the experiments)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the list, or the experiment's checks, as JSON"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="run experiments at full length on this computer, one after the other, and write one table",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="with --all: this one; may be repeated"
    )
    parser.add_argument(
        "--virtual-time",
        action="store_true",
        help="with --all: only what keeps virtual time, which needs no root",
    )
    parser.add_argument(
        "--within",
        type=positive,
        metavar="S",
        help="with --all: only what takes at most so many seconds, as the experiments say (default: everything)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"with --all: folder for the table and the run directories (default: {OUT_OF_ALL})",
    )
    _add_tries_argument(parser, 1)
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="options of the experiment")


def _add_tries_argument(parser: argparse.ArgumentParser, default: int) -> None:
    """Add --tries."""
    parser.add_argument(
        "--tries",
        type=count,
        default=default,
        metavar="N",
        help="measure up to N times in all, as long as a verdict says that the computer broke the measurement; "
        f"every try is reported (default: {default})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment, and print its checks. Return 1 when one of them does not hold, else 0."""
    if arguments.detach:
        return run_detached(arguments.command_line)
    names = experiment_names()
    _check_words(arguments, names)
    if arguments.all:
        if begins_in_real_time(arguments):
            return run_in_simulated_time(arguments, arguments.out or OUT_OF_ALL)
        return _run_all(arguments, names)
    if arguments.name is None:
        listed = {name: declared(name).summary for name in names}
        if arguments.json:
            print(json.dumps([{"name": name, "summary": text} for name, text in listed.items()], indent=2))
        else:
            print_table(("experiment", "what it shows"), list(listed.items()))
        return 0
    return _run_one(arguments)


def _check_words(arguments: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise UsageError: an experiment that is not there, or words that do not go together."""
    for name in (*([arguments.name] if arguments.name is not None else []), *arguments.only):
        if name not in names:
            raise UsageError(
                f"there is no experiment {name!r}; {meant(name, names)}there are {', '.join(names) or 'none'}"
            )
    if arguments.all and arguments.name is not None:
        raise UsageError(
            f"reproduce --all {arguments.name}: write `--all --only {arguments.name}`, or leave --all out"
        )
    given = {
        "--only": bool(arguments.only),
        "--virtual-time": arguments.virtual_time,
        "--within": arguments.within is not None,
        "--out": arguments.out is not None,
    }
    if not arguments.all and (word := next((word for word, there in given.items() if there), None)):
        raise UsageError(
            f"reproduce {word}: it goes with --all"
            + (f"; options of {arguments.name} come after its name" if arguments.name else "")
        )


def _run_all(arguments: argparse.Namespace, names: Sequence[str]) -> int:
    from hybridnet.cli.reproduce_all import plan_of, reproduce_all

    chosen = [declared(name) for name in names if not arguments.only or name in arguments.only]
    plans = plan_of(chosen, virtual=arguments.virtual_time, within_s=arguments.within)
    if not plans:
        raise UsageError("reproduce --all: no experiment is left by --only, --virtual-time and --within")
    out = arguments.out or OUT_OF_ALL
    console = PlainConsole(stderr=arguments.json)
    done = reproduce_all(plans, out, arguments.tries, console)
    text = out / ("table.json" if arguments.json else "table.txt")
    print(text.read_text(encoding="utf-8"), end="")
    broken = [each.plan.name for each in done if not each.holds]
    console.print(
        f"{len(done) - len(broken)} of {len(done)} experiments hold"
        + (f"; NOT {', '.join(broken)}" if broken else "")
        + f"; table: {out / 'table.txt'}",
        highlight=False,
    )
    return 1 if broken else 0


def _run_one(arguments: argparse.Namespace) -> int:
    experiment = load(arguments.name)
    parser = Parser(prog=f"hybridnet reproduce {arguments.name}", description=experiment.SUMMARY)
    parser.add_argument(
        "--json",
        action="store_true",
        default=arguments.json,
        help="print the checks as JSON, and everything else to stderr",
    )
    _add_tries_argument(parser, arguments.tries)
    add_time_argument(parser, arguments.time)
    experiment.add_arguments(parser)
    on_machines = hasattr(experiment, "MACHINES")
    if on_machines:
        add_place_arguments(parser)
    else:
        _refuse_places(arguments, experiment.WITHOUT_MACHINES)
    chosen = parser.parse_args(arguments.rest)
    if begins_in_real_time(chosen):
        return run_in_simulated_time(arguments, chosen.out, machine_names(getattr(chosen, "machines", None)))
    if on_machines:
        chosen.cluster = places_of(chosen).cluster
    name = Path(chosen.out).name

    def measure(number: int) -> Sequence[Check]:
        if number > 1:
            chosen.out = chosen.out.with_name(f"{name}-try-{number}")
        checks: Sequence[Check] = experiment.run(chosen)
        return checks

    tries = tried(measure, chosen.tries)
    *earlier, last = tries
    if chosen.json:
        told = {
            "checks": [check.to_json() for check in last],
            "earlier_tries": [[check.to_json() for check in checks] for checks in earlier],
        }
        print(json.dumps(told, indent=2))
    else:
        for number, checks in enumerate(tries, start=1):
            title = "Checks" if len(tries) == 1 else f"Checks, try {number} of {chosen.tries} at most"
            PlainConsole().print(render_checks(checks, title))
    return 0 if all_hold(last) else 1


def _refuse_places(arguments: argparse.Namespace, why: str) -> None:
    """Refuse options that say where machines are, for an experiment that has none."""
    options = Parser(prog="places", add_help=False)
    add_place_arguments(options)
    defaults = options.parse_args([])
    given, _ = options.parse_known_args([word for word in arguments.rest if word != "--"])
    for name, value in vars(given).items():
        if value != getattr(defaults, name):
            raise UsageError(
                f"reproduce {arguments.name}: --{name} says where machines are, but this experiment has none "
                f"({why}); leave it out"
            )
