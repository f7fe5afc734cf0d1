# SPDX-License-Identifier: MIT
"""``hybridnet explore``: what is wrong with an SDN application."""

from __future__ import annotations

import argparse
import json
import runpy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, final

from hybridnet.cli.app_options import add_app_arguments
from hybridnet.cli.network import framework_words, simulated_protocols
from hybridnet.cli.simulate import seeds_of
from hybridnet.cli.time_options import add_time_argument, begins_in_real_time, run_in_simulated_time
from hybridnet.cli.topology import find_topology
from hybridnet.describe.quantities import parse_delay
from hybridnet.errors import UsageError
from hybridnet.run.prompt.user_code import require_file, user_code

if TYPE_CHECKING:
    from hybridnet.run.controllers.frameworks import Framework
    from hybridnet.tools.explore import Invariant

SUMMARY = "Find what is wrong with an SDN application: many small trials, and the shortest one that shows it."
EXAMPLES = """  hybridnet explore my_app.py --topo linear,3 --seeds 200
  hybridnet explore ryu.app.simple_switch_13 --topo linear,3 --pytest move_test.py
  hybridnet explore my_app.py --topo linear,3 --schedule schedule.yaml
  hybridnet explore my_app.py --web found.html
  hybridnet explore osken:my_app.py --topo tree,2 --invariants firewall.py --json
  hybridnet explore faucet:faucet.yaml --topo linear,2
  hybridnet explore my_app.py --controllers 2        masters and slaves, which fail and come back
  hybridnet explore --time simulated my_app.py       the same bytes, whatever the application asks its computer
"""
_OSKEN, _FAUCET = "osken:", "faucet:"
_NOT_IN_A_TRIAL = {
    "gauge": "it only watches switches; explore what commands them, such as faucet:FILE.yaml",
    "remote": "its clock is not that of a trial; name the application itself, which explore starts",
}
_ADDRESS, _PORT = "127.0.0.1", 9302  # Faucet's own; in a trial nothing listens there


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The application, the network, and how long to look."""
    parser.add_argument(
        "app",
        metavar="APP",
        help="a Ryu app (a file or a module; several joined by commas), osken:APP, or faucet:FILE.yaml",
    )
    parser.add_argument(
        "--topo",
        default="linear,3",
        metavar="NAME[,ARGUMENT...]",
        help="hosts and switches, as in `hybridnet run`, or a .yaml or .graphml file (default: linear,3)",
    )
    parser.add_argument(
        "--seeds",
        default="200",
        metavar="N|FIRST-LAST",
        help="trials with the seeds 1 to N, or FIRST to LAST (default: 200)",
    )
    parser.add_argument(
        "--schedule", type=Path, metavar="FILE.yaml", help="let this happen in each trial, and nothing else"
    )
    parser.add_argument(
        "--always",
        type=Path,
        metavar="FILE.yaml",
        help="let this happen in each trial, too, such as requests",
    )
    parser.add_argument(
        "--without",
        metavar="NAME[,NAME...]",
        help="disturbances that do not happen, such as host-moves, to look for other mistakes",
    )
    parser.add_argument(
        "--settle",
        default="0s",
        metavar="TIME",
        help="how long the application takes to be ready, such as 35s for a spanning tree (default: 0s)",
    )
    parser.add_argument(
        "--invariants",
        metavar="FILE.py",
        help="its invariants must hold, and not that all hosts reach each other (all-reach-all)",
    )
    parser.add_argument(
        "--controllers",
        type=int,
        default=1,
        metavar="N",
        help="how many controllers run the application, 1 to 4; each switch connects to all of them (default: 1)",
    )
    parser.add_argument(
        "--repeat",
        type=int,
        default=5,
        metavar="N",
        help="how often what was found is repeated, to see whether it always shows (default: 5)",
    )
    add_app_arguments(parser)
    parser.add_argument(
        "--pytest",
        type=Path,
        metavar="FILE.py",
        help="write what was found as a test that fails until it is mended",
    )
    parser.add_argument(
        "--web",
        type=Path,
        metavar="FILE.html",
        help="write what was found as a page: the packet's way hop by hop, the tables before and after",
    )
    add_time_argument(parser)
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Explore, and print what was found. Exit code 1: an invariant does not hold."""
    from rich.console import Console
    from rich.progress import Progress

    from hybridnet.tools.explore import INVARIANTS, Explore, page_of

    written = {"--pytest": arguments.pytest, "--web": arguments.web}
    folders = {option: path.parent for option, path in written.items() if path is not None}
    for option, folder in folders.items():
        if not folder.is_dir():
            raise UsageError(f"{option} {written[option]}: there is no such folder; make it first")
    if begins_in_real_time(arguments):
        if len({folder.resolve() for folder in folders.values()}) > 1:
            raise UsageError("--pytest and --web: in simulated time, name files of one folder")
        return run_in_simulated_time(arguments, next(iter(folders.values()), None))
    application = application_of(arguments.app)
    protocols = simulated_protocols(arguments.protocols)
    if not 1 <= arguments.repeat <= 1000:
        raise UsageError(f"--repeat {arguments.repeat}: write a number from 1 to 1000")
    seeds = seeds_of(arguments.seeds)
    invariants = INVARIANTS if arguments.invariants is None else invariants_of(arguments.invariants)
    topo = find_topology(None, arguments.topo)
    told = Console(stderr=True)
    with (
        Explore(
            *application.apps,
            topo=topo,
            invariants=invariants,
            framework=application.framework,
            settings=application.settings,
            arguments=framework_words(arguments.controller_arguments or ""),
            protocols=protocols,
            settle_s=parse_delay(arguments.settle, "--settle") / 1e9,
            without=arguments.without.split(",") if arguments.without else (),
            always=arguments.always,
            controllers=arguments.controllers,
        ) as explore,
        Progress(console=told, transient=True, disable=not told.is_terminal) as progress,
    ):
        schedule = None if arguments.schedule is None else explore.read(arguments.schedule)
        task = progress.add_task("exploring", total=len(seeds))
        report = explore.run(
            seeds,
            schedule=schedule,
            repetitions=arguments.repeat,
            on_trial=lambda held: progress.update(task, completed=held),
        )
    print(json.dumps(report.to_json()) if arguments.json else report.text())
    if report.counterexample is None:
        return 0
    if arguments.pytest is not None:
        test = report.counterexample.pytest_file(_words(arguments))
        arguments.pytest.write_text(test, encoding="utf-8")
    if arguments.web is not None:
        arguments.web.write_text(page_of(report), encoding="utf-8")
    if folders and not arguments.json:
        print(f"\nwritten to {' and '.join(str(written[option]) for option in folders)}")
    return 1


@final
@dataclass(frozen=True)
class Application:
    """What is explored.

    Args:
        apps: of the framework.
        settings: environment variables that they read.
    """

    framework: Framework
    apps: list[str]
    settings: Mapping[str, str] = field(default_factory=dict)


def application_of(text: str) -> Application:
    """What APP names. Raises UsageError where there is no such app, or it cannot be explored."""
    from hybridnet.run.controllers.frameworks import OSKEN, RYU
    from hybridnet.run.controllers.kinds import Faucet
    from hybridnet.run.controllers.process import check_module, find_app

    kind = text.partition(",")[0].partition(":")[0]
    if kind in _NOT_IN_A_TRIAL and not Path(text).exists():
        raise UsageError(f"explore {text}: {_NOT_IN_A_TRIAL[kind]}")
    if text.startswith(_FAUCET):
        faucet = Faucet("c0", text.removeprefix(_FAUCET), rest_port=_PORT)
        return Application(OSKEN, ["faucet.faucet"], faucet.settings(_ADDRESS))
    framework = OSKEN if text.startswith(_OSKEN) else RYU
    apps = text.removeprefix(_OSKEN).split(",")
    for app in apps:
        found = find_app(app)
        if not found.endswith(".py"):
            check_module(found, framework)
    return Application(framework, apps)


def _words(arguments: argparse.Namespace) -> list[str]:
    """The command line without what the test says itself; files by their whole path."""
    prefix = next((each for each in (_OSKEN, _FAUCET) if arguments.app.startswith(each)), "")
    apps = arguments.app.removeprefix(prefix).split(",")
    whole = [str(Path(app).resolve()) if Path(app).is_file() else app for app in apps]
    words = ["hybridnet", "explore", prefix + ",".join(whole), "--protocols", arguments.protocols]
    topo = arguments.topo
    name, comma, rest = topo.partition(",")
    if Path(name).is_file():
        topo = f"{Path(name).resolve()}{comma}{rest}"
    words += ["--topo", topo]
    if arguments.invariants is not None:
        words += ["--invariants", str(Path(arguments.invariants).resolve())]
    if arguments.always is not None:
        words += ["--always", str(arguments.always.resolve())]
    words += ["--settle", arguments.settle, "--time", arguments.time]
    words += ["--controllers", str(arguments.controllers)]
    if arguments.controller_arguments is not None:
        words.append(f"--controller-arguments={arguments.controller_arguments}")
    return words


def invariants_of(file: str) -> list[Invariant]:
    """Those of a file, and ours that hold for every network. Raises UsageError."""
    from hybridnet.tools.explore import INVARIANTS, Invariant, all_reach_all

    require_file(file)
    with user_code(file, UsageError):
        names = runpy.run_path(file)
    flat = [each for value in names.values() for each in (value if isinstance(value, list) else [value])]
    named = list({id(each): each for each in flat if isinstance(each, Invariant)}.values())
    if not named:
        raise UsageError(
            f"--invariants {file}: it has none; write a function under @invariant (hybridnet.tools.explore), or a name "
            "for reaches(...) or isolated(...)"
        )
    ours = [each for each in INVARIANTS if each in named or each is not all_reach_all]
    return [*ours, *(each for each in named if each not in ours)]
