# SPDX-License-Identifier: MIT
"""``hybridnet plot``: the usual pictures of a run, or its samples as tables."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hybridnet.errors import UsageError

SUMMARY = "Draw the usual pictures of a run (throughput, queues, round trips, windows ...) or of a sweep."
EXAMPLES = """  hybridnet plot runs/one
  hybridnet plot runs/one --out pictures --format svg
  hybridnet plot runs/one --web   one file for a browser: zoom, values, lines to choose
  hybridnet plot runs/one --csv   no pictures: every sample, in a table for each kind of element
  hybridnet plot runs/sweep --show goodput   of a sweep: these figures, over what was set
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and where to."""
    parser.add_argument(
        "directory",
        type=Path,
        metavar="RUN",
        help="a run directory with a time series, or the directory of a sweep",
    )
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
    parser.add_argument(
        "--show",
        metavar="TEXT,TEXT",
        help="for a sweep, the figures whose names contain one of these texts (default: results, applications)",
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
    from hybridnet.tools.sweep.picture import is_sweep

    written = _of_sweep(arguments) if is_sweep(arguments.directory) else _of_run(arguments)
    if arguments.json:
        print(json.dumps([str(path) for path in written]))
    else:
        for path in written:
            print(path)
    return 0


def _of_sweep(arguments: argparse.Namespace) -> list[Path]:
    from hybridnet.tools.sweep.picture import plot_sweep, write_sweep_csv

    if arguments.web or arguments.seed is not None:
        option = "--web" if arguments.web else f"--seed {arguments.seed}"
        raise UsageError(
            f"plot {arguments.directory}: it is a sweep, and {option} is for one run; name a folder in "
            f"{arguments.directory / 'points'}"
        )
    if arguments.csv:
        return [write_sweep_csv(arguments.directory, arguments.out)]
    named = None if arguments.show is None else arguments.show.split(",")
    return plot_sweep(arguments.directory, arguments.out, named, arguments.format)


def _of_run(arguments: argparse.Namespace) -> list[Path]:
    if arguments.show is not None:
        raise UsageError(
            f"plot {arguments.directory}: --show chooses figures of a sweep, and this is none; leave it out"
        )
    write = _tables if arguments.csv else _page if arguments.web else _pictures
    return write(arguments)


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
