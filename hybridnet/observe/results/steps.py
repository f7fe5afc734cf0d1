# SPDX-License-Identifier: MIT
"""Progress of a long measurement: a bar on a terminal, elsewhere a line for each finished step."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["Steps"]


class Steps:
    """The steps of one measurement, taken one after the other.

    Args:
        console: where to show it.
        total: how many steps there will be.
    """

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=total)

    def __enter__(self) -> Steps:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    @contextlib.contextmanager
    def step(self, what: str) -> Iterator[None]:
        """One step; it counts as done when the block ends without an error.

        Args:
            what: what is measured, for people.
        """
        self._progress.update(self._task, description=what)
        began = time.monotonic()
        yield
        self._done += 1
        self._progress.advance(self._task)
        if not self._console.is_terminal:
            self._console.print(
                f"{self._done} of {self._total}: {what} ({time.monotonic() - began:.0f} s)", highlight=False
            )
