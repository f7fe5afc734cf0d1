# SPDX-License-Identifier: MIT
"""sweep: runs every point in a process of its own, and keeps what each gave.

    points ─▶ hybridnet simulate|run --set … --out DIR/points/NAME.unfinished ─ renamed when it ended ─▶ DIR/points/NAME

A point is there, whole, or not at all: so a sweep that was killed goes on with those that are not there. Simulated
points run side by side, emulated ones one after the other, since they would disturb each other.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from hybridnet.errors import ExperimentError, UsageError
from hybridnet.sweep.points import Point
from hybridnet.system.parent import die_with_parent

__all__ = ["Command", "Done", "run_sweep"]

_LOG = "output.txt"
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

    def of(self, point: Point, out: Path) -> list[str]:
        """The command line of one point."""
        seed = (
            ["--seeds", f"{point.seed}-{point.seed}"]
            if self.verb == "simulate"
            else ["--set", f"seed={point.seed}"]
        )
        after = ["--", *self.script_words] if self.script_words else []
        return [
            *(sys.executable, "-m", "hybridnet.cli", self.verb, *point.words(), *seed, "--out", str(out)),
            *(*self.words, *after),
        ]


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
    parallel: int,
    on_begin: Callable[[Point], object] = lambda point: None,
) -> Iterator[Done]:
    """Run what is not there yet. Yields every point when it is there: first those that were.

    Args:
        directory: of the sweep.
        parallel: so many at once.
        on_begin: called when a point begins, from the thread that runs it.

    Raises:
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

    programs = _Programs()

    def run(point: Point) -> Done:
        on_begin(point)
        return _run(command, point, folder / point.name, programs)

    waiting = iter(missing)
    running: set[Future[Done]] = set()
    with ThreadPoolExecutor(parallel, "sweep") as pool, programs:
        while True:
            # One is handed out when one has ended: after a failure, or ^C, none begins.
            for point in waiting:
                running.add(pool.submit(run, point))
                if len(running) == parallel:
                    break
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()


class _Programs:
    """The programs that run now; those that still do at the end of the block are told to end."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False
        self._lock = threading.Lock()

    def run(self, words: Sequence[str], output: BinaryIO) -> int:
        """Run one, to its end. Returns its status."""
        with self._lock:
            if self._ended:
                return -signal.SIGTERM
            program = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a ^C is the sweep's, which ends its programs
                preexec_fn=lambda: die_with_parent(signal.SIGTERM),  # so that networks are removed
            )
            self._running.add(program)
        try:
            return program.wait()
        finally:
            with self._lock:
                self._running.discard(program)

    def __enter__(self) -> _Programs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended = True
            for program in self._running:
                program.terminate()


def _run(command: Command, point: Point, folder: Path, programs: _Programs) -> Done:
    unfinished = folder.with_name(folder.name + _UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    log = folder.with_name(folder.name + ".log")
    with log.open("wb") as output:
        status = programs.run(command.of(point, unfinished), output)
    if status != 0:
        last = log.read_text(errors="replace").strip().rpartition("\n")[2]
        raise ExperimentError(
            f"sweep: {point}: its run ended with status {status}: {last or 'it printed nothing'}; {log} has "
            "all that it printed"
        )
    if not (unfinished / "manifest.json").is_file():
        raise UsageError(f"sweep: {point}: its run left no run directory")
    log.replace(unfinished / _LOG)
    os.rename(unfinished, folder)
    return Done(point, folder, fresh=True)
