# SPDX-License-Identifier: MIT
"""``hybridnet controller-bench``: how many flows a controller sets up in a second, and how long it takes."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from hybridnet.cli.app_options import add_app_arguments
from hybridnet.cli.network import framework_words, simulated_protocols
from hybridnet.describe.quantities import format_delay, parse_delay
from hybridnet.errors import UsageError
from hybridnet.observe.results.console import print_table

if TYPE_CHECKING:
    from hybridnet.tools.controller_bench import Report

SUMMARY = (
    "Measure a controller as cbench does: simulated switches ask it, and count the flows that it sets up."
)
EXAMPLES = """  hybridnet controller-bench
  hybridnet controller-bench my_app.py --switches 64 --mode throughput --repeat 5
  hybridnet controller-bench osken:my_app.py --hosts 100 --duration 10s --json
  hybridnet controller-bench --controller tcp:10.0.0.5:6653 --switches 1000
  hybridnet controller-bench --switches 10000 --hosts 2 --repeat 0     whether so many can connect
"""
DEFAULT_APP = "ryu.app.simple_switch_13"
SHORTEST_NS, LONGEST_NS = 100_000_000, 3_600_000_000_000
MOST_REPETITIONS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The controller, and what it is asked."""
    parser.add_argument(
        "app",
        nargs="?",
        metavar="APP",
        help=f"a Ryu app (a file or a module; several joined by commas), or osken:APP (default: {DEFAULT_APP})",
    )
    parser.add_argument(
        "--controller", metavar="tcp:HOST:PORT", help="a controller that runs already, instead of an app"
    )
    parser.add_argument(
        "--mode",
        default="latency",
        metavar="latency|throughput",
        help="latency: one packet of each switch waits for its answer at a time; throughput: --window of them "
        "(default: latency)",
    )
    parser.add_argument(
        "--switches", type=int, default=16, metavar="N", help="how many switches, 1 to 100000 (default: 16)"
    )
    parser.add_argument(
        "--hosts",
        type=int,
        default=16,
        metavar="M",
        help="how many hosts each switch has, 2 to 1000 (default: 16)",
    )
    parser.add_argument(
        "--window",
        type=int,
        default=16,
        metavar="N",
        help="packets of each switch that wait at a time, 1 to 1000; with --mode throughput (default: 16)",
    )
    parser.add_argument(
        "--duration",
        default="5s",
        metavar="TIME",
        help="how long each repetition lasts, 100ms to 1h (default: 5s)",
    )
    parser.add_argument(
        "--warm-up",
        default="1s",
        metavar="TIME",
        help="time before the first repetition, in which nothing is counted (default: 1s)",
    )
    parser.add_argument(
        "--repeat",
        type=int,
        default=3,
        metavar="N",
        help="repetitions, 0 to 1000; 0: only connect (default: 3)",
    )
    add_app_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print a row for each repetition."""
    from rich.console import Console
    from rich.progress import Progress

    from hybridnet.tools.controller_bench import ControllerBench, Load, controller_of

    if arguments.app is not None and arguments.controller is not None:
        raise UsageError(
            f"controller-bench {arguments.app} --controller {arguments.controller}: which of the two? Leave one out"
        )
    load = Load(arguments.switches, arguments.hosts, arguments.mode, arguments.window)
    duration_ns = _time(arguments.duration, "--duration", SHORTEST_NS)
    warm_up_ns = _time(arguments.warm_up, "--warm-up", 0)
    if not 0 <= arguments.repeat <= MOST_REPETITIONS:
        raise UsageError(f"--repeat {arguments.repeat}: write a number from 0 to {MOST_REPETITIONS}")
    protocols = simulated_protocols(arguments.protocols)
    controller = controller_of(
        arguments.controller or arguments.app or DEFAULT_APP,
        framework_words(arguments.controller_arguments or ""),
    )
    told = Console(stderr=True)
    with Progress(console=told, transient=True, disable=not told.is_terminal) as progress:
        task = progress.add_task("starting the controller", total=None)
        with ControllerBench(
            controller,
            load,
            protocols=protocols,
            on_progress=lambda what, done, total: progress.update(
                task, description=what, completed=done, total=total
            ),
        ) as bench:
            report = bench.measure(duration_ns / 1e9, arguments.repeat, warm_up_ns / 1e9)
    if arguments.json:
        print(json.dumps(report.to_json()))
    else:
        _print(report)
    return 0


def _time(text: str, what: str, least_ns: int) -> int:
    time_ns = parse_delay(text, what)
    if not least_ns <= time_ns <= LONGEST_NS:
        raise UsageError(f"{what} {text}: write {format_delay(least_ns)} to {format_delay(LONGEST_NS)}")
    return time_ns


def _print(report: Report) -> None:
    from hybridnet.tools.controller_bench.report import COLUMNS

    for line in report.heads():
        print(line)
    if report.repetitions:
        print_table(COLUMNS, report.rows())
        print(f"median: {report.set_ups_per_s():,.0f} set-ups per second")
    for remark in report.remarks():
        print(f"note: {remark}")
