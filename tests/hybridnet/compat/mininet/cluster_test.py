# SPDX-License-Identifier: MIT
"""Mininet's cluster edition: which server a node goes to, and what that means here."""

from __future__ import annotations

import pytest

from hybridnet.compat.mininet.cluster import (
    HostSwitchBinPlacer,
    MininetCluster,
    Placer,
    RandomPlacer,
    RemoteHost,
    RoundRobinPlacer,
    SwitchBinPlacer,
)
from hybridnet.compat.mininet.machines import machines_over
from hybridnet.compat.mininet.topo import LinearTopo, SingleSwitchTopo
from hybridnet.errors import UsageError

SERVERS = ["near", "far"]
TOPO = LinearTopo(3)  # h1-s1-s2-s3, and h2, h3 at theirs


def placed(kind: type[Placer]) -> dict[str, str]:
    parts = {"hosts": TOPO.hosts(), "switches": TOPO.switches(), "links": TOPO.links()}
    placer = kind(servers=SERVERS, nodes=TOPO.nodes(), **parts)
    return {name: placer.place(name) for name in TOPO.nodes()}


def test_switches_in_bins_take_their_hosts_along() -> None:
    near, far = dict.fromkeys(("h1", "s1", "h2", "s2"), "near"), dict.fromkeys(("h3", "s3"), "far")
    assert placed(SwitchBinPlacer) == near | far


def test_hosts_and_switches_may_have_bins_of_their_own_or_take_turns() -> None:
    assert placed(HostSwitchBinPlacer) == placed(SwitchBinPlacer)  # as many hosts as switches
    turns = placed(RoundRobinPlacer)
    assert [turns[name] for name in TOPO.nodes()] == ["near", "far"] * 3
    assert set(placed(RandomPlacer).values()) <= set(SERVERS)


def test_a_cluster_of_this_computer_alone_is_a_network_on_it() -> None:
    net = MininetCluster(topo=SingleSwitchTopo(2), controller=None)
    assert net._network.is_here()
    assert [type(host) for host in net.hosts] == [RemoteHost] * 2
    assert {node.server for node in (*net.hosts, *net.switches)} == {"localhost"}


def test_servers_are_machines_and_nodes_go_where_the_placer_or_they_themselves_say() -> None:
    net = MininetCluster(topo=TOPO, servers=SERVERS, controller=None)
    assert net.machines is not None
    assert net.machines.machine_of == {"h1": "m1", "s1": "m1", "h2": "m1", "s2": "m1", "h3": "m2", "s3": "m2"}
    net.addHost("h4", server="far")
    assert net.machines.machine_of["h4"] == "m2"
    with pytest.raises(UsageError, match="server beyond is none of the network's, which are near, far"):
        net.addHost("h5", server="beyond")


def test_several_times_this_computer_are_as_many_local_machines() -> None:
    machines = machines_over(["localhost", "localhost"], {})
    assert machines is not None
    assert list(machines.names) == ["m1", "m2"]
    with pytest.raises(UsageError, match="this computer cannot be one of several"):
        MininetCluster(topo=SingleSwitchTopo(2), servers=["localhost", "far"], controller=None)
