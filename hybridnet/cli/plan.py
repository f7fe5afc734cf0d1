# SPDX-License-Identifier: MIT
"""``hybridnet plan``: show what would be made, and whether it fits, without making it."""

from __future__ import annotations

import argparse

from hybridnet.cli.network import add_network_arguments, plan_options
from hybridnet.cli.topology import add_topology_arguments, find_topology
from hybridnet.errors import UsageError
from hybridnet.plan import MachineSpec, PlanOptions, make_plan
from hybridnet.topo import Topo, natural

SUMMARY = "Show what each machine would make, and whether it fits. Needs no root."
EXAMPLES = """  hybridnet plan --topo twotrees,depth=6,bw=10000
  hybridnet plan my_topologies.py --topo mytopo --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py, --topo, how to build it, and --json."""
    add_topology_arguments(parser)
    parser.add_argument(
        "--machines", metavar="NAME,NAME", help="default: the machines that the topology names, else m1"
    )
    parser.add_argument("--json", action="store_true", help="print the whole plan as JSON")
    add_network_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan. It takes the machines to be like this computer, and to share its memory."""
    from hybridnet.agent.facts import facts

    topo = find_topology(arguments.file, arguments.topo)
    names = _names(arguments.machines) if arguments.machines is not None else _named_machines(topo)
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


def _names(text: str) -> list[str]:
    names = text.split(",")
    if not all(names):
        raise UsageError(f"--machines {text!r}: a name is empty; write for example --machines m1,m2")
    return names


def _named_machines(topo: Topo) -> list[str]:
    named = {str(spec.options["machine"]) for spec in topo.node_specs() if spec.options.get("machine")}
    return sorted(named, key=natural) or ["m1"]
