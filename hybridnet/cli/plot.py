# SPDX-License-Identifier: MIT
"""``hybridnet plot``: the usual pictures of a run, or its samples as tables."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SUMMARY = "Draw the usual pictures of a run: throughput, queues, round trips, windows, distributions, lateness, load."
EXAMPLES = """  hybridnet plot runs/one
  hybridnet plot runs/one --out pictures --format svg
  hybridnet plot runs/one --web   one file for a browser: zoom, values, lines to choose
  hybridnet plot runs/one --csv   no pictures: every sample, in a table for each kind of element
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and where to."""
    parser.add_argument("directory", type=Path, metavar="RUN", help="a run directory with a time series")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder to write to (default: RUN/plots; of --csv: RUN/csv)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="for a simulation, the seed of the replication (default: the first; of --csv: all)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--format", choices=("png", "svg", "pdf"), default="png", help="format of the pictures (default: png)"
    )
    how.add_argument(
        "--web", action="store_true", help="write one interactive, self-contained page instead, run.html"
    )
    how.add_argument(
        "--csv",
        action="store_true",
        help="write all samples as tables instead: connections.csv, links.csv, ...",
    )
    parser.add_argument("--json", action="store_true", help="print the paths of what was written as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write, and print the paths."""
    write = _tables if arguments.csv else _page if arguments.web else _pictures
    written = write(arguments)
    if arguments.json:
        print(json.dumps([str(path) for path in written]))
    else:
        for path in written:
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


def _tables(arguments: argparse.Namespace) -> list[Path]:
    from hybridnet.observe.recording.csv_tables import write_csv

    return write_csv(arguments.directory, arguments.out, arguments.seed)
