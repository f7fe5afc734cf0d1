# SPDX-License-Identifier: MIT
"""What a machine plan says of a switch, and the options that contradict each other."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError, TopologyError
from hybridnet.plan.network import MachineSpec
from tests.hybridnet.plan.support import plan

USUAL = {"name", "dpid", "protocols", "fail_mode", "controllers", "ports"}


def one(**options: Any) -> dict[str, Any]:
    """The plan of a switch with these options."""
    topo = Topo()
    topo.addSwitch("s1", **options)
    return plan(topo).switch("s1")


def test_a_plan_says_only_what_is_asked() -> None:
    assert set(one()) == USUAL
    assert set(one(stp=False, inband=False, listenPort=None)) == USUAL


def test_that_switches_are_made_in_bulk_is_no_option_of_theirs() -> None:
    with pytest.raises(TopologyError, match="option 'batch' is not supported; leave it out"):
        one(batch=True)


def test_options_of_open_vswitch_are_in_the_plan() -> None:
    asked = one(stp="rstp", prio=4096, listenPort=6634, inband=True, reconnectms=2000)
    assert {key: asked[key] for key in set(asked) - USUAL} == {
        "spanning_tree": "rstp", "priority": 4096, "listen_port": 6634, "in_band": True, "reconnect_ms": 2000,
    }  # fmt: skip
    assert one(stp=True)["spanning_tree"] == "stp"


def test_a_linux_bridge_has_a_list_of_its_own_and_needs_no_dpid() -> None:
    topo = Topo()
    topo.addSwitch("left", kind="linux", stp=True, prio=7)
    topo.addLink(topo.addHost("h1"), "left")
    made = plan(topo)
    assert made.machines["m1"]["switches"] == []
    assert made.switch("left") == {
        "kind": "linux", "name": "left", "ports": ["left-eth1"], "options": {"stp": "stp", "prio": 7},
    }  # fmt: skip
    assert "left: linux, 1 port, stp='stp', prio=7" in str(made)


@pytest.mark.parametrize(
    "options", [{"protocols": "OpenFlow13"}, {"dpid": "1"}, {"listenPort": 6634}, {"stp": "rstp"}]
)
def test_what_only_open_vswitch_has_is_refused_for_a_linux_bridge(options: dict[str, Any]) -> None:
    with pytest.raises(TopologyError, match="a Linux bridge has no"):
        one(kind="linux", **options)


def test_the_datapath_decides_the_port_type() -> None:
    machine = [MachineSpec("m1", "198.18.0.1", kernel_datapath=True)]

    def port_type(*datapaths: str | None, **options: Any) -> str:
        topo = Topo()
        for number, datapath in enumerate(datapaths, start=1):
            topo.addSwitch(f"s{number}", datapath=datapath)
        return str(plan(topo, machine, **options).machines["m1"]["port_type"])

    assert port_type(None) == "system"
    assert port_type("user") == port_type("user", None) == "afpacket"
    assert port_type(*["user"] * 9) == "afxdp"
    with pytest.raises(PlanError, match="s1 asks for datapath='kernel' and s2 for 'user'"):
        port_type("kernel", "user")
    with pytest.raises(PlanError, match="datapath='user' contradicts port_type='system'"):
        port_type("user", port_type="system")


def test_af_xdp_ports_are_not_chosen_for_large_frames() -> None:
    topo = Topo()
    for number in range(1, 10):
        topo.addSwitch(f"s{number}")
    topo.addLink("s1", topo.addHost("h1"), mtu=9000)
    assert plan(topo).machines["m1"]["port_type"] == "afpacket"
    with pytest.raises(PlanError, match="AF_XDP ports take no MTU of 9000"):
        plan(topo, port_type="afxdp")
