# SPDX-License-Identifier: MIT
"""A whole command again, in simulated time: with the run directory that it writes, in the place of itself."""

from __future__ import annotations

import compileall
import contextlib
import filecmp
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hybridnet.kernel.build import find_kernel
from hybridnet.kernel.process import MEMORY_MIB, Command, run_in_kernel
from hybridnet.system.simulated_time import STAGE_VARIABLE

__all__ = ["run_again"]

RUNS = Path("runs")
PACKAGE = Path(__file__).parents[1]


def run_again(
    words: Sequence[str],
    out: str | os.PathLike[str] | None,
    seed: int,
    say: Callable[[str], object],
    machines: Sequence[str] = (),
) -> int:
    """Run a command in a kernel in simulated time, with this process's streams, variables and working directory.

    Args:
        words: the command.
        out: the directory that it writes; None: one in ``runs``, or none.
        seed: of everything random in the kernel.
        say: takes a line about what happens besides.
        machines: names of those of its network; each has a kernel of its own. None: all are in the command's.

    Returns:
        Its exit code.

    Raises:
        EnvironmentLackError: there is no such kernel, or it does not start.
        ExperimentError: a program in it stops time.
        UsageError: there are too many machines.
    """
    kernel = find_kernel()
    if machines:
        from hybridnet.kernel.several import run_in_kernels  # only who has several waits for the simulator

        say(
            f"Simulated time: {len(machines) + 1} kernels, one of them for each machine, with up to {MEMORY_MIB} MiB "
            "of memory each"
        )

        def run(command: Command) -> int:
            return run_in_kernels(kernel, command, machines, say)
    else:
        say(f"Simulated time: a kernel of its own, with up to {MEMORY_MIB} MiB of memory")

        def run(command: Command) -> int:
            return run_in_kernel(kernel, command, say)

    environment = dict(os.environ)
    if sys.stdin is not None and sys.stdin.isatty():
        environment["HYBRIDNET_AT_TERMINAL"] = "1"
    # Else a later run, which need not compile, takes other system calls.
    compileall.compile_dir(PACKAGE, quiet=2)
    if stage := environment.pop(STAGE_VARIABLE, None):
        command = Command(words, seed=seed, environment=environment, **_stage(json.loads(stage)))
        return run(command)
    with _kept(Path(RUNS if out is None else out).absolute()) as kept:
        return run(Command(words, kept, seed, environment=environment))


def _stage(given: dict[str, Any]) -> dict[str, Any]:
    """What is different where a run is repeated: the kernel finds everything where it was."""
    was, to_be = given["out"]
    Path(to_be).mkdir(parents=True, exist_ok=True)
    return {
        "kept": {Path(was): Path(to_be)},
        "directory": Path(given["directory"]),
        "brings": False,
        "files": {
            Path(there): Path(here) for there, here in given["files"].items() if not _same(there, here)
        },
    }


def _same(there: str, here: str) -> bool:
    """Whether this computer has the file where it was. A copy in memory would take other system calls."""
    try:
        return filecmp.cmp(there, here, shallow=False)
    except OSError:
        return False


@contextlib.contextmanager
def _kept(directory: Path) -> Iterator[dict[Path, Path]]:
    """A directory in which the command may write; what of it was made for that, and stays empty, is removed again."""
    made = []
    for path in (directory, *directory.parents):
        if path.exists():
            break
        made.append(path)
    directory.mkdir(parents=True, exist_ok=True)
    try:
        yield {directory: directory}
    finally:
        for path in made:
            try:
                path.rmdir()
            except OSError:  # something is in it now
                break
