# SPDX-License-Identifier: MIT
"""``hybridnet clean``: remove what runs that were killed have left behind, and nothing else."""

from __future__ import annotations

import argparse
import json
import os
import sys

from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.run.prompt.output import mute
from hybridnet.system.journal import directories_in, is_run, state_directory

SUMMARY = "Remove what killed runs left behind, on every machine, and nothing else."
EXAMPLES = """  sudo hybridnet clean
  sudo hybridnet clean --run 20260131-120000-1f2e3d4c   that run, even if it is still running
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--run and --json."""
    parser.add_argument(
        "--run",
        metavar="RUN",
        dest="run_name",
        action="append",
        help="only this run (default: all runs whose head is dead)",
    )
    parser.add_argument("--json", action="store_true", help="print what was removed as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Clean up, and print what was removed."""
    from hybridnet.system.cleaning import clean_all

    known = [path.name for path in filter(is_run, directories_in(state_directory()))]
    if os.geteuid() != 0 and not known:  # a user's own runs, on other computers, are that user's to clean
        raise EnvironmentLackError(
            "clean removes namespaces, devices and processes, which needs root; run with sudo"
        )
    for name in arguments.run_name or ():
        if name not in known:
            raise UsageError(
                f"clean: there is no run {name}; there are: {', '.join(sorted(known)) or 'none'}"
            )
    removed = clean_all((lambda text: None) if arguments.json else _say, runs=arguments.run_name)
    if arguments.json:
        _say(json.dumps(removed, indent=2))
    elif not removed:
        _say("nothing to clean")
    return 0


def _say(text: str) -> None:
    """Print a line at once. If nobody reads any more, as after ``| head -3``, go on in silence."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        mute(sys.stdout)
