# SPDX-License-Identifier: MIT
"""``hybridnet calibrate``: measure once on each computer what packets cost there, for forecasts."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hybridnet.cli.places import add_place_arguments, places_of
from hybridnet.cli.progress import tell
from hybridnet.observe.results.console import print_table

if TYPE_CHECKING:
    from hybridnet.tools.forecast.costs import Costs

SUMMARY = "Measure what packets cost on each computer, for `hybridnet plan --demand`."
EXAMPLES = """  sudo hybridnet calibrate                      this computer, about four minutes
  sudo hybridnet calibrate --quick              shorter and coarser
  hybridnet calibrate --ssh me@node1,me@node2   each of them, and the connection between them
  hybridnet calibrate --show                    what is known about this computer
  hybridnet calibrate --show --json
"""

MACHINES = ("m1", "m2")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the machines are, --quick, --show and --json."""
    add_place_arguments(parser)
    parser.add_argument("--quick", action="store_true", help="shorter runs, coarser figures")
    parser.add_argument(
        "--show", action="store_true", help="measure nothing; print what is known about this computer"
    )
    parser.add_argument("--json", action="store_true", help="print the costs as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Measure, keep and print."""
    from hybridnet.tools.forecast.cost_files import costs_file, keep_costs
    from hybridnet.tools.forecast.text import COST_COLUMNS, cost_rows

    places = places_of(arguments)
    if arguments.show:
        known = [_of_this_computer()]
    else:
        from hybridnet.tools.calibration import calibrate, networks_on

        if not places.elsewhere and not places.names:
            places = replace(places, names=MACHINES)
        with places.open() as cluster:
            known = calibrate(cluster, networks_on(cluster), quick=arguments.quick, tell=tell)
        for costs in known:
            tell(f"{costs.computer}: kept in {keep_costs(costs)}")
    if arguments.json:
        print(json.dumps([costs.to_json() for costs in known], indent=2))
        return 0
    for costs in known:
        print_table(COST_COLUMNS, cost_rows(costs))
        print(
            f"{costs.computer}: measured {costs.measured_at}{', quickly' * costs.quick}; {costs_file(costs.computer)}"
        )
        print(f"a network without traffic keeps {costs.idle_cores:.2f} processors busy")
    return 0


def _of_this_computer() -> Costs:
    import socket

    from hybridnet.agent.machine.facts import facts
    from hybridnet.tools.forecast.cost_files import facts_of, read_costs

    return read_costs(socket.gethostname(), facts_of(facts()))
