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
  hybridnet plot runs/one --web   one file for a browser: zoom, values, lines to choose
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and where to."""
    parser.add_argument("directory", type=Path, metavar="RUN", help="a run directory with a time series")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the pictures (default: RUN/plots)")
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="for a simulation, the seed of the replication to draw (default: the first)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--format", choices=("png", "svg", "pdf"), default="png", help="format of the pictures (default: png)"
    )
    how.add_argument(
        "--web", action="store_true", help="write one interactive, self-contained page instead, run.html"
    )
    parser.add_argument("--json", action="store_true", help="print the paths of the pictures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Draw, and print the paths."""
    drawn = _page(arguments) if arguments.web else _pictures(arguments)
    if arguments.json:
        print(json.dumps([str(path) for path in drawn]))
    else:
        for path in drawn:
            print(path)
    return 0


def _pictures(arguments: argparse.Namespace) -> list[Path]:
    from hybridnet.observe.recording.plot import plot_run

    return plot_run(arguments.directory, arguments.out, arguments.seed, arguments.format)


def _page(arguments: argparse.Namespace) -> list[Path]:
    from hybridnet.observe.recording.web_page import LIBRARIES, write_web_page
    from hybridnet.run.live.files import library

    libraries = {name: library(name) for name in LIBRARIES}
    return [write_web_page(arguments.directory, libraries, arguments.out, arguments.seed)]
