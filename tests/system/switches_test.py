# SPDX-License-Identifier: MIT
"""Switches with options: spanning trees, passive connections, several controllers, large frames, Linux bridges."""

from __future__ import annotations

import os
import signal

import pytest

from hybridnet import LinuxBridge, Net, Ryu, Topo
from tests.system.live import rtts_ms, wait_until

pytestmark = pytest.mark.system

EVERY_VERSION = ",".join(f"OpenFlow1{minor}" for minor in range(6))


def test_options_of_open_vswitch_and_large_frames() -> None:
    topo = Topo()
    topo.addSwitch("s1", failMode="standalone", listenPort=6701, protocols=EVERY_VERSION, reconnectms=3000)
    topo.addSwitch(
        "s2", failMode="standalone", stp="rstp", prio=8192, listenPort=6702, inband=True, datapath="user"
    )
    for name in ("h1", "h2", "h3"):
        topo.addHost(name)
    topo.addLink("h1", "s1", mtu=9000)
    topo.addLink("h2", "s1", mtu=9000, delay="2ms")
    topo.addLink("h3", "s2", mtu=9000)
    with Net(topo, controller=None) as net:
        s1, s2, h1, h2 = net.get("s1", "s2", "h1", "h2")
        for version in EVERY_VERSION.split(","):
            said = s1.cmd(f"ovs-ofctl -O {version} show tcp:127.0.0.1:6701")
            assert "dpid:0000000000000001" in said, said
        assert "6701" not in h1.cmd("ss -tln")  # the loopback is the machine's
        assert s1.cmd("ovs-vsctl get controller s1 max_backoff").strip() == "3000"
        assert s2.cmd("ovs-vsctl get bridge s2 rstp_enable other_config:rstp-priority").split() == [
            "true",
            '"8192"',
        ]
        assert s2.cmd("ovs-vsctl get bridge s2 other_config:disable-in-band").strip() == '"false"'
        answer = h1.cmd("ping -c 2 -i 0.2 -M do -s 8972", h2.IP())  # with 28 bytes of headers 9000
        assert "2 received" in answer
        least_ms = float(answer.split("= ")[-1].split("/")[0])
        assert least_ms >= 4.0  # the link's delay, there and back
        assert "0 received" in h1.cmd("ping -c 1 -W 1 -M do -s 8973", h2.IP())


def test_when_the_first_controller_is_killed_the_second_takes_new_flows() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    for number in (1, 2, 3):
        topo.addLink(topo.addHost(f"h{number}"), "s1")
    app = "ryu.app.simple_switch_13"  # it sets up each flow when the first packet comes
    with Net(topo, controller=[Ryu("c0", app), Ryu("c1", app)]) as net:
        s1, first = net["s1"], net.controllers[0]
        assert len(s1.cmd("ovs-vsctl get bridge s1 controller").split(",")) == 2
        assert rtts_ms(net, "h1", "10.0.0.2", 1)
        assert isinstance(first, Ryu)
        assert first.process is not None
        assert first.process.pid is not None
        os.kill(first.process.pid, signal.SIGKILL)
        before = s1.dpctl("dump-flows").count("actions=")
        assert rtts_ms(net, "h1", "10.0.0.3", 1)
        assert rtts_ms(net, "h2", "10.0.0.3", 1)
        assert s1.dpctl("dump-flows").count("actions=") > before
        assert s1.connected()


def test_linux_bridges_in_a_loop_settle_by_the_spanning_tree_protocol() -> None:
    topo = Topo()
    for number in (1, 2, 3):
        topo.addSwitch(f"b{number}", cls=LinuxBridge, stp=True, prio=number)
        topo.addLink(topo.addHost(f"h{number}"), f"b{number}")
    for a, b in (("b1", "b2"), ("b2", "b3"), ("b3", "b1")):
        topo.addLink(a, b)
    with Net(topo, controller=None) as net:
        bridges = net.get("b1", "b2", "b3")
        assert not bridges[0].connected()
        for bridge in bridges:  # 2 s, the least, instead of the usual 15
            bridge.cmd(
                f"ip link set {bridge} down; ip link set {bridge} type bridge forward_delay 200 hello_time 100"
            )
            bridge.cmd(f"ip link set {bridge} up")
        look = "ip -d -o link show type veth | grep -qE"
        wait = f"until {look} 'state blocking' && ! {look} 'state (listening|learning)'; do sleep 0.1; done"
        bridges[0].cmd(wait, timeout=20)
        assert all(bridge.connected() for bridge in bridges)
        assert net.pingAll(timeout=5) == 0
        states = (
            bridges[0]
            .cmd("ip -d -o link show type veth | grep -oE 'state (forwarding|blocking)'")
            .split("\n")
        )
        assert sorted(states) == ["", "state blocking", *["state forwarding"] * 8]


def test_rstp_keeps_a_loop_of_switches_from_looping() -> None:
    """Until a port is forwarding, IEEE 802.1D-2004 lets two bridges agree within a few messages; three hello times are
    what a port waits that hears nobody (17.19.18), and its forward delay, 15 s, twice, is the most.
    """
    topo = Topo()
    for name in ("1", "2", "3"):
        topo.addSwitch("s" + name, failMode="standalone", stp="rstp")
        topo.addLink(topo.addHost("h" + name), "s" + name)
    for one, other in (("s1", "s2"), ("s2", "s3"), ("s3", "s1")):
        topo.addLink(one, other)
    with Net(topo, controller=None) as net:
        h1, s1 = net["h1"], net["s1"]
        wait_until(lambda: " 0% packet loss" in h1.cmd(f"ping -c 1 -W 1 {net['h3'].IP()}"), 40)
        ports = [s1.cmd(f"ovs-appctl rstp/show {name}") for name in ("s1", "s2", "s3")]
        assert sum(text.count("Discarding") for text in ports) == 1, ports  # of one link, one end
        assert (
            h1.cmd(f"ping -c 3 -i 0.2 {net['h2'].IP()}").count("icmp_seq") == 3
        )  # once each: nothing circles
