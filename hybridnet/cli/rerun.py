# SPDX-License-Identifier: MIT
"""``hybridnet rerun``: repeat a recorded run, and compare."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from hybridnet.cli.compare import print_comparison
from hybridnet.describe.quantities import parse_percent
from hybridnet.describe.values import printable
from hybridnet.errors import ExperimentError, UsageError

SUMMARY = "Repeat a recorded run, and compare: simulations must be identical, emulated networks must agree."
EXAMPLES = """  hybridnet rerun runs/one
  hybridnet rerun one.hybridnet.tar.gz --out runs/again
  hybridnet rerun runs/one --within 5%
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, where to, and how close."""
    parser.add_argument(
        "directory", type=Path, metavar="RUN", help="a run directory, or a file of `hybridnet pack`"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="run directory of the repetition (default: RUN-again)"
    )
    parser.add_argument(
        "--within",
        default="10%",
        metavar="PERCENT",
        help="emulated figures must agree within their 95 %% interval, or within this share of the first run's figure "
        "(default: 10%%)",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="run what a packed run, or another user's, contains, without asking",
    )
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Repeat it. Returns 0 if it agrees, else 1. Raises UsageError: it is somebody else's, and nobody said yes."""
    from hybridnet.observe.recording.pack import SUFFIX
    from hybridnet.observe.recording.rerun import is_foreign, opened, rerun, what_it_runs

    within = parse_percent(arguments.within, "--within")
    plain = arguments.directory.name.removesuffix(SUFFIX)
    out = arguments.out or arguments.directory.absolute().with_name(f"{plain}-again")
    with opened(arguments.directory) as directory:
        if is_foreign(directory) and not arguments.yes:
            _ask(f"rerun {arguments.directory}: {what_it_runs(directory)}")
        done = rerun(directory, out, within)
    if arguments.json:
        print(json.dumps(done.to_json()))
        return 0 if done.agrees else ExperimentError.exit_code
    print_comparison(done.comparison)
    for what, then, now in done.changed:
        print(f"{what}: {then} then, {now} now")
    if not done.comparison.of_simulations:
        count, off = len(done.judged), done.disagreeing
        print(
            f"{count - len(off)} of {count} results and rates agree within their 95 % interval or {100 * within:g} %"
            + (f"; not {', '.join(each.name for each in off)}" if off else "")
        )
    print(f"run directory: {done.path}")
    return 0 if done.agrees else ExperimentError.exit_code


def _ask(text: str) -> None:
    """Raise UsageError unless the user says yes."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"{text}; look at it first (`tar xzf`), and add --yes")
    print(f"{printable(text)}\nRun it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("rerun: nothing was run")
