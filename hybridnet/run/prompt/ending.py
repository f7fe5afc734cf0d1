# SPDX-License-Identifier: MIT
"""How a command that runs networks ends: what still runs is stopped, and one line says what the results are worth."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache

from hybridnet.errors import HybridnetError
from hybridnet.observe.results.open_runs import Watch
from hybridnet.observe.results.verdict import Verdict, together
from hybridnet.system.log import warn

__all__ = ["add_strict_argument", "ending_with_verdict", "say_verdict_at_exit", "verdict_line"]

NAMED_REASONS = 3


def add_strict_argument(parser: argparse._ActionsContainer) -> None:
    """Add --strict."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with 4 if the verdict at the end is broken (default: the verdict does not change the exit code)",
    )


def ending_with_verdict(
    body: Callable[[], int], *, strict: bool, told: Callable[[list[Verdict]], object] | None = None
) -> int:
    """Run `body`, stop the networks that it left running, and print the verdict on all of them on standard error.

    Args:
        body: returns an exit code; what it raises goes on after the verdict is printed.
        strict: whether a broken verdict changes the exit code 0.
        told: is given the verdicts, also where `body` raises.

    Returns:
        The exit code of `body`; with `strict`, that of the verdict where `body` returned 0.
    """
    ending = _EndingWithError()
    with Watch(ending.begin) as watch:
        try:
            with ending.raised(), _said_at_the_end(watch):
                code = body()
        finally:
            verdicts = watch.verdicts
            if told is not None:
                told(verdicts)
    return together(verdicts).exit_code if strict and code == 0 and verdicts else code


class _EndingWithError:
    """Ends the main thread, wherever it is, as SIGTERM does, but with an error from another thread."""

    def __init__(self) -> None:
        self._error: HybridnetError | None = None

    def begin(self, error: HybridnetError) -> None:
        """End it, if it heeds SIGTERM."""
        main = threading.main_thread().ident
        if callable(signal.getsignal(signal.SIGTERM)) and main is not None:
            self._error = error
            signal.pthread_kill(main, signal.SIGTERM)

    @contextlib.contextmanager
    def raised(self) -> Iterator[None]:
        """The end of what is inside is that error, if there is one."""
        try:
            yield
        except SystemExit:
            if self._error is None:
                raise
        if self._error is not None:
            raise self._error


@contextlib.contextmanager
def _said_at_the_end(watch: Watch) -> Iterator[None]:
    try:
        try:
            yield
        finally:
            if left := watch.stop_running():
                what = "its network is" if left == 1 else f"its {left} networks are"
                warn(f"*** the script ended without net.stop(): {what} removed\n")
    finally:
        if watch.verdicts:
            print(verdict_line(watch.verdicts), file=sys.stderr, flush=True)


@cache
def say_verdict_at_exit() -> None:
    """When this process ends, print the verdict on the networks that it has had: for scripts that no command of
    hybridnet runs. A second call does nothing.
    """
    watch, process = Watch(), os.getpid()
    watch.__enter__()

    def say() -> None:
        if watch.verdicts and os.getpid() == process:
            print(verdict_line(watch.verdicts), file=sys.stderr, flush=True)

    atexit.register(say)  # early, so that it comes after what stops the networks


def verdict_line(verdicts: list[Verdict]) -> str:
    """One line: the word, and the first reasons."""
    verdict = together(verdicts)
    shown = verdict.reasons[:NAMED_REASONS]
    if more := len(verdict.reasons) - len(shown):
        shown.append(f"and {more} more reason{'s' if more > 1 else ''}")
    networks = f" ({len(verdicts)} networks)" if len(verdicts) > 1 else ""
    return f"*** Verdict: {Verdict(verdict.word, shown, notes=verdict.notes)}{networks}"
