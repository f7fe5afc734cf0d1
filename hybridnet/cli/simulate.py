# SPDX-License-Identifier: MIT
"""``hybridnet simulate``: a topology of simulated nodes in virtual time, as fast as it can."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridnet.cli.live import add_live_arguments
from hybridnet.cli.network import add_fidelity_argument, fidelity_of
from hybridnet.cli.record_options import add_set_argument
from hybridnet.cli.stepping import run_live, wants_page
from hybridnet.cli.topology import add_topology_arguments, find_topology
from hybridnet.describe.user_files import named_files
from hybridnet.errors import UsageError
from hybridnet.tools.sweep.values import SEED, asks_for_seed, filled, given, parse_settings, refuse_unasked

if TYPE_CHECKING:
    from hybridnet.describe.topo import Topo
    from hybridnet.observe.series.connection_trace import ConnectionTrace
    from hybridnet.simulate.offline import SimulationReport

SUMMARY = "Simulate a topology as fast as it can, without root."
EXAMPLES = """  hybridnet simulate my_network.py --until 60s
  hybridnet simulate my_network.py --topo Dumbbell,flows=64 --until 10s --seeds 10 --jobs 2
  hybridnet simulate my_network.py --topo FatTree,k=8 --until 10s --parallel 4 --trace-hash
  hybridnet simulate my_network.py --until 10s --series 100ms --out runs/dumbbell
  hybridnet simulate my_network.py --until 1s --workload web-search,load=0.5 --warmup 100ms --seeds 50 --precision 5%
  hybridnet simulate my_network.py --until 60s --workload 64GB,pattern=all-reduce,rounds=4 --fast-forward error=1%
  hybridnet simulate my_network.py --live
"""
SEEDS_LIMIT = 100_000
NO_TOKEN = "0" * 16  # nobody connects to a simulation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py, --topo, how long, how often, and where to."""
    add_topology_arguments(parser)
    parser.add_argument(
        "--until",
        metavar="TIME",
        help="simulated time, such as 60s or 2h; at most 365d (with --live: default 365d)",
    )
    parser.add_argument(
        "--seeds",
        default="1",
        metavar="N|FIRST-LAST",
        help="replications with the seeds 1 to N, or FIRST to LAST (default: 1)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="how many replications run at once (default: the number of processors, divided by --parallel)",
    )
    add_parallel_argument(parser)
    parser.add_argument(
        "--mpi",
        type=int,
        metavar="N",
        help="as --parallel, but each part is a process of an MPI job, on this computer or on --hosts",
    )
    parser.add_argument(
        "--hosts",
        metavar="A,B",
        help="computers of the MPI job; ssh must reach them, and they must have the same hybridnet",
    )
    parser.add_argument(
        "--real-time",
        action="store_true",
        help="run no faster than the wall clock, and end when --until has passed on it",
    )
    parser.add_argument(
        "--trace-hash",
        action="store_true",
        help="print a digest of every packet at every link, to compare runs",
    )
    parser.add_argument(
        "--series", metavar="TIME", help="with --out: sample all counters at this interval of simulated time"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write figures as JSON, CSV, Parquet and OMNeT++ files into this folder",
    )
    parser.add_argument(
        "--trace",
        metavar="NAME,NAME",
        help="with --out and one seed: write the frames at these interfaces, as text and pcap, and the state of the "
        "TCP connections of these hosts, whenever it changes",
    )
    add_workload_arguments(parser)
    parser.add_argument(
        "--precision",
        metavar="PERCENT",
        help="with --workload: simulate only as many of --seeds as are enough for a mean slowdown within so many "
        "percent",
    )
    parser.add_argument(
        "--fast-forward",
        metavar="error=PERCENT[,check=yes]",
        help="with --workload: leave out time in which all flows are steady; completion times may be wrong by that "
        "much; check=yes simulates packet by packet as well, and compares",
    )
    add_fidelity_argument(parser)
    add_set_argument(parser)
    add_live_arguments(parser, "step the simulation on a page, and print its link; see docs/live.md")
    parser.add_argument(
        "--all", action="store_true", help="print every counter, not only those of applications"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def add_workload_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --workload and --warmup."""
    parser.add_argument(
        "--workload",
        action="append",
        default=[],
        metavar="SIZES[,NAME=VALUE...]",
        help="flows: sizes (web-search, data-mining, hadoop, a size or a file), load=0.5, "
        "pattern=all-to-all|permutation|incast|all-reduce, hosts=A+B, start, stop, tcp; of incast fan_in, interval, "
        "receiver; of all-reduce rounds; "
        "{NAME} stands for the value of --set NAME=VALUE; may be repeated",
    )
    parser.add_argument(
        "--warmup",
        default="0",
        metavar="TIME",
        help="with --workload: flows that start earlier are not counted",
    )


def add_parallel_argument(parser: argparse.ArgumentParser) -> None:
    """Add --parallel."""
    parser.add_argument(
        "--parallel",
        type=int,
        default=1,
        metavar="N",
        help="cut each simulated network into N parts, each a thread; the results are the same (default: 1)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Simulate, and print the counters with their confidence intervals."""
    from rich.console import Console
    from rich.progress import Progress

    from hybridnet.observe.recording.capsule import capsule_of
    from hybridnet.observe.recording.network_record import without_secrets
    from hybridnet.observe.recording.run_record import RunRecord, now
    from hybridnet.observe.results.console import PlainConsole
    from hybridnet.observe.results.run_directory import PLAN, check_run_directory
    from hybridnet.observe.series.connection_trace import ConnectionTrace
    from hybridnet.plan.network import PlanOptions
    from hybridnet.simulate.flows import Workload
    from hybridnet.simulate.offline import FastForward, simulate
    from hybridnet.simulate.offline.simulate import offline_plan

    paged = wants_page(arguments)
    settings = parse_settings(arguments.set)
    seeds = seeds_of(arguments.seeds)

    def topo_of(seed: int) -> Topo:
        if seed == seeds[0]:
            return topo
        with given({SEED: str(seed), **settings}):
            return find_topology(arguments.file, arguments.topo)

    with given({SEED: str(seeds[0]), **settings}):
        topo = find_topology(arguments.file, arguments.topo)
        workloads = [Workload.parse(filled(each, "--workload")) for each in arguments.workload]
        refuse_unasked()
        of_seed = asks_for_seed() and SEED not in settings
    if paged:
        return run_live(
            arguments, topo, seeds, PlanOptions(token=NO_TOKEN, **fidelity_of(arguments.fidelity))
        )
    capsule = capsule_of(arguments.command_line)
    forward = None if arguments.fast_forward is None else FastForward.parse(arguments.fast_forward)
    began = now()
    if arguments.out is not None:
        check_run_directory(arguments.out)
    elif arguments.series is not None:
        raise UsageError(f"--series {arguments.series}: a time series goes into --out DIR; give it")
    traced = _traced(arguments, topo, seeds)
    told = Console(stderr=True)
    with (
        tempfile.TemporaryDirectory(prefix="hybridnet-trace-") as scratch,
        Progress(console=told, transient=True, disable=not told.is_terminal) as progress,
    ):
        captures = {interface: f"{scratch}/{interface}.pcap" for interface in traced[0]}
        trace = ConnectionTrace(frozenset(traced[1])) if traced[1] else None
        task = progress.add_task("simulating", total=len(seeds))
        report = simulate(
            topo_of if of_seed else topo,
            arguments.until,
            seeds=seeds,
            parallel=arguments.parallel,
            mpi=arguments.mpi,
            hosts=[] if arguments.hosts is None else arguments.hosts.split(","),
            real_time=arguments.real_time,
            jobs=arguments.jobs,
            trace_hash=arguments.trace_hash,
            series=arguments.series,
            options=PlanOptions(token=NO_TOKEN, captures=captures, **fidelity_of(arguments.fidelity)),
            on_progress=lambda done, of: progress.update(task, completed=done, total=of),
            trace=trace,
            workloads=workloads,
            warmup=arguments.warmup,
            precision=arguments.precision,
            fast_forward=forward,
        )
        if arguments.out is not None:
            for named, path in named_files().items():
                capsule.add(named, path)
            # An earlier run gives way only now, when nothing can be refused any more.
            made = [each.seed for each in report.replications]
            facts = {**capsule.facts(), "began": began, "until": arguments.until, "seeds": made}
            record = RunRecord(arguments.out, facts=facts, seed=seeds[0])
            capsule.keep(record.directory.path)
            record.directory.write_json(PLAN, without_secrets(offline_plan(topo)))
            _keep_traces(record.directory.path / "traces", captures, trace)
            report.write(record.directory)
            record.end(_status(report))
    if arguments.json:
        print(json.dumps(report.to_json()))
        return _status(report)
    _print(report, PlainConsole(), of_all=arguments.all)
    if arguments.out is not None:
        print(f"written to {arguments.out}")
    return _status(report)


def _status(report: SimulationReport) -> int:
    """1 where a check of --fast-forward found a flow outside of the error that was asked for."""
    return 0 if report.check is None or report.check.within else 1


def _traced(arguments: argparse.Namespace, topo: Topo, seeds: list[int]) -> tuple[list[str], list[str]]:
    """The interfaces and the hosts that --trace names."""
    names = [] if arguments.trace is None else arguments.trace.split(",")
    if names and (arguments.out is None or len(seeds) > 1):
        raise UsageError(f"--trace {arguments.trace}: traces go into --out DIR, and are of one seed")
    from hybridnet.observe.recording.trace_files import split_traced

    return split_traced(names, {spec.name: spec.role for spec in topo.node_specs()})


def _keep_traces(folder: Path, captures: dict[str, str], trace: ConnectionTrace | None) -> None:
    from hybridnet.observe.recording.trace_files import write_connections, write_texts

    if captures or trace is not None:
        folder.mkdir()
    for interface, capture in captures.items():
        shutil.copyfile(capture, folder / f"{interface}.pcap")
    write_texts(folder)
    if trace is not None:
        write_connections(folder, trace.lines)


def seeds_of(text: str) -> list[int]:
    """The seeds that --seeds means.

    Example:
        >>> seeds_of("3"), seeds_of("4-5")
        ([1, 2, 3], [4, 5])
    """
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise UsageError(
            f"--seeds {text}: write how many, such as 10, or the first and the last, such as 1-10"
        )
    least, most = (int(first), int(last)) if dash else (1, int(first))
    if not 1 <= most - least + 1 <= SEEDS_LIMIT:  # no len(), which has 63 bits
        raise UsageError(f"--seeds {text}: at least one is needed, and at most {SEEDS_LIMIT}")
    return list(range(least, most + 1))


def _print(report: Any, console: Any, *, of_all: bool) -> None:
    from rich.table import Table

    def show(texts: int, columns: list[str], rows: list[list[str]]) -> None:
        table = Table(*columns[:texts], box=None, pad_edge=False, header_style="bold")
        for column in columns[texts:]:
            table.add_column(column, justify="right")
        for row in rows:
            table.add_row(*row)
        console.print(table)

    if report.flows is not None:
        show(1, *report.flows.table())
    if report.flows is None or of_all or report.applications:
        show(2, *report.table(of_all=of_all))
    for line in report.remarks():
        console.print(line, soft_wrap=True, highlight=False)
