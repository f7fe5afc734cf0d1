# SPDX-License-Identifier: MIT
"""``hybridnet simulate``: a topology of simulated nodes in virtual time, as fast as it can."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from hybridnet.cli.topology import add_topology_arguments, find_topology
from hybridnet.errors import UsageError

SUMMARY = "Simulate a topology as fast as it can, without root."
EXAMPLES = """  hybridnet simulate my_network.py --until 60s
  hybridnet simulate my_network.py --topo Dumbbell,flows=64 --until 10s --seeds 10 --parallel 2
  hybridnet simulate my_network.py --until 10s --series 100ms --out runs/dumbbell
"""
_SHOWN = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py, --topo, how long, how often, and where to."""
    add_topology_arguments(parser)
    parser.add_argument(
        "--until", required=True, metavar="TIME", help="simulated time, such as 60s; at most 3600s"
    )
    parser.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="replications, with the seeds 1 to N (default 1)"
    )
    parser.add_argument(
        "--parallel", type=int, metavar="N", help="replications at once (default: one for each processor)"
    )
    parser.add_argument("--series", metavar="TIME", help="sample all counters every so much simulated time")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write figures as JSON, CSV, Parquet and OMNeT++ files into this folder",
    )
    parser.add_argument(
        "--all", action="store_true", help="print every counter, not only those of applications"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Simulate, and print the counters with their confidence intervals."""
    from rich.console import Console
    from rich.progress import Progress

    from hybridnet.results import RunDirectory
    from hybridnet.simulate import simulate

    topo = find_topology(arguments.file, arguments.topo)
    if arguments.seeds < 1:
        raise UsageError(f"--seeds {arguments.seeds}: at least one is needed")
    directory = None if arguments.out is None else RunDirectory(arguments.out)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("simulating", total=arguments.seeds)
        report = simulate(
            topo,
            arguments.until,
            seeds=arguments.seeds,
            parallel=arguments.parallel,
            series=arguments.series,
            on_progress=lambda done, of: progress.update(task, completed=done, total=of),
        )
    if directory is not None:
        directory.write_manifest(
            1,
            {
                "until": arguments.until,
                "seeds": arguments.seeds,
                "file": arguments.file,
                "topology": arguments.topo,
            },
        )
        report.write(directory)
    if arguments.json:
        print(json.dumps(report.to_json()))
        return 0
    _print(report, Console(), of_all=arguments.all)
    if directory is not None:
        print(f"written to {directory.path}")
    return 0


def _print(report: Any, console: Any, *, of_all: bool) -> None:
    from rich.table import Table

    asked = {name for each in report.replications for name in each.applications}
    figures = [each for each in report.figures() if of_all or each.element in asked] or report.figures()[
        :_SHOWN
    ]
    table = Table("element", "counter")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for each in figures:
        name, scale, unit = _unit(each.name)
        interval = f"± {each.over.half_width * scale:.3g}{unit}" if each.over.replications > 1 else ""
        table.add_row(each.element, name, f"{each.over.mean * scale:.6g}{unit}", interval)
    console.print(table)
    seconds = report.until_ns / 1e9
    processor = sum(each.processor_s for each in report.replications)
    events = sum(each.events for each in report.replications)
    count = len(report.replications)
    console.print(
        f"{seconds:g} s simulated {count} time{'s' if count > 1 else ''} in {report.wall_s:.2f} s; {events} events, "
        f"{events / max(processor, 1e-9) / 1e6:.1f} million in a second of a processor"
    )


def _unit(name: str) -> tuple[str, float, str]:
    """A counter's name without its unit, and how its values are printed.

    Example:
        >>> _unit("srtt_ns"), _unit("received_bytes"), _unit("sent")
        (('srtt', 1e-06, ' ms'), ('received', 1e-06, ' MB'), ('sent', 1, ''))
    """
    for ending, scale, unit in (("_ns", 1e-6, " ms"), ("_bytes", 1e-6, " MB")):
        if name.endswith(ending):
            return name.removesuffix(ending), scale, unit
    return name, 1, ""
