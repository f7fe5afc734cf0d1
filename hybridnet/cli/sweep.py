# SPDX-License-Identifier: MIT
"""``hybridnet sweep``: one script or topology with many values and seeds."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridnet.cli.network import SPREAD, add_asked_arguments, asked_words
from hybridnet.cli.places import add_place_arguments, place_words, places_of
from hybridnet.cli.simulate import add_parallel_argument, add_workload_arguments, seeds_of
from hybridnet.cli.topology import require_script
from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.observe.results.console import print_table
from hybridnet.observe.results.run_directory import Hold, hold, read_object

if TYPE_CHECKING:
    from hybridnet.tools.sweep.sweep import Command, Workers
    from hybridnet.tools.sweep.table import Row

JOBS_LIMIT = 4096
_SCHEDULER = r"(\w+://)?([^/:\s]+|\[[0-9a-fA-F:]+\]):\d+"
SUMMARY = "Run a script or a topology with many values and seeds; continue a sweep that was killed."
EXAMPLES = """  hybridnet sweep my_network.py --until 10s --set bw=10,100 --set delay=1ms,10ms --seeds 5
  hybridnet sweep my_networks.py --topo Dumbbell --until 10s --set n=2,4,8 --seeds 10 --jobs 4
  hybridnet sweep my_network.py --until 1s --workload web-search,load={load} --set load=0.2,0.4,0.6 --seeds 10
  hybridnet sweep my_network.py --until 10s --set bw=10,100 --seeds 50 --dask 10.0.0.1:8786
  sudo hybridnet sweep my_experiment.py --set bw=10,100 --seeds 3   emulated, as --until is not given
  sudo hybridnet sweep my_experiment.py --set bw=10,100 --instances 2 --wait sleep
  hybridnet sweep my_networks.py --topo Dumbbell --set n=2,4 --ssh me@node1,me@node2   emulated, on other computers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is run, what varies, and where to."""
    parser.add_argument("file", nargs="?", metavar="FILE.py", help="a script, or a file with Topo classes")
    parser.add_argument(
        "script_arguments", nargs="*", metavar="ARGUMENT", help="the script's arguments, after --"
    )
    parser.add_argument("--topo", metavar="NAME[,ARGUMENT...]", help="a topology, as in `hybridnet simulate`")
    parser.add_argument(
        "--until",
        metavar="TIME",
        help="simulate each point for this long, as `hybridnet simulate` does (default: run it in real time)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE,VALUE",
        help="values of hybridnet.value(NAME, DEFAULT), or of a parameter of the topology; may be repeated",
    )
    parser.add_argument(
        "--seeds", default="1", metavar="N|FIRST-LAST", help="replications of each combination (default: 1)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="how many simulated points run at once (default: the number of processors, divided by --parallel, or as "
        "many as a Dask cluster takes); emulated points run one after the other",
    )
    add_parallel_argument(parser)
    add_workload_arguments(parser)
    add_place_arguments(
        parser,
        SPREAD,
        "with --until, simulate on the workers of this Dask scheduler, which have the same hybridnet: HOST:PORT, or "
        "tls://HOST:PORT with the certificates of Dask's configuration; without --until, the workers are the machines: "
        "tls://HOST:PORT",
    )
    add_asked_arguments(parser)
    parser.add_argument("--series", metavar="TIME", help="sample counters at this interval, in each point")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="the sweep's directory (default: runs/sweep-NAME); points that it already has stay",
    )
    parser.add_argument(
        "--show",
        metavar="TEXT,TEXT",
        help="print the figures whose names contain one of these texts (default: results, applications)",
    )
    parser.add_argument("--json", action="store_true", help="print the table as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, and print the table."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hybridnet.tools.sweep.points import parse_axes, points_of
    from hybridnet.tools.sweep.sweep import run_sweep
    from hybridnet.tools.sweep.table import table_of, write_table

    points = points_of(parse_axes(arguments.set), seeds_of(arguments.seeds))
    command = _command(arguments)
    _check_jobs(arguments)
    directory = arguments.out or Path("runs") / f"sweep-{_name(arguments)}"
    new = [each for each in (directory, *directory.parents) if not each.exists()]
    claimed = _claim(directory, command, arguments)
    console = Console(stderr=True)
    done = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        _without_trace(new),
        contextlib.closing(claimed),
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("sweep", total=len(points))
        command, workers = _workers(arguments, command)
        for each in run_sweep(
            directory, command, points, workers, lambda point: progress.update(task, description=str(point))
        ):
            done.append(each)
            progress.advance(task)
            if each.fresh and not console.is_terminal:
                console.print(f"{len(done)} of {len(points)}: {each.point}", highlight=False)
    order = {point: number for number, point in enumerate(str(point) for point in points)}
    done.sort(key=lambda each: order[str(each.point)])
    rows = table_of(done)
    write_table(directory, done, rows)
    if arguments.json:
        print(json.dumps([row.to_json() for row in rows]))
    else:
        _print(rows, None if arguments.show is None else arguments.show.split(","))
        earlier = sum(not each.fresh for each in done)
        print(
            f"{len(done)} runs" + (f", {earlier} of them from before" if earlier else "") + f": {directory}"
        )
    return 0


@contextlib.contextmanager
def _without_trace(new: Sequence[Path]) -> Iterator[None]:
    """Remove the sweep's directory where this computer lacks what its points need, and none of them is there.

    Args:
        new: the directory and those above it that were not there before; none: an earlier sweep stays.
    """
    try:
        yield
    except EnvironmentLackError:
        if new and not any((new[0] / "points").glob("*")):
            shutil.rmtree(new[0], ignore_errors=True)
            with contextlib.suppress(OSError):  # something else is in there by now
                for folder in new[1:]:
                    folder.rmdir()
        raise


def _command(arguments: argparse.Namespace) -> Command:
    from hybridnet.tools.sweep.sweep import Command

    if arguments.file is None and arguments.topo is None:
        raise UsageError("sweep: give a FILE.py, or a topology such as --topo tree,2")
    if arguments.file is not None:
        require_script(arguments.file)
    words: list[str] = []
    file = [] if arguments.file is None else [str(Path(arguments.file).resolve())]
    for option in ("topo", "series"):
        if (value := getattr(arguments, option)) is not None:
            words += [f"--{option}", value]
    if arguments.until is not None:
        if arguments.script_arguments:
            raise UsageError("sweep: a topology that is simulated takes no arguments after --; use --set")
        if arguments.parallel > 1:
            words += ["--parallel", str(arguments.parallel)]
        words += [word for each in arguments.workload for word in ("--workload", each)]
        words += ["--warmup", arguments.warmup] if arguments.workload else []
        return Command("simulate", [*words, "--until", arguments.until, "--jobs", "1", *file])
    places_of(arguments)  # what makes no sense is said before the first point
    test = ["--test", "none"] if arguments.topo is not None else []
    how = [*place_words(arguments), *asked_words(arguments)]
    return Command("run", [*words, *how, *test, *file], arguments.script_arguments)


def _check_jobs(arguments: argparse.Namespace) -> None:
    if arguments.jobs is not None and not 1 <= arguments.jobs <= JOBS_LIMIT:
        raise UsageError(f"--jobs {arguments.jobs}: write a number from 1 to {JOBS_LIMIT}")
    if arguments.until is None and arguments.jobs not in (None, 1):
        raise UsageError("--jobs: emulated networks would disturb each other; leave it out")
    if not 1 <= arguments.parallel <= JOBS_LIMIT:
        raise UsageError(f"--parallel {arguments.parallel}: write a number from 1 to {JOBS_LIMIT}")
    if arguments.until is None and arguments.parallel > 1:
        raise UsageError(
            "--parallel: it cuts simulated networks into parts, but these points run in real time; divide them by "
            "--instances, or also write --until"
        )
    if arguments.until is None and arguments.workload:
        raise UsageError("--workload: its flows are simulated in virtual time; also write --until")
    if not arguments.workload and arguments.warmup != "0":
        raise UsageError(f"--warmup {arguments.warmup}: it is of workloads, and there is none; leave it out")
    if arguments.until is None:
        return
    for word in asked_words(arguments):
        if word.startswith("--"):
            raise UsageError(
                f"{word} says how a network runs in real time, but these points are simulated; leave it out, or leave "
                "out --until"
            )
    for word in place_words(arguments):
        if word.startswith("--") and word != "--dask":
            raise UsageError(
                f"{word} says where machines are, but simulated points have none; leave it out, or leave out --until"
            )
    if arguments.dask is not None and not re.fullmatch(_SCHEDULER, arguments.dask):
        raise UsageError(f"--dask {arguments.dask}: write HOST:PORT, or tls://HOST:PORT")


def _workers(arguments: argparse.Namespace, command: Command) -> tuple[Command, Workers]:
    """Where points run, and the command as it is there."""
    if arguments.dask is None or arguments.until is None:
        from hybridnet.tools.sweep.local_workers import LocalWorkers

        at_once = max(1, (os.cpu_count() or 1) // arguments.parallel)
        return command, LocalWorkers(1 if arguments.until is None else arguments.jobs or at_once)
    from hybridnet.cli.progress import tell
    from hybridnet.observe.recording.capsule import FILES, capsule_of
    from hybridnet.tools.sweep.dask_workers import DaskWorkers
    from hybridnet.tools.sweep.points import parse_axes
    from hybridnet.tools.sweep.sweep import Command

    tell(f"asking the scheduler at {arguments.dask}")
    capsule = capsule_of([command.verb, *command.words])
    files = {f"{FILES}/{name}": path.read_bytes() for name, path in capsule.files.items()}
    sizes = [each.partition(",")[0] for each in arguments.workload]
    for value in (*sizes, *(value for values in parse_axes(arguments.set).values() for value in values)):
        if (path := Path(value)).is_file() and not path.is_absolute() and ".." not in path.parts:
            files[value] = path.read_bytes()
    return Command(capsule.verb, capsule.arguments), DaskWorkers(arguments.dask, files, arguments.jobs)


def _name(arguments: argparse.Namespace) -> str:
    return Path(arguments.file).stem if arguments.file is not None else str(arguments.topo.partition(",")[0])


def _claim(directory: Path, command: Command, arguments: argparse.Namespace) -> Hold:
    """Note what is swept; refuse a directory of something else: its points would be taken for this sweep's. Until the
    claim is closed, no other sweep runs the same points.
    """
    import hashlib

    script = None if arguments.file is None else hashlib.sha256(Path(arguments.file).read_bytes()).hexdigest()
    said: dict[str, object] = {
        "verb": command.verb,
        "words": [*command.words, *command.script_words],
        "script": script,
    }
    note = directory / "sweep-command.json"
    try:
        if not directory.exists():
            directory.mkdir(parents=True, exist_ok=True)
        held = hold(directory)
        _claim_folder(directory, note, said, script)
    except OSError as error:
        raise UsageError(f"sweep: {directory}: {error.strerror}; give another --out") from None
    return held


def _claim_folder(directory: Path, note: Path, said: dict[str, object], script: str | None) -> None:
    if note.is_file():
        before = read_object(note)
        if before != said:
            what = (
                "the script has changed since"
                if {**before, "script": script} == said
                else "another command made it"
            )
            raise UsageError(
                f"sweep: {directory} holds an earlier sweep, and {what}; give another --out, or remove it"
            )
    elif any(directory.iterdir()):
        raise UsageError(f"sweep: {directory} holds something that is not a sweep; give another --out")
    else:
        note.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _print(rows: list[Row], named: list[str] | None) -> None:
    from hybridnet.tools.sweep.table import shown_figures

    figures = shown_figures(rows, named)
    settings = list(rows[0].values)
    cells = []
    for row in rows:
        cells += [
            (
                *row.values.values(),
                name,
                f"{each.mean:.6g}",
                f"± {each.half_width:.2g}" if each.replications > 1 else "",
            )
            for name in figures
            if (each := row.figures.get(name)) is not None
        ]
    print_table((*settings, "figure", "mean", "95 % interval"), cells)
