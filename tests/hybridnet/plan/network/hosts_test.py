# SPDX-License-Identifier: MIT
"""What a machine plan says of hosts with options."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError, TopologyError
from hybridnet.plan.network.hosts import new_directories
from tests.hybridnet.plan.support import plan


def hosts(topo: Topo, **options: Any) -> dict[str, dict[str, Any]]:
    return {host["name"]: host for host in plan(topo, **options).machines["m1"]["hosts"]}


def star(**of_h1: Any) -> Topo:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink(topo.addHost("h1", **of_h1), "s1")
    topo.addLink(topo.addHost("h2"), "s1")
    return topo


def test_a_translating_host_is_the_default_route_of_its_segment() -> None:
    topo = star(defaultRoute="via 10.0.0.77")
    assert topo.addNAT() == "nat0"
    made = hosts(topo)
    assert made["nat0"]["nat"] == {"subnet": "10.0.0.0/8", "interface": "nat0-eth0"}
    assert made["nat0"]["in_namespace"] is False
    assert {name for name, each in made.items() if each.get("reaches_outside")} == set(made) - {"nat0"}
    assert made["nat0"]["routes"] == []
    assert made["h1"]["routes"] == [{"prefix": "default", "via": "10.0.0.77", "interface": None}]
    assert made["h2"]["routes"] == [{"prefix": "default", "via": "10.0.0.3", "interface": "h2-eth0"}]


def test_what_is_translated_can_be_said() -> None:
    topo = star(nat="10.1.2.3/16", inNamespace=True)
    assert hosts(topo)["h1"]["nat"]["subnet"] == "10.1.0.0/16"


def test_a_translating_host_needs_a_switch_and_an_address() -> None:
    with pytest.raises(TopologyError, match="NAT nat0: there is no switch"):
        Topo().addNAT()
    with pytest.raises(TopologyError, match="there is no node 's9'"):
        star().addNAT(connect="s9")
    with pytest.raises(PlanError, match="host h1: nat= needs an IPv4 address"):
        plan(star(nat=True, ip=None))


def beside_a_router() -> Topo:
    topo = star()
    topo.addSwitch("s2")
    topo.addSimRouter("r1")
    topo.addLink("s1", "r1")
    topo.addLink("s2", "r1")
    topo.addLink(topo.addHost("h3"), "s2")
    return topo


def test_a_translating_host_beside_a_simulated_router_is_refused() -> None:
    topo = beside_a_router()
    topo.addNAT()
    with pytest.raises(PlanError, match=r"host nat0: nat=True cannot give .* simulated router r1 .*connect="):
        plan(topo)
    within = beside_a_router()
    within.addNAT(inNamespace=True)  # a way out of its own
    assert hosts(within)["nat0"]["routes"][-1]["prefix"] == "default"


def test_a_machines_namespace_has_one_default_route() -> None:
    topo = beside_a_router()
    topo.addHost("h4", inNamespace=False)
    topo.addHost("h5", inNamespace=False)
    topo.addLink("h4", "s1")
    topo.addLink("h5", "s1")
    topo.addNAT(connect=topo.addSwitch("s3"))
    made = hosts(topo)
    assert made["nat0"]["routes"] == []
    assert made["h4"]["routes"] == [{"prefix": "10.2.0.0/16", "via": "10.1.255.254", "interface": "h4-eth0"}]
    assert made["h5"]["routes"] == []  # h4's are in the same namespace


def test_a_default_route_beside_the_machines_way_out_is_refused() -> None:
    topo = star(inNamespace=False, defaultRoute="via 10.0.0.2")
    topo.addNAT()
    with pytest.raises(PlanError, match=r"host h1: defaultRoute='via 10.0.0.2' would be a second .* nat0"):
        plan(topo)


def test_hosts_know_all_names() -> None:
    topo = star(ip6="fd00::1/64")
    names = plan(topo).machines["m1"]["names"]
    assert names == {
        "10.0.0.1": ["h1", "h1-eth0"], "10.0.0.2": ["h2", "h2-eth0"], "fd00::1": ["h1", "h1-eth0"],
    } | {address: own for address, own in names.items() if own[0] == "h2"}  # fmt: skip
    assert "names" not in plan(topo, host_names=False).machines["m1"]


def test_a_host_is_not_called_as_the_loopback_is_in_every_host() -> None:
    topo = Topo()
    topo.addLink(topo.addHost("localhost"), topo.addHost("h2"))
    with pytest.raises(PlanError, match="node localhost: in every host this name means the host itself"):
        plan(topo)
    assert plan(topo, host_names=False).machine_of["localhost"] == "m1"
    switch = Topo()
    switch.addLink(switch.addSwitch("localhost", dpid="1"), switch.addHost("h2"))
    assert plan(switch).machine_of["localhost"] == "m1"


def test_limits_of_the_processor_are_in_the_plan_only_where_given() -> None:
    made = hosts(star(cpu=0.5, cores="1", sched="rt"))
    assert made["h1"]["limit"] == {"share": 0.5, "cores": [1], "sched": "rt"}
    assert "limit" not in made["h2"]


def test_private_directories_of_a_host_without_a_namespace_are_refused() -> None:
    made = hosts(star(privateDirs=["/a", ("/b", "/c/%(name)s")]))
    assert made["h1"]["private_dirs"] == ["/a", {"at": "/b", "source": "/c/h1"}]
    with pytest.raises(PlanError, match="with inNamespace=False it has the machine's files"):
        plan(star(privateDirs=["/a"], inNamespace=False))


def test_files_at_the_top_of_the_tree_get_directories_of_their_own() -> None:
    assert new_directories(["/etc/a", "/hostlab/x", "/hostlab/y/z", "/web/b"]) == ["/hostlab", "/web"]


def test_a_plan_says_what_the_machine_needs_and_nothing_that_the_image_says_itself() -> None:
    topo = Topo()
    topo.addHost("h1", image="oci:/srv/web:1", volumes=["/a:/b:ro"])
    topo.addHost("h2")
    topo.addLink("h1", "h2")
    images = [host.get("image") for host in plan(topo).machines["m1"]["hosts"]]
    volume = {"source": "/a", "at": "/b", "read_only": True}
    assert images == [{"source": "oci:/srv/web:1", "environment": {}, "volumes": [volume]}, None]


def test_a_host_without_a_namespace_has_no_image() -> None:
    topo = Topo()
    topo.addHost("h1", image="oci:/srv/web", inNamespace=False)
    with pytest.raises(
        PlanError, match="h1: with inNamespace=False it has the machine's files, and no image"
    ):
        plan(topo)
