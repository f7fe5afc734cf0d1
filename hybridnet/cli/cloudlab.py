# SPDX-License-Identifier: MIT
"""``hybridnet cloudlab``: the nodes of an experiment, and how hybridnet gets to them."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

SUMMARY = "Show the nodes of a CloudLab experiment as the machines that a run would use."
EXAMPLES = """  hybridnet cloudlab                on a node of the experiment
  hybridnet cloudlab manifest.xml   from elsewhere; `geni-get manifest` prints it on a node
  hybridnet reproduce maxinet --cloudlab --scale paper
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MANIFEST and --json."""
    parser.add_argument(
        "manifest",
        nargs="?",
        metavar="MANIFEST",
        help="file with the experiment's manifest (default: the manifest of the experiment to which this node belongs)",
    )
    parser.add_argument("--json", action="store_true", help="print the machines as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Print them."""
    from hybridnet.machines.workers.cloudlab import machines_of_cloudlab
    from hybridnet.observe.results.console import print_table

    machines = machines_of_cloudlab(arguments.manifest)
    if arguments.json:
        print(json.dumps([asdict(machine) for machine in machines], indent=2))
        return 0
    rows = [(str(m.name), m.target, "" if m.port is None else str(m.port), str(m.address)) for m in machines]
    print_table(("machine", "reached over SSH as", "port", "peering address"), rows)
    return 0
