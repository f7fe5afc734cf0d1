# SPDX-License-Identifier: MIT
"""What a plan says of hosts in a chain."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.plan.network import MachineSpec, PlanOptions, make_plan


def notes(**params: Any) -> list[str]:
    topo = Topo()
    for name in ("h1", "h2", "h3"):
        topo.addHost(name)
    topo.addLink("h1", "h2")
    topo.addLink("h2", "h3", **params)
    made = make_plan(topo, [MachineSpec("m1", "198.18.0.1")], PlanOptions(token="0" * 16))
    return [note for note in made.notes if note.startswith("host")]


def test_a_host_between_two_hosts_is_no_switch_and_the_plan_says_so() -> None:
    [note] = notes()
    assert note.startswith(
        "host h2 forwards nothing between its links, and h2-eth1 has no address; put a switch"
    )


def test_a_host_whose_interfaces_all_have_addresses_is_a_router_of_the_script_s() -> None:
    assert notes(params1={"ip": "10.1.0.1/24"}, params2={"ip": "10.1.0.2/24"}) == []
