# SPDX-License-Identifier: MIT
"""``hybridnet reproduce``: run one of the experiments in ``experiments/``, found by name.

An experiment is a package whose module ``experiment`` has SUMMARY, a plain text, `add_arguments(parser)` and
`run(arguments) -> checks`. One that runs on machines has MACHINES, how many: it gets the options that say where they
are, and as ``arguments.cluster`` what makes a cluster of them (`hybridnet.cluster.places.ClusterFactory`). Any other
has WITHOUT_MACHINES, why it needs none. It reports on standard output, or with ``--json`` on standard error; then
standard output has the checks alone.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import json
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from hybridnet.cli.detaching import add_detach_argument, run_detached
from hybridnet.cli.main import Parser
from hybridnet.cli.places import add_place_arguments, places_of
from hybridnet.cli.tables import print_table
from hybridnet.errors import UsageError
from hybridnet.results import Check, render_checks
from hybridnet.results.console import PlainConsole

SUMMARY = "Reproduce a figure or table, and check it."
EXAMPLES = """  hybridnet reproduce                  lists the experiments
  hybridnet reproduce --json           the same, as JSON
  hybridnet reproduce maxinet --help   its own options
  sudo hybridnet reproduce maxinet --rounds 1 --out runs/maxinet
  hybridnet reproduce --detach maxinet --scale paper --ssh me@node1,me@node2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The experiment's name, and its own arguments."""
    add_detach_argument(parser)
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="the experiment (default: list the experiments)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the list, or the experiment's checks, as JSON"
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="options of the experiment")


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment, and print its checks. Return 1 when one of them does not hold, else 0."""
    if arguments.detach:
        return run_detached(arguments.command_line)
    names = experiment_names()
    if arguments.name is None:
        listed = {name: summary_of(name) for name in names}
        if arguments.json:
            print(json.dumps([{"name": name, "summary": text} for name, text in listed.items()], indent=2))
        else:
            print_table(("experiment", "what it shows"), list(listed.items()))
        return 0
    if arguments.name not in names:
        raise UsageError(f"there is no experiment {arguments.name!r}; there are {', '.join(names) or 'none'}")
    experiment = _load(arguments.name)
    parser = Parser(prog=f"hybridnet reproduce {arguments.name}", description=experiment.SUMMARY)
    parser.add_argument(
        "--json",
        action="store_true",
        default=arguments.json,
        help="print the checks as JSON, and everything else to stderr",
    )
    experiment.add_arguments(parser)
    if hasattr(experiment, "MACHINES"):
        add_place_arguments(parser)
        chosen = parser.parse_args(arguments.rest)
        chosen.cluster = places_of(chosen).cluster
    else:
        _refuse_places(arguments, experiment.WITHOUT_MACHINES)
        chosen = parser.parse_args(arguments.rest)
    checks: Sequence[Check] = experiment.run(chosen)
    if chosen.json:
        print(json.dumps({"checks": [check.to_json() for check in checks]}, indent=2))
    else:
        PlainConsole().print(render_checks(checks))
    return 0 if all(check.holds for check in checks) else 1


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


def experiment_names() -> list[str]:
    """The packages of `hybridnet.experiments` that hold an experiment, with - for _."""
    package = importlib.import_module("hybridnet.experiments")
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(package.__path__)
        if module.ispkg
        and importlib.util.find_spec(f"{package.__name__}.{module.name}.experiment") is not None
    )


def summary_of(name: str) -> str:
    """What an experiment shows. Its module is read and not run: what all of them import takes two seconds."""
    found = importlib.util.find_spec(_module(name))
    assert found is not None
    assert found.origin is not None
    assigned = {
        ast.unparse(statement.targets[0]): statement.value
        for statement in ast.parse(Path(found.origin).read_text(encoding="utf-8")).body
        if isinstance(statement, ast.Assign)
    }
    return str(ast.literal_eval(assigned["SUMMARY"]))


def _load(name: str) -> ModuleType:
    return importlib.import_module(_module(name))


def _module(name: str) -> str:
    return f"hybridnet.experiments.{name.replace('-', '_')}.experiment"
