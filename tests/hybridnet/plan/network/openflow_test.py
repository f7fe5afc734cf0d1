# SPDX-License-Identifier: MIT
"""Simulated OpenFlow switches in plans."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet import PlanError, Topo
from hybridnet.describe.schema.check import check
from hybridnet.errors import TopologyError
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan

MACHINE = MachineSpec("m1", "198.18.0.1")


def plan_of(controllers: tuple[str, ...] = ("tcp:198.18.0.254:6653",), **options: Any) -> Plan:
    topo = Topo()
    for name in ("h1", "h2"):
        topo.addHost(name)
    topo.addSwitch("s1", kind="simulated", **options)
    topo.addSwitch("s2")
    for pair in (("h1", "s1"), ("s1", "s2"), ("s2", "h2")):
        topo.addLink(*pair)
    told = {"m1": list(controllers)}
    return make_plan(topo, [MACHINE], PlanOptions(token="0" * 16, controllers=told))


def node(plan: Plan) -> dict[str, Any]:
    return plan.machines["m1"]["instances"][0]["nodes"][0]


def test_a_simulated_switch_is_a_node_of_the_instance_with_its_controllers() -> None:
    plan = plan_of()
    made = node(plan)
    check(plan.machines["m1"], "machine", "plan")
    assert made["kind"] == "openflow"
    assert made["openflow"] == {
        "dpid": "0000000000000001",
        "protocols": ["OpenFlow13"],
        "fail_mode": "secure",
        "controllers": ["tcp:198.18.0.254:6653"],
        "listens": ["unix:/run/openvswitch/s1.mgmt"],
    }
    assert made["interfaces"][0] == {"name": "s1-eth1", "number": 1, "mac": "02:00:00:01:00:01"}
    assert [switch["name"] for switch in plan.machines["m1"]["switches"]] == ["s2"]


def test_its_links_to_emulated_nodes_are_simulated_with_a_portal_at_these() -> None:
    links = {link.name: link for link in plan_of().links}
    assert (links["h1-s1"].kind, links["h1-s1"].portals) == ("simulated", ("h1-eth0",))
    assert (links["s1-s2"].kind, links["s1-s2"].portals) == ("simulated", ("s2-eth1",))
    assert links["s2-h2"].kind == "veth"


def test_options_of_hardware_are_in_the_plan() -> None:
    made = node(
        plan_of(table_size=100, setup_rate=50, processing_delay="5us", reconnectms=2000, listenPort=6700)
    )
    assert made["processing_delay_ns"] == 5000
    assert made["openflow"]["table_size"] == 100
    assert made["openflow"]["setup_rate"] == 50
    assert made["openflow"]["longest_retry_ns"] == 2_000_000_000
    assert made["openflow"]["listens"][1] == "tcp:127.0.0.1:6700"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"protocols": "OpenFlow14"}, "does not speak OpenFlow14"),
        ({"stp": True}, "has no stp"),
        ({"inband": True}, "has no inband"),
    ],
)
def test_what_only_open_vswitch_has_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises((PlanError, TopologyError), match=says):
        plan_of(**options)


def test_controllers_are_reached_by_tcp() -> None:
    with pytest.raises(PlanError, match="by TCP"):
        plan_of(controllers=("ssl:198.18.0.254:6653",))


def test_an_emulated_switch_has_no_table_size() -> None:
    topo = Topo()
    topo.addSwitch("s1", table_size=5)
    with pytest.raises(TopologyError, match="only a simulated switch has table_size"):
        make_plan(topo, [MACHINE], PlanOptions(token="0" * 16))


def test_a_table_of_no_flows_is_refused_as_it_is_written() -> None:
    with pytest.raises(TopologyError, match="table_size"):
        Topo().addSwitch("s1", kind="simulated", table_size=0)
