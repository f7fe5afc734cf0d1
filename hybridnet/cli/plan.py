# SPDX-License-Identifier: MIT
"""``hybridnet plan``: show what would be made, and whether it fits, without making it."""

from __future__ import annotations

import argparse

from hybridnet.cli.network import add_machines_argument, add_network_arguments, machine_names, plan_options
from hybridnet.cli.topology import add_topology_arguments, find_topology
from hybridnet.plan import MachineSpec, PlanOptions, make_plan
from hybridnet.plan.spread import spread
from hybridnet.topo import Topo, natural

SUMMARY = "Show what each machine would make, and whether it fits. Needs no root."
EXAMPLES = """  hybridnet plan --topo twotrees,depth=6,bw=10000
  hybridnet plan --topo linear,8 --machines 2
  hybridnet plan my_topologies.py --topo mytopo --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py, --topo, how to build it, and --json."""
    add_topology_arguments(parser)
    add_machines_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the whole plan as JSON")
    add_network_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan. It takes the machines to be like this computer, and to share its memory."""
    from hybridnet.agent.facts import facts

    topo = find_topology(arguments.file, arguments.topo)
    names = machine_names(arguments.machines) or _named_machines(topo)
    if arguments.machines is not None and not any(spec.machine for spec in topo.node_specs()):
        topo = spread(topo, names).topo
    here = facts()
    machines = [
        MachineSpec(
            name,
            f"198.18.0.{number}",
            kernel_datapath=here["kernel_datapath"],
            memory_bytes=here["memory_available_bytes"] // len(names),
        )
        for number, name in enumerate(names, start=1)
    ]
    plan = make_plan(topo, machines, PlanOptions(token="0" * 16, **plan_options(arguments)))
    print(plan.dumps() if arguments.json else plan)
    return 0


def _named_machines(topo: Topo) -> list[str]:
    named = {str(spec.options["machine"]) for spec in topo.node_specs() if spec.options.get("machine")}
    return sorted(named, key=natural) or ["m1"]
