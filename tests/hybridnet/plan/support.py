# SPDX-License-Identifier: MIT
"""What the tests of the plan share: two machines, a plan of a topology, and the schemas."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.schema.check import check
from hybridnet.describe.topo import Topo
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan

MACHINES = [MachineSpec("m1", "198.18.0.1"), MachineSpec("m2", "198.18.0.2")]
TOKEN = "00112233445566ff"


def plan(topo: Topo, machines: list[MachineSpec] | None = None, **options: Any) -> Plan:
    """The plan of `topo`, each machine plan checked against the schema."""
    made = make_plan(topo, machines or MACHINES, PlanOptions(token=TOKEN, **options))
    for machine in made.machines.values():
        check(machine, "machine", "machine plan")
    return made


def addresses(made: Plan) -> dict[str, str]:
    """The address of every host and router interface that has one, by its name."""
    found = {}
    for machine in made.machines.values():
        for host in machine["hosts"]:
            found.update({i["name"]: a for i in host["interfaces"] for a in i["addresses"]})
        for node in (node for instance in machine["instances"] for node in instance["nodes"]):
            found.update({i["name"]: i["address"] for i in node["interfaces"] if "address" in i})
    return found


def routes(made: Plan, machine: str, node: str) -> list[tuple[str, str | None]]:
    """(prefix, via) of a simulated node's routes."""
    nodes = made.machines[machine]["instances"][0]["nodes"]
    return [(r["prefix"], r["via"]) for n in nodes if n["name"] == node for r in n["routes"]]
