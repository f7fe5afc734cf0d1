# SPDX-License-Identifier: MIT
"""sweep: runs every point in a process of its own, and keeps what each gave.

    points ─▶ workers: hybridnet simulate|run --set … ─▶ DIR/points/NAME.unfinished ─ when whole ─▶ DIR/points/NAME

A point is there, whole, or not at all: so a sweep that was killed goes on with those that are not there. Where points
run, and how many at once, is the workers' affair.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hybridnet.errors import EnvironmentLackError, ExperimentError, UsageError
from hybridnet.tools.sweep.points import Point

__all__ = ["Command", "Done", "Workers", "run_sweep"]

_LOG = "output.txt"
_ERROR = "error: "
_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Command:
    """What each point runs.

    Args:
        verb: ``simulate`` or ``run``.
        words: of the command line, the script last.
        script_words: what follows ``--``.
    """

    verb: str
    words: Sequence[str]
    script_words: Sequence[str] = ()

    def of(self, point: Point) -> list[str]:
        """The command line of one point, from the verb on, without --out."""
        seed = (
            ["--seeds", f"{point.seed}-{point.seed}"]
            if self.verb == "simulate"
            else ["--set", f"seed={point.seed}"]
        )
        after = ["--", *self.script_words] if self.script_words else []
        return [self.verb, *point.words(), *seed, *self.words, *after]


class Workers(Protocol):
    """Where points run. What still runs at the end of the block is ended."""

    at_once: int
    """The most points that are handed to them at a time."""

    def run(self, words: Sequence[str], out: Path, log: Path) -> int:
        """Run a command line of hybridnet to its end, with the run directory `out`. Returns its status.

        Args:
            words: from the verb on.
            out: new, and on this computer.
            log: gets what it printed.
        """

    def __enter__(self) -> Workers: ...

    def __exit__(self, *_: object) -> None: ...


@dataclass(frozen=True)
class Done:
    """A point that has ended.

    Args:
        folder: its run directory.
        fresh: whether it ran now; otherwise an earlier run of the sweep made it.
    """

    point: Point
    folder: Path
    fresh: bool


def run_sweep(
    directory: Path,
    command: Command,
    points: Sequence[Point],
    workers: Workers,
    on_begin: Callable[[Point], object] = lambda point: None,
) -> Iterator[Done]:
    """Run what is not there yet. Yields every point when it is there: first those that were.

    Args:
        directory: of the sweep.
        workers: where; their block is entered and left here.
        on_begin: called when a point is handed to the workers, from a thread of its own.

    Raises:
        EnvironmentLackError: this computer lacks what a point needs, such as root.
        ExperimentError: a point failed; the message quotes it. Those that ran beside it are ended, too.
    """
    folder = directory / "points"
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for point in points:
        if (folder / point.name).is_dir():
            yield Done(point, folder / point.name, fresh=False)
        else:
            missing.append(point)

    def run(point: Point) -> Done:
        on_begin(point)
        return _run(command, point, folder / point.name, workers)

    waiting = iter(missing)
    running: set[Future[Done]] = set()
    with ThreadPoolExecutor(workers.at_once, "sweep") as pool, workers:
        while True:
            # One is handed out when one has ended: after a failure, or ^C, none begins.
            for point in itertools.islice(waiting, workers.at_once - len(running)):
                running.add(pool.submit(run, point))
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()


def _run(command: Command, point: Point, folder: Path, workers: Workers) -> Done:
    unfinished = folder.with_name(folder.name + _UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    log = folder.with_name(folder.name + ".log")
    status = workers.run(command.of(point), unfinished, log)
    if status != 0:
        last = log.read_text(errors="replace").strip().rpartition("\n")[2]
        if status == EnvironmentLackError.exit_code and last.startswith(_ERROR):
            # As of the whole sweep: this computer cannot run it, and there is nothing to look at.
            shutil.rmtree(unfinished, ignore_errors=True)
            log.unlink()
            raise EnvironmentLackError(f"sweep: {point}: {last.removeprefix(_ERROR)}")
        raise ExperimentError(
            f"sweep: {point}: its run ended with status {status}: {last or 'it printed nothing'}; {log} has "
            "all that it printed"
        )
    if not (unfinished / "manifest.json").is_file():
        raise UsageError(f"sweep: {point}: its run left no run directory")
    log.replace(unfinished / _LOG)
    os.rename(unfinished, folder)
    return Done(point, folder, fresh=True)
