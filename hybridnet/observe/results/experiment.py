# SPDX-License-Identifier: MIT
"""What every experiment of ``hybridnet reproduce`` shares: options, run directory, final report."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from hybridnet.observe.results.checks import Check
from hybridnet.observe.results.console import PlainConsole
from hybridnet.observe.results.run_directory import RunDirectory
from hybridnet.observe.results.steps import Steps

__all__ = ["Experiment", "add_experiment_arguments", "count", "positive"]


def count(text: str) -> int:
    """A whole number of at least 1, for argparse's ``type``."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def positive(text: str) -> float:
    """A number above 0, for argparse's ``type``."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def add_experiment_arguments(parser: argparse.ArgumentParser, name: str, *, quick: str | None = None) -> None:
    """Add the options that experiments share.

    Args:
        parser: that of ``hybridnet reproduce NAME``.
        name: the experiment's; its results go to ``runs/NAME`` unless told otherwise.
        quick: what ``--quick`` does, for its help; None: no such option.
    """
    if quick is not None:
        parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs") / name,
        metavar="DIR",
        help="run directory (default: %(default)s)",
    )


class Experiment:
    """One run of an experiment: where it writes, and where it reports.

    Args:
        arguments: with the options of `add_experiment_arguments` and of ``hybridnet reproduce``.
        facts: what the manifest says about this experiment.
        seed: that of its first replication.

    Raises:
        UsageError: the directory holds something other than a run.
    """

    def __init__(self, arguments: argparse.Namespace, facts: Mapping[str, Any], *, seed: int = 1) -> None:
        self.console = PlainConsole(stderr=arguments.json)
        self.directory = RunDirectory(arguments.out)
        self.directory.write_manifest(seed=seed, facts=facts)

    def steps(self, total: int) -> Steps:
        """Show how far a measurement of this many steps has come."""
        return Steps(self.console, total)

    def finish(self, checks: Sequence[Check], table: Table | None = None) -> list[Check]:
        """Write the checks into ``checks.json``, show the table, and print where everything is.

        Returns:
            The checks.
        """
        self.directory.write_json("checks.json", [check.to_json() for check in checks])
        if table is not None:
            self.console.print(table)
        self.console.print(f"run directory: {self.directory.path}", highlight=False)
        return list(checks)
