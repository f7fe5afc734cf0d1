# SPDX-License-Identifier: MIT
"""``hybridnet compare``: two run directories, figure by figure."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from hybridnet.observe.results.console import print_table

if TYPE_CHECKING:
    from hybridnet.observe.recording.comparison import Comparison

__all__ = ["print_comparison"]

SUMMARY = "Compare two run directories, figure by figure, with intervals."
EXAMPLES = """  hybridnet compare runs/one runs/two
  hybridnet compare runs/one runs/two --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two runs."""
    parser.add_argument("first", type=Path, metavar="RUN", help="a run directory")
    parser.add_argument("second", type=Path, metavar="RUN", help="another one")
    parser.add_argument("--all", action="store_true", help="also print figures that are the same")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print the differences."""
    from hybridnet.observe.recording.comparison import compare_runs

    comparison = compare_runs(arguments.first, arguments.second)
    if arguments.json:
        print(json.dumps(comparison.to_json()))
    else:
        print_comparison(comparison, of_all=arguments.all)
    return 0


def print_comparison(comparison: Comparison, *, of_all: bool = False) -> None:
    """Print the figures that differ, or all of them, and how many there are."""
    from hybridnet.observe.recording.comparison import COLUMNS

    if rows := comparison.rows(of_all=of_all):
        print_table(COLUMNS, rows)
    for line in comparison.remarks():
        print(line)
