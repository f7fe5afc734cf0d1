# SPDX-License-Identifier: MIT
"""``hybridnet replay``: run a recorded instance again, in virtual time."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hybridnet.errors import UsageError
from hybridnet.observe.results.console import print_table
from hybridnet.simulate.instance.process import load_plan
from hybridnet.simulate.instance.replay import COLUMNS, ReplayReport, replay

SUMMARY = "Run a recorded instance again in virtual time, and compare what leaves it."
EXAMPLES = """  hybridnet replay m1.pcapng
  hybridnet replay m1.pcapng --out again.pcapng --json
  hybridnet replay m1.pcapng --plan other.json   the same input, another network
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The record, --plan, --out, --json."""
    parser.add_argument("record", type=Path, metavar="FILE", help="a file that `--record` made (.pcapng)")
    parser.add_argument(
        "--plan", type=Path, metavar="FILE", help="an instance plan (default: the one in the record)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="record the replay itself: a .pcapng file")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print how the replay compares with the record."""
    plan = None if arguments.plan is None else load_plan(arguments.plan)
    if arguments.out is not None and arguments.out.resolve() == arguments.record.resolve():
        raise UsageError(f"replay: --out {arguments.out} is the record itself; write another name")
    report = replay(arguments.record, plan=plan, out=arguments.out)
    if arguments.json:
        print(json.dumps(report.to_json(), indent=2))
    else:
        _print(report)
    return 0


def _print(report: ReplayReport) -> None:
    print_table(COLUMNS, [portal.row() for portal in report.portals])
    for line in report.remarks():
        print(line)
