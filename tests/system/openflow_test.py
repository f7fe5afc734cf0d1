# SPDX-License-Identifier: MIT
"""Simulated OpenFlow switches under real Ryu apps, with real and simulated hosts, and with Open vSwitch beside them."""

from __future__ import annotations

import re

import pytest

from hybridnet import Net, Ryu, Topo
from hybridnet.topologies import TwoTrees

pytestmark = pytest.mark.system


class Mixed(Topo):
    """h1 - s1 - s2 - s3 - h2, of which Open vSwitch is s2; a simulated host at s3."""

    def build(self) -> None:
        for name in ("h1", "h2"):
            self.addHost(name)
        self.addSimHost("web")
        self.addSwitch("s1", datapath="simulated", table_size=500)
        self.addSwitch("s2")
        self.addSwitch("s3", datapath="simulated")
        for pair in (("h1", "s1"), ("s1", "s2"), ("s2", "s3"), ("s3", "h2"), ("s3", "web")):
            self.addLink(*pair)


def web_address(net: Net) -> str:
    nodes = {node["name"]: node for node in net.plan.machines["m1"]["instances"][0]["nodes"]}
    return nodes["web"]["interfaces"][0]["address"].partition("/")[0]


def rows(net: Net) -> dict[str, dict]:
    return {row["name"]: row for row in net.snapshot()["m1"]["nodes"]}


def test_simulated_and_emulated_switches_forward_under_one_unmodified_ryu_app() -> None:
    with Net(Mixed(), controller=Ryu("c0", "ryu.app.simple_switch_13")) as net:
        assert net.pingAll(timeout=5) == 0
        assert "1 received" in net["h1"].cmd("ping -c 1 -W 2 " + web_address(net))
        flows = net["s1"].dpctl("dump-flows")
        assert "actions=CONTROLLER:65535" in flows
        assert re.search(r"dl_dst=[0-9a-f:]{17} actions=output:", flows)
        assert "s1-eth2" in net["s1"].dpctl("show")
        net["s1"].dpctl("add-flow", "priority=7,dl_type=0x800,nw_dst=10.9.9.9,actions=drop")
        assert "nw_dst=10.9.9.9" in net["s1"].dpctl("dump-flows")
        row = rows(net)["s1"]
        assert row["connected"] == 1
        assert row["packet_ins"] > 0
        assert net["s1"].connected()
        assert net["s3"].connected()


def test_two_trees_of_simulated_switches_learn() -> None:
    topo = TwoTrees(depth=2, fanout=2)
    with Net(topo, switches="simulated", controller=Ryu("c0", "tree_switch")) as net:
        assert net.pingAll(timeout=5) == 0
        assert all(row["connected"] == 1 for name, row in rows(net).items() if name.startswith("s"))
