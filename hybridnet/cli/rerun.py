# SPDX-License-Identifier: MIT
"""``hybridnet rerun``: repeat a recorded run, and compare."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hybridnet.cli.compare import print_comparison
from hybridnet.errors import ExperimentError
from hybridnet.quantities import parse_percent

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
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Repeat it. Returns 0 if it agrees, else 1."""
    from hybridnet.recording.pack import SUFFIX
    from hybridnet.recording.rerun import opened, rerun

    within = parse_percent(arguments.within, "--within")
    plain = arguments.directory.name.removesuffix(SUFFIX)
    out = arguments.out or arguments.directory.absolute().with_name(f"{plain}-again")
    with opened(arguments.directory) as directory:
        done = rerun(directory, out, within)
    if arguments.json:
        print(json.dumps(done.to_json()))
        return 0 if done.agrees else ExperimentError.exit_code
    print_comparison(done.comparison)
    for what, then, now in done.changed:
        print(f"{what}: {then} then, {now} now")
    if done.comparison.identical is None:
        count, off = len(done.judged), done.disagreeing
        print(
            f"{count - len(off)} of {count} results and rates agree within their 95 % interval or {100 * within:g} %"
            + (f"; not {', '.join(each.name for each in off)}" if off else "")
        )
    print(f"run directory: {done.path}")
    return 0 if done.agrees else ExperimentError.exit_code
