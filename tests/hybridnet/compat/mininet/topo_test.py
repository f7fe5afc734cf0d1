# SPDX-License-Identifier: MIT
"""Mininet's descriptions: ports and names as Mininet numbers them."""

from __future__ import annotations

from hybridnet.compat.mininet.topo import LinearTopo, SingleSwitchReversedTopo, SingleSwitchTopo, Topo
from hybridnet.compat.mininet.topolib import TorusTopo, TreeTopo


def test_ports_count_from_0_at_hosts_and_from_1_at_switches() -> None:
    topo = SingleSwitchTopo(k=2)
    assert topo.port("h2", "s1") == (0, 2)
    assert topo.links(sort=True) == [("h1", "s1"), ("h2", "s1")]


def test_reversed_ports_give_the_first_host_the_last_port() -> None:
    topo = SingleSwitchReversedTopo(k=3)
    assert [topo.port("s1", host)[0] for host in topo.hosts()] == [3, 2, 1]  # type: ignore[index]


def test_options_are_kept_as_they_are_given() -> None:
    topo = Topo(hopts={"cpu": 0.1})
    topo.addHost("h1")
    topo.addHost("h2", whatever="x")
    topo.addLink("h1", "h2", bw=10, key=4)
    assert topo.nodeInfo("h1") == {"cpu": 0.1}
    assert topo.nodeInfo("h2") == {"whatever": "x"}
    assert topo.linkInfo("h2", "h1", 4)["bw"] == 10


def test_links_between_the_same_nodes_are_numbered_from_1() -> None:
    topo = Topo()
    topo.addHost("h1"), topo.addSwitch("s1")
    assert [topo.addLink("s1", "h1") for _ in range(2)] == [1, 2]
    assert topo.links(withKeys=True) == [("s1", "h1", 1), ("s1", "h1", 2)]


def test_a_tree_is_numbered_from_the_root_down() -> None:
    topo = TreeTopo(depth=2, fanout=2)
    assert topo.switches() == ["s1", "s2", "s3"]
    assert topo.links(sort=True) == [
        ("s1", "s2"), ("s1", "s3"), ("s2", "h1"), ("s2", "h2"), ("s3", "h3"), ("s3", "h4"),
    ]  # fmt: skip


def test_a_row_of_switches_with_several_hosts_names_them_after_both() -> None:
    topo = LinearTopo(k=2, n=2)
    assert topo.hosts() == ["h1s1", "h1s2", "h2s1", "h2s2"]
    assert ("s2", "s1") in topo.links(sort=True)


def test_a_torus_has_two_links_for_each_switch_and_a_dpid_of_its_own() -> None:
    topo = TorusTopo(3, 3)
    assert len(topo.links()) == 9 + 2 * 9
    assert len({topo.nodeInfo(switch)["dpid"] for switch in topo.switches()}) == 9
