# SPDX-License-Identifier: MIT
"""``hybridnet plot``: the usual pictures of a run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SUMMARY = (
    "Draw the usual pictures of a run: throughput, queues, round trips, windows, distributions, lateness."
)
EXAMPLES = """  hybridnet plot runs/one
  hybridnet plot runs/one --out pictures --format svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and where to."""
    parser.add_argument("directory", type=Path, metavar="RUN", help="a run directory with a time series")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the pictures (default: RUN/plots)")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of a simulation, which replication (default: the first)"
    )
    parser.add_argument("--format", choices=("png", "svg", "pdf"), default="png", help="default: png")
    parser.add_argument("--json", action="store_true", help="print the paths of the pictures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Draw, and print the paths."""
    from hybridnet.recording.plot import plot_run

    drawn = plot_run(arguments.directory, arguments.out, arguments.seed, arguments.format)
    if arguments.json:
        print(json.dumps([str(path) for path in drawn]))
    else:
        for path in drawn:
            print(path)
    return 0
