# SPDX-License-Identifier: MIT
"""Simulated OpenFlow switches under real Ryu apps, with real and simulated hosts, and with Open vSwitch beside them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hybridnet import Net, Ryu, Topo
from hybridnet.simulate.instance.replay import replay
from hybridnet.topologies import TwoTrees

pytestmark = pytest.mark.system


class Mixed(Topo):
    """h1 - s1 - s2 - s3 - h2, of which Open vSwitch is s2; a simulated host at s3."""

    def build(self) -> None:
        for name in ("h1", "h2"):
            self.addHost(name)
        self.addSimHost("web")
        self.addSwitch("s1", kind="simulated", table_size=500)
        self.addSwitch("s2")
        self.addSwitch("s3", kind="simulated")
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


class Kinds(Topo):
    """Each kind of neighbour that a simulated switch can have, at s1: h1, s2, Open vSwitch's s3, v1, r1 and w1."""

    def build(self) -> None:
        for name in ("h1", "h2", "h3", "h4"):
            self.addHost(name)
        for name in ("s1", "s2"):
            self.addSwitch(name, kind="simulated")
        self.addSwitch("s3")
        self.addSimHost("v1")
        self.addSimRouter("r1")
        self.addSimSwitch("w1")
        for other in ("h1", "s2", "s3", "v1", "r1", "w1"):
            self.addLink("s1", other)
        for pair in (("s2", "h2"), ("s3", "h3"), ("w1", "h4")):
            self.addLink(*pair)


WATCHING = """
from ryu.app.simple_switch_13 import SimpleSwitch13
from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls


class Watching(SimpleSwitch13):
    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def note(self, event):
        port = event.msg.desc
        with open("{file}", "a") as seen:
            seen.write(f"{{port.name.decode()}} {{'down' if port.state & 1 else 'up'}}\\n")
"""


def becomes(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether it holds before the time is up."""
    deadline = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds


@pytest.mark.thorough
def test_links_of_simulated_switches_go_down_and_up_whatever_is_at_the_other_end(tmp_path: Path) -> None:
    seen, app = tmp_path / "seen", tmp_path / "watching.py"
    app.write_text(WATCHING.format(file=seen))
    with Net(Kinds(), controller=Ryu("c0", str(app))) as net:
        nodes = {node["name"]: node for node in net.plan.machines["m1"]["instances"][0]["nodes"]}
        address = {
            name: nodes[name]["interfaces"][0]["address"].partition("/")[0] for name in ("v1", "r1")
        } | {host.name: host.IP() for host in net.hosts}
        beyond = {"h1": "h2", "s2": "h2", "s3": "h3", "v1": "v1", "r1": "r1", "w1": "h4"}

        def answered(other: str) -> bool:
            return "1 received" in net["h1"].cmd(f"ping -c 1 -W 1 {address[beyond[other]]}")

        for other in beyond:
            assert becomes(lambda other=other: answered(other)), other
        assert not seen.exists()
        for number, other in enumerate(beyond, 1):
            expected = {f"s1-eth{number}"} | {"s2": {"s2-eth1"}, "s3": {"s3-eth1"}}.get(other, set())
            for status in ("down", "up"):
                seen.write_text("")
                net.configLinkStatus("s1", other, status)
                said = {f"{interface} {status}" for interface in expected}
                assert becomes(lambda said=said: said <= set(seen.read_text().splitlines())), (other, said)
                assert {line.partition(" ")[0] for line in seen.read_text().splitlines()} == expected
                assert becomes(lambda up=status == "up", other=other: answered(other) == up), (other, status)
        net["s1"].intfs[2].ifconfig("down")  # of a switch's port, too, it is the link
        assert not answered("s2")
        assert "LINK_DOWN" in net["s1"].dpctl("dump-ports-desc").partition(" 2(")[2].partition(" 3(")[0]
        net["s1"].intfs[2].ifconfig("up")
        assert becomes(lambda: answered("s2"))


def test_a_port_that_is_taken_down_takes_the_link_down_at_both_ends(tmp_path: Path) -> None:
    seen, app = tmp_path / "seen", tmp_path / "watching.py"
    app.write_text(WATCHING.format(file=seen))
    with Net(Kinds(), controller=Ryu("c0", str(app))) as net:
        h1, s1 = net["h1"], net["s1"]

        def carrier() -> bool:
            return "LOWER_UP" in h1.cmd("ip link show h1-eth0")

        def link_down(switch: str, port: int) -> bool:
            told = net[switch].dpctl("dump-ports-desc").partition(f" {port}(")[2].partition("speed")[0]
            return "LINK_DOWN" in told

        def answered() -> bool:
            return "1 received" in h1.cmd(f"ping -c 1 -W 1 {net['h2'].IP()}")

        assert becomes(answered)
        s1.dpctl("mod-port", "1", "down")  # an emulated host's
        assert becomes(lambda: not carrier())
        assert link_down("s1", 1)
        s1.dpctl("mod-port", "1", "up")
        assert becomes(carrier)
        assert not link_down("s1", 1)
        assert becomes(answered)
        for port, other in ((2, "s2"), (3, "s3")):  # another simulated switch's, and Open vSwitch's
            s1.dpctl("mod-port", str(port), "down")
            assert becomes(lambda other=other: link_down(other, 1)), other
            assert answered() == (other == "s3")
            s1.dpctl("mod-port", str(port), "up")
            assert becomes(lambda other=other: not link_down(other, 1)), other
            assert becomes(answered)
        seen.write_text("")
        h1.cmd("ip link set h1-eth0 down")  # and the host does it
        assert becomes(lambda: "s1-eth1 down" in seen.read_text())
        assert link_down("s1", 1)
        h1.cmd("ip link set h1-eth0 up")
        assert becomes(lambda: "s1-eth1 up" in seen.read_text())
        assert becomes(answered)


def test_a_replay_of_simulated_switches_forwards_as_their_controller_had_it(tmp_path: Path) -> None:
    topo = Topo()
    for name in ("h1", "h2"):
        topo.addHost(name)
        topo.addSwitch(f"s{name}", kind="simulated", dpid=name[1])
        topo.addLink(name, f"s{name}", delay="1ms")
    topo.addLink("sh1", "sh2", delay="1ms")
    with Net(topo, controller=Ryu("c0", "ryu.app.simple_switch_13"), record=str(tmp_path)) as net:
        assert net.pingAll(timeout=5) == 0
        assert "5 received" in net["h1"].cmd(f"ping -c 5 -i 0.05 -W 2 {net['h2'].IP()}")
        net["sh1"].dpctl("add-flow", "priority=9,icmp,nw_tos=32,actions=drop")
        assert "0 received" in net["h1"].cmd(f"ping -c 3 -i 0.05 -W 1 -Q 32 {net['h2'].IP()}")
    report = replay(tmp_path / "m1.pcapng")
    for portal in report.portals:
        assert portal.recorded_frames >= 5
        assert portal.matched_frames == portal.recorded_frames == portal.replayed_frames, portal
