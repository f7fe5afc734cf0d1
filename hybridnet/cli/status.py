# SPDX-License-Identifier: MIT
"""``hybridnet status``: the detached runs, and how they are doing."""

from __future__ import annotations

import argparse
import json
import shlex
import time

SUMMARY = "List the detached runs, including those that have ended."
EXAMPLES = """  hybridnet status
  hybridnet status --json
"""


_MODULE = "hybridnet.cli"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help="print them as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Print them."""
    from hybridnet.observe.results.console import print_table
    from hybridnet.system.detached import DetachedRun, detached_runs

    def state(run: DetachedRun) -> str:
        if run.running:
            return "running"
        return "killed" if run.status is None else f"ended with {run.status}"

    runs = detached_runs()
    if arguments.json:
        rows = [
            {
                "name": each.name,
                "state": state(each),
                "status": each.status,
                "seconds": each.seconds,
                **each.facts,
            }
            for each in runs
        ]
        print(json.dumps(rows, indent=2))
        return 0
    if not runs:
        print("no run is detached")
        return 0
    print_table(
        ("run", "state", "since", "for", "command"),
        [
            (
                each.name,
                state(each),
                time.strftime("%F %T", time.localtime(each.facts["began"])),
                f"{each.seconds:.0f} s",
                _shown(each.facts["command"]),
            )
            for each in runs
        ],
    )
    return 0


def _shown(command: list[str]) -> str:
    """As a user writes it: `python -P -m hybridnet.cli` is ``hybridnet``."""
    if _MODULE in command:
        command = ["hybridnet", *command[command.index(_MODULE) + 1 :]]
    return shlex.join(command)
