# SPDX-License-Identifier: MIT
"""Progress: while a network is built, one line per machine with what it has done last; else a line for each thing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

__all__ = ["BuildProgress", "steps", "tell"]


def tell(text: str) -> None:
    """Print a line on standard error, beside what standard output has."""
    print(f"*** {text}", file=sys.stderr, flush=True)


@contextmanager
def steps(what: str) -> Iterator[Callable[[str, int], None]]:
    """A bar on standard error for long work; a line for each new step if it is not a terminal. What it gives is called
    with a step and how far the work is, in percent.
    """
    console = Console(stderr=True)
    said = ""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=100)

        def show(step: str, percent: int) -> None:
            nonlocal said
            progress.update(task, description=step, completed=percent)
            if not console.is_terminal and step != said:
                tell(f"{what}: {step}")
            said = step

        yield show


class BuildProgress:
    """Lines on standard error that vanish when the network is up; nothing if it is not a terminal.

    Called with a machine's name (empty: the network as a whole) and what was done.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, machine: str, text: str) -> None:
        line = f"{machine}: {text}" if machine else text
        if machine not in self._tasks:
            self._tasks[machine] = self._progress.add_task(line, total=None)
        self._progress.update(self._tasks[machine], description=line)

    def __enter__(self) -> BuildProgress:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
