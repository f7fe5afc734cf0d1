# SPDX-License-Identifier: MIT
"""Links between switches that are patches of Open vSwitch, as controllers and groups see them go down."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from hybridnet import Net, Topo
from hybridnet.agent.switching.patches import REFRESHED_SECONDS
from tests.system.live import rtts_ms

pytestmark = pytest.mark.system

PINGS = 5


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    """h1 - s1 - s2 - h2, with a way round by s3 for what comes from h1."""
    topo = Topo()
    for name in ("s1", "s2", "s3"):
        topo.addSwitch(name)
    for switch, other in (("s1", "h1"), ("s2", "h2"), ("s1", "s2"), ("s1", "s3"), ("s3", "s2")):
        if other.startswith("h"):
            topo.addHost(other)
        topo.addLink(switch, other)
    with Net(topo, controller=None) as running:
        s1, s2, s3 = running.get("s1", "s2", "s3")
        s1.dpctl("add-group", "group_id=1,type=ff,bucket=watch_port:2,output:2,bucket=watch_port:3,output:3")
        s1.dpctl("add-flow", "in_port=1,actions=group:1")
        s1.dpctl("add-flow", "priority=1,actions=output:1")
        s2.dpctl("add-group", "group_id=1,type=ff,bucket=watch_port:2,output:2,bucket=watch_port:3,output:3")
        s2.dpctl("add-flow", "in_port=1,actions=group:1")
        s2.dpctl("add-flow", "priority=1,actions=output:1")
        s3.dpctl("add-flow", "in_port=1,actions=output:2")
        s3.dpctl("add-flow", "in_port=2,actions=output:1")
        yield running


def description(net: Net, switch: str, number: int) -> str:
    """What a switch says of the state of one of its ports."""
    said = net[switch].execute(["ovs-ofctl", "-O", "OpenFlow13", "dump-ports-desc", switch])
    return said.partition(f" {number}(")[2].partition("speed")[0]


def received(net: Net, switch: str, number: int) -> int:
    """Packets that came in at a port since it is there, as the switch says."""
    for _ in range(
        2
    ):  # Open vSwitch counts when it looks through its flows; the first look may have begun before
        net[switch].execute(["ovs-appctl", "revalidator/wait"])
    said = net[switch].execute(["ovs-ofctl", "-O", "OpenFlow13", "dump-ports", switch, str(number)])
    [packets] = re.findall(r"rx pkts=(\d+)", said)
    return int(packets)


def sent_from_s1_to_s2(net: Net) -> int:
    """Packets, as those are told who watch the network."""
    [wire] = [
        wire for wire in net.cluster.call("m1", "look", known={})["wires"] if wire[:2] == ("s1", "s1-eth2")
    ]
    return int(wire[2])


def test_a_fast_failover_group_passes_by_a_link_that_is_down(net: Net) -> None:
    assert len(rtts_ms(net, "h1", "10.0.0.2", PINGS)) == PINGS
    net.configLinkStatus("s1", "s2", "down")
    assert len(rtts_ms(net, "h1", "10.0.0.2", PINGS)) == PINGS
    assert received(net, "s3", 1) >= PINGS
    net.configLinkStatus("s1", "s2", "up")
    before = received(net, "s3", 1)
    assert len(rtts_ms(net, "h1", "10.0.0.2", PINGS)) == PINGS
    assert received(net, "s3", 1) == before


def test_a_switch_says_that_the_link_of_its_port_is_down(net: Net) -> None:
    net.configLinkStatus("s1", "s2", "down")
    for switch in ("s1", "s2"):
        said = description(net, switch, 2)
        assert "PORT_DOWN" in said
        assert "LINK_DOWN" in said
    net.configLinkStatus("s1", "s2", "down")  # once more is no change
    net.configLinkStatus("s1", "s2", "up")
    for switch in ("s1", "s2"):
        said = description(net, switch, 2)
        assert "DOWN" not in said
        assert "LIVE" in said


def test_a_port_counts_on_when_its_link_is_back(net: Net) -> None:
    rtts_ms(net, "h1", "10.0.0.2", PINGS)
    time.sleep(2 * REFRESHED_SECONDS)  # Open vSwitch brings its counters up to date
    before = sent_from_s1_to_s2(net)
    assert before >= PINGS
    net.configLinkStatus("s1", "s2", "down")
    net.configLinkStatus("s1", "s2", "up")
    assert sent_from_s1_to_s2(net) >= before


def test_nothing_is_left_of_a_port_that_is_removed_while_its_link_is_down(net: Net) -> None:
    net.configLinkStatus("s1", "s3", "down")
    assert net["s1"].execute(["ip", "-o", "link", "show", "s1-eth3"])
    net.delLink("s1", "s3")
    assert "s1-eth3" not in net["s1"].execute(["ip", "-o", "link"])
