# SPDX-License-Identifier: MIT
"""``hybridnet plan``: show what would be made, and whether it fits, without making it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.cli.network import (
    add_cut_delay_argument,
    add_machines_argument,
    add_network_arguments,
    controllers_of,
    cut_delay_ns,
    machine_names,
    plan_options,
)
from hybridnet.cli.plan_forecast import (
    add_forecast_arguments,
    computers_for,
    demanded_by_experiment,
    machines_on,
    print_forecast,
)
from hybridnet.cli.topology import add_topology_arguments, find_topology, notes_of
from hybridnet.describe.topo import Topo, find_loop, natural
from hybridnet.errors import UsageError
from hybridnet.plan.files import FileTopo, write_topology
from hybridnet.plan.files.yaml_form import schema
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.plan.network.switch_kinds import switches_notes, with_switches
from hybridnet.plan.placement.spread import spread
from hybridnet.run.controllers.kinds import OPENFLOW_PORTS, RemoteController
from hybridnet.run.net.controllers import controller_targets
from hybridnet.tools.forecast import Demand, make_forecast, read_demand

SUMMARY = (
    "Show what each machine would make, whether it fits, and what a demand will keep busy. Needs no root."
)
EXAMPLES = """  hybridnet plan --topo twotrees,depth=6,bw=10000
  hybridnet plan --topo linear,8 --machines 2
  hybridnet plan my_topologies.py --topo mytopo --json
  hybridnet plan my_topologies.py --topo backbone --instances 4   where it would be cut, and how even the parts are
  hybridnet plan --topo fattree,4 --draw fattree.png
  hybridnet plan --topo Abilene.graphml,hosts=2 --draw abilene.yaml
  hybridnet plan lab.clab.yml --draw lab.yaml                     a lab of containerlab in hybridnet's own form
  hybridnet plan --topo twotrees,depth=3 --demand flows.yaml      what these flows will keep busy
  hybridnet plan --experiment maxinet --computers node1,node2
  hybridnet plan --schema > topology.schema.json
"""

HEAD = "198.18.0.254"  # made up, as the machines' addresses are


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py, --topo, how to build it, --draw, --schema and --json."""
    add_topology_arguments(parser)
    parser.add_argument(
        "--draw",
        metavar="FILE",
        help="also write the network to FILE: a picture (.png, .svg, .pdf), a Graphviz file (.dot), or a file that "
        "--topo reads again (.yaml, .graphml), or a class of Topo (.py)",
    )
    parser.add_argument(
        "--schema",
        action="store_true",
        help="print the JSON schema of YAML files for --topo, and nothing else",
    )
    add_forecast_arguments(parser)
    add_machines_argument(parser)
    add_cut_delay_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the whole plan, or forecast, as JSON")
    add_network_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan. It takes the machines to be like this computer, and to share its memory."""
    from hybridnet.agent.machine.facts import facts

    if arguments.schema:
        print(json.dumps(schema(), indent=2))
        return 0
    least_cut_delay_ns = cut_delay_ns(arguments.cut_delay)
    topo, demand = _asked(arguments)
    notes, of_file = notes_of(topo), topo.controllers if isinstance(topo, FileTopo) else None
    if demand is None and arguments.computers is not None:
        raise UsageError("--computers is for a forecast; give --demand or --experiment too")
    controllers = controllers_of(arguments.controller, topo, arguments.controller_arguments)
    names = machine_names(arguments.machines) or _named_machines(topo)
    if arguments.machines is not None and not any(spec.machine for spec in topo.node_specs()):
        topo = spread(topo, names, least_cut_delay_ns=least_cut_delay_ns).topo
    topo = with_switches(topo, arguments.switches)
    here = facts()
    computers = [] if demand is None else computers_for(arguments.computers, names, here)
    machines = machines_on(computers, names) if computers else _like_this(here, names)
    plan = _plan(topo, machines, controllers, **plan_options(arguments))
    plan.notes[:0] = [*notes, *switches_notes(topo, arguments.switches)]
    if demand is not None:
        print_forecast(make_forecast(plan, demand, computers), as_json=arguments.json)
        return 0
    if arguments.draw is not None:
        write_topology(arguments.draw, topo, plan, of_file)
    print(plan.dumps() if arguments.json else plan)
    if not arguments.json and topo.switches():
        for controller in controllers:
            print(f"controller {controller}: {controller.what()}")
    return 0


def plan_of_file(topo: FileTopo) -> Plan:
    """The plan of a file's network on machines like this computer, with the controllers that the file names.

    Raises:
        PlanError, TopologyError, UsageError: it cannot be built.
    """
    from hybridnet.agent.machine.facts import facts

    return _plan(topo, _like_this(facts(), _named_machines(topo)), controllers_of(None, topo))


def _plan(
    topo: Topo, machines: Sequence[MachineSpec], controllers: Sequence[RemoteController], **options: Any
) -> Plan:
    for controller in controllers:
        controller.suit(find_loop(topo))
        controller.port = controller.port or OPENFLOW_PORTS[0]  # the run takes a free one
    targets = controller_targets(controllers, dict.fromkeys((each.name for each in machines), HEAD))
    chosen = PlanOptions(token="0" * 16, peering_key="0" * 64, controllers=targets, **options)
    return make_plan(topo, machines, chosen)


def _asked(arguments: argparse.Namespace) -> tuple[Topo, Demand | None]:
    """The network, and the demand of a forecast, if one is asked for."""
    if arguments.experiment is None:
        topo = find_topology(arguments.file, arguments.topo)
        return topo, None if arguments.demand is None else read_demand(arguments.demand)
    if arguments.file is not None or arguments.topo is not None:
        raise UsageError(
            f"--experiment {arguments.experiment}: it has its own network; leave FILE.py and --topo out"
        )
    return demanded_by_experiment(arguments.experiment)


def _like_this(here: Mapping[str, Any], names: Sequence[str]) -> list[MachineSpec]:
    """So many machines on this computer, which share its memory and its processors."""
    each = len(here["cpus"]) // len(names)
    return [
        MachineSpec(
            name,
            f"198.18.0.{number}",
            kernel_datapath=here["kernel_datapath"],
            afxdp=here["afxdp"],
            memory_bytes=here["memory_available_bytes"] // len(names),
            processors=here["cpus"][(number - 1) * each : number * each],
        )
        for number, name in enumerate(names, start=1)
    ]


def _named_machines(topo: Topo) -> list[str]:
    named = {str(spec.options["machine"]) for spec in topo.node_specs() if spec.options.get("machine")}
    return sorted(named, key=natural) or ["m1"]
