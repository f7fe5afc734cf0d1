# SPDX-License-Identifier: MIT
"""``hybridnet compare``: two run directories, figure by figure."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from hybridnet.observe.results.console import print_table

if TYPE_CHECKING:
    from hybridnet.observe.recording.comparison import Comparison
    from hybridnet.observe.results.estimate import Estimate

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
    rows = []
    for each in comparison.differences:
        if each.absolute == 0 and not of_all:
            continue
        sure = all(over is not None and over.replications > 1 for over in (each.first, each.second))
        beyond = sure and not each.agrees(0.0)
        difference = "" if math.isnan(each.absolute) else f"{each.absolute:+.4g}"
        if sure:
            difference += f" ± {each.half_width:.2g}"
        share = (
            "" if math.isnan(each.relative) or math.isinf(each.relative) else f"{100 * each.relative:+.1f} %"
        )
        rows.append(
            (each.name, _text(each.first), _text(each.second), difference, share, "*" if beyond else "")
        )
    if rows:
        print_table(("figure", "first", "second", "difference", "", ""), rows)
    same = sum(each.absolute == 0 for each in comparison.differences)
    print(f"{len(comparison.differences)} figures, {same} of them the same", end="")
    print("; * the difference is beyond its 95 % interval" if any(row[-1] for row in rows) else "")
    if comparison.simulated_s is not None and comparison.of_different_times:
        first, second = comparison.simulated_s
        print(f"the first simulated {first:g} s, the second {second:g} s, and counters grow with time")
    if comparison.identical is not None:
        print("identical, byte for byte" if comparison.identical else "not identical")


def _text(value: Estimate | None) -> str:
    if value is None:
        return "-"
    return f"{value.mean:.5g}" + (f" ± {value.half_width:.2g}" if value.replications > 1 else "")
