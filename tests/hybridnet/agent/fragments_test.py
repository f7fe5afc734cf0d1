# SPDX-License-Identifier: MIT
"""The machine plan that an agent keeps, after changes of a running network."""

from __future__ import annotations

from typing import Any

from hybridnet.agent.fragments import changed
from hybridnet.describe.topo import Topo
from hybridnet.plan.network import Plan, PlanOptions, make_plan
from hybridnet.plan.network.difference import difference
from hybridnet.plan.network.pinning import pins_of
from tests.hybridnet.plan.support import MACHINES, TOKEN, plan


def routed() -> Topo:
    topo = Topo()
    topo.addHost("h1", machine="m1")
    topo.addSimRouter("r1")
    topo.addSimHost("far", machine="m2")
    topo.addLink("h1", "r1", bw=100)
    topo.addLink("r1", "far", delay="5ms")
    return topo


def after_change(topo: Topo, before: Plan, removed: set[str]) -> Plan:
    return make_plan(topo, MACHINES, PlanOptions(token=TOKEN), pins_of(before, removed))


def kept(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The instances of a machine plan, in no order."""
    return [
        {
            key: sorted(value, key=lambda item: item["name"])
            if key in ("nodes", "emulation_portals", "peers", "links")
            else value
            for key, value in instance.items()
        }
        for instance in plan["instances"]
    ]


def test_an_agent_keeps_what_its_instances_simulate_now() -> None:
    topo = routed()
    first = plan(topo)
    topo.addSimHost("near")
    topo.addLink("near", "r1", delay="1ms")
    second = after_change(topo, first, set())
    topo.delNode("near")
    topo.addSimRouter("r2")
    topo.addLink("r1", "r2", delay="1ms")
    third = after_change(topo, second, {"near-r1"})
    for old, new in ((first, second), (second, third)):
        for machine, change in difference(old, new).items():
            assert kept(changed(old.machines[machine], change.remove, change.add)) == kept(
                new.machines[machine]
            )


def test_an_agent_keeps_instances_that_come_and_forgets_those_that_leave() -> None:
    topo = Topo()
    topo.addSimRouter("r1", instance=1)
    one = plan(topo)
    topo.addSimRouter("r2", instance=2)
    topo.addLink("r1", "r2", delay="1ms")
    two = after_change(topo, one, set())
    change = difference(one, two)["m1"]
    assert kept(changed(one.machines["m1"], change.remove, change.add)) == kept(two.machines["m1"])
    back = change.reverse()
    assert kept(changed(two.machines["m1"], back.remove, back.add)) == kept(one.machines["m1"])
