# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.plan.network.route_changes import interface_toward, rerouted

NODE = {
    "name": "r1",
    "interfaces": [
        {"name": "r1-eth1", "address": "10.1.0.1/16"},
        {"name": "r1-eth2", "address": "100.64.0.1/30", "address6": "fd00:1::1/64"},
    ],
}


def planned(*down: str) -> Plan:
    """a ─ r1 ─ r2 ─ b, with a detour over r3."""
    topo = Topo()
    for router in ("r1", "r2", "r3"):
        topo.addSimRouter(router)
    for host, router in (("a", "r1"), ("b", "r2")):
        topo.addSimHost(host)
        topo.addLink(host, router)
    for one, other, delay in (("r1", "r2", "1ms"), ("r1", "r3", "5ms"), ("r3", "r2", "5ms")):
        topo.addLink(one, other, delay=delay)
    return make_plan(topo, [MachineSpec("m1", "198.18.0.1")], PlanOptions(token="0" * 16), down=down)


def test_routes_avoid_links_that_are_down() -> None:
    routes = rerouted(planned(), planned("r1-r2"))["m1"]
    assert {route["interface"] for route in routes["r1"]} == {"r1-eth3"}
    assert {route["interface"] for route in routes["r2"]} == {"r2-eth3"}
    usual = rerouted(planned(), planned())["m1"]
    assert "r1-eth2" in {route["interface"] for route in usual["r1"]}
    assert routes["a"] == usual["a"]  # its gateway is where it was


def test_without_another_way_there_is_no_route() -> None:
    routes = rerouted(planned(), planned("r1-r2", "r1-r3"))["m1"]
    assert routes["r1"] == []


def test_the_interface_of_a_route_is_the_one_on_whose_link_its_router_is() -> None:
    assert interface_toward(NODE, "10.1.9.9") == "r1-eth1"
    assert interface_toward(NODE, "100.64.0.2") == "r1-eth2"
    assert interface_toward(NODE, "fd00:1::9") == "r1-eth2"
    with pytest.raises(PlanError, match="none of its interfaces"):
        interface_toward(NODE, "10.2.0.1")
    with pytest.raises(PlanError, match="is not an address"):
        interface_toward(NODE, "r2")
