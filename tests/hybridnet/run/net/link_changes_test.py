# SPDX-License-Identifier: MIT
"""Links that are set down and up: who is told depends on which of their ends a machine has, and which are simulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import MachineError, TopologyError
from tests.hybridnet.run.net.support import FakeCluster

Told = list[tuple[str, str]]


def topo() -> Topo:
    """Every kind of node at an OpenFlow switch that is simulated, s1; two hosts with a simulated link; and a wire."""
    made = Topo()
    for name in ("h1", "h2", "h3"):
        made.addHost(name)
    made.addSwitch("s1", kind="simulated")
    made.addSwitch("s2", kind="simulated")
    made.addSwitch("s3")
    made.addSimHost("v1")
    made.addSimRouter("r1")
    made.addSimSwitch("w1")
    for other in ("h1", "s2", "s3", "v1", "r1", "w1"):
        made.addLink("s1", other)
    made.addLink("h2", "h3", delay="1ms")
    made.addLink("h3", "s3")
    made.addLink("h2", "r1")
    return made


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


@pytest.fixture
def net(cluster: FakeCluster) -> Iterator[Net]:
    with Net(topo(), controller=None, cluster=cluster) as running:  # type: ignore[arg-type]
        cluster.calls.clear()
        yield running


def told(cluster: FakeCluster) -> Told:
    """What was set, in order: interfaces of machines, and links of instances."""
    found = [
        (
            verb if verb != "set_link" else f"link {'up' if given['up'] else 'down'}",
            given.get("interface", given.get("link")),
        )
        for _, verb, given in cluster.calls
        if verb in ("set_link", "link_up", "link_down")
    ]
    cluster.calls.clear()
    return found


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (("s1", "s2"), [("link {}", "s1-s2")]),
        (("s1", "v1"), [("link {}", "s1-v1")]),
        (("s1", "r1"), [("link {}", "s1-r1")]),
        (("s1", "w1"), [("link {}", "s1-w1")]),
        (("s1", "h1"), [("link {}", "s1-h1"), ("link_{}", "h1-eth0")]),
        (("s1", "s3"), [("link {}", "s1-s3"), ("link_{}", "s3-eth1")]),
        (("h2", "r1"), [("link {}", "h2-r1"), ("link_{}", "h2-eth1")]),
        (("h2", "h3"), [("link {}", "h2-h3"), ("link_{}", "h2-eth0"), ("link_{}", "h3-eth0")]),
        (("h3", "s3"), [("link_{}", "h3-eth1"), ("link_{}", "s3-eth2")]),
    ],
)
def test_instances_are_told_of_the_link_and_machines_of_their_interfaces(
    net: Net, cluster: FakeCluster, ends: tuple[str, str], expected: Told
) -> None:
    for status in ("down", "up"):
        net.configLinkStatus(*ends, status)
        assert told(cluster) == [(verb.format(status), name) for verb, name in expected]


def test_switches_that_the_network_simulates_have_no_interfaces_on_the_machine(cluster: FakeCluster) -> None:
    described = Topo()
    described.addHost("h1")
    described.addSwitch("s1")
    described.addLink("h1", "s1")
    with Net(described, controller=None, cluster=cluster, switches="simulated") as net:  # type: ignore[arg-type]
        cluster.calls.clear()
        net.configLinkStatus("h1", "s1", "down")
        assert told(cluster) == [("link down", "h1-s1"), ("link_down", "h1-eth0")]
        assert net.plan is not None
        assert net.plan.simulated == {"s1"}


def test_what_was_done_is_taken_back_where_a_machine_refuses(net: Net, cluster: FakeCluster) -> None:
    def refuse(**_: Any) -> None:
        raise MachineError("machine m1: node h1: interface h1-eth0 cannot be set down")

    cluster.answers["link_down"] = refuse
    with pytest.raises(MachineError, match="h1-eth0 cannot be set down"):
        net.configLinkStatus("h1", "s1", "down")
    assert told(cluster) == [
        ("link down", "s1-h1"),
        ("link_down", "h1-eth0"),
        ("link up", "s1-h1"),
        ("link_up", "h1-eth0"),
    ]
    del cluster.answers["link_down"]
    net.configLinkStatus("s1", "s2", "down")
    assert told(cluster) == [("link down", "s1-s2")]


def test_a_plain_link_that_is_down_stays_down_when_it_is_given_a_delay(
    net: Net, cluster: FakeCluster
) -> None:
    net.configLinkStatus("h3", "s3", "down")
    cluster.calls.clear()
    net.set_link("h3", "s3", delay="5ms")
    assert told(cluster) == [("link down", "h3-s3"), ("link_down", "h3-eth1"), ("link_down", "s3-eth2")]
    net.configLinkStatus("h3", "s3", "up")
    assert told(cluster) == [("link up", "h3-s3"), ("link_up", "h3-eth1"), ("link_up", "s3-eth2")]


def test_a_bucket_that_holds_no_frame_of_the_ends_mtu_is_refused_while_the_network_runs(
    cluster: FakeCluster,
) -> None:
    described = Topo()
    described.addHost("h1")
    described.addHost("h2")
    described.addLink("h1", "h2", delay="1ms", mtu=9000)
    with Net(described, controller=None, cluster=cluster) as net:  # type: ignore[arg-type]
        cluster.calls.clear()
        with pytest.raises(TopologyError, match="burst of 2000 bytes holds no full frame of mtu=9000"):
            net.set_link("h1", "h2", bw=10, burst="2 kB")
        assert cluster.calls == []
