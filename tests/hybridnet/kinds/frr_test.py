# SPDX-License-Identifier: MIT
"""Routers with FRR's daemons, as far as nothing runs: what they are told, and which options make sense."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from hybridnet.errors import TopologyError
from hybridnet.kinds.frr import FRR, FrrRouter
from hybridnet.run.node import Host
from tests.hybridnet.kinds.support import ROOT, linked


def test_a_router_is_told_its_neighbours_and_no_others() -> None:
    r1 = FrrRouter("r1", ospf=True, bgp=65001, conf="ip route 203.0.113.0/24 blackhole")
    linked(r1, FrrRouter("r2", ospf=True), FrrRouter("r3", bgp=4200000000), Host("h1"))
    assert r1.daemons == ["zebra", "staticd", "ospfd", "bgpd"]
    assert r1.configuration().splitlines() == [
        "hostname r1",
        "interface r1-eth1",
        " ip ospf area 0",
        " ip ospf network point-to-point",
        " ip ospf hello-interval 1",
        " ip ospf dead-interval 10",
        " ip ospf retransmit-interval 2",
        "exit",
        "interface r1-eth2",
        " ip ospf area 0",
        " ip ospf passive",
        "exit",
        "interface r1-eth3",
        " ip ospf area 0",
        " ip ospf passive",
        "exit",
        "router ospf",
        " timers throttle spf 0 50 1000",
        " timers throttle lsa all 1000",
        " timers lsa min-arrival 500",
        "exit",
        "router bgp 65001",
        " no bgp ebgp-requires-policy",
        " bgp bestpath as-path multipath-relax",
        " neighbor 10.0.2.2 remote-as 4200000000",
        " address-family ipv4 unicast",
        "  redistribute connected",
        " exit-address-family",
        "exit",
        "ip route 203.0.113.0/24 blackhole",
    ]


def test_peers_and_providers_hear_of_its_own_routes_and_its_customers() -> None:
    r1 = FrrRouter("r1", bgp=1, providers=["r2"])
    linked(r1, FrrRouter("r2", bgp=2), FrrRouter("r3", bgp=3, peers=["r1"]))
    assert r1.configuration().splitlines() == [
        "hostname r1",
        "router bgp 1",
        " no bgp ebgp-requires-policy",
        " bgp bestpath as-path multipath-relax",
        " bgp bestpath compare-routerid",
        " neighbor 10.0.1.2 remote-as 2",
        " neighbor 10.0.2.2 remote-as 3",
        " address-family ipv4 unicast",
        "  redistribute connected",
        "  maximum-paths 1",
        "  neighbor 10.0.1.2 route-map from-provider in",
        "  neighbor 10.0.1.2 route-map to-others out",
        "  neighbor 10.0.2.2 route-map from-peer in",
        "  neighbor 10.0.2.2 route-map to-others out",
        " exit-address-family",
        "exit",
        "bgp as-path access-list own permit ^$",
        "route-map to-others permit 1",
        " match as-path own",
        "exit",
        "route-map to-others permit 2",
        " match local-preference 300",
        "exit",
        "route-map from-customer permit 1",
        " set local-preference 300",
        "exit",
        "route-map from-peer permit 1",
        " set local-preference 200",
        "exit",
        "route-map from-provider permit 1",
        " set local-preference 100",
        "exit",
    ]


def test_a_customer_hears_all() -> None:
    provider, customer = FrrRouter("r1", bgp=1), FrrRouter("r2", bgp=2, providers=["r1"])
    linked(provider, customer)
    told = provider.configuration()
    assert "neighbor 10.0.1.2 route-map from-customer in" in told
    assert " out\n" not in told


@pytest.mark.parametrize(
    ("r1", "r2", "said"),
    [
        ({"providers": ["r9"]}, {}, "router r1: providers: r9 is no neighbour that speaks BGP; join the two"),
        ({"peers": ["h1"]}, {}, "router r1: peers: h1 is no neighbour that speaks BGP"),
        (
            {"providers": ["r2"]},
            {"providers": ["r1"]},
            "router r1: r2 is said to be its provider and its customer",
        ),
        ({"providers": ["r2"]}, {"peers": ["r1"]}, "router r1: r2 is said to be its provider and its peer"),
    ],
)
def test_relations_that_contradict_are_refused(r1: dict[str, Any], r2: dict[str, Any], said: str) -> None:
    router = FrrRouter("r1", bgp=1, **r1)
    linked(router, FrrRouter("r2", bgp=2, **r2), Host("h1"))
    with pytest.raises(TopologyError, match=said):
        router.configuration()


def test_a_router_has_directories_of_its_own_and_keeps_those_it_is_given() -> None:
    given = FrrRouter("r1", privateDirs=["/srv", ("/etc/frr", "/tmp/r1")])
    assert given.described()["privateDirs"] == ["/srv", ("/etc/frr", "/tmp/r1"), "/run/frr"]
    assert sorted(FrrRouter("r1").described()["privateDirs"]) == ["/etc/frr", "/run/frr"]
    assert FrrRouter("r1").daemons == ["zebra", "staticd"]


def test_daemons_are_those_that_are_named_and_those_of_its_protocols() -> None:
    assert FrrRouter("r1", daemons=["bfdd", "isisd"], bgp=65001).daemons == [
        "zebra",
        "staticd",
        "isisd",
        "bgpd",
        "bfdd",
    ]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("ospf", value) for value in ("yes", 1, None)],
        *[("bgp", value) for value in (0, 1 << 32, "65001", True, 1.0)],
        *[("providers", value) for value in ("r2", [5], 5)],
        *[("daemons", value) for value in ("ospfd", ["zebra"], [5], ["../x"])],
        *[("conf", value) for value in (5, "a\0b", "\x1b[2J", "x" * 40_000)],
    ],
)
def test_a_value_that_makes_no_sense_is_refused(option: str, value: Any) -> None:
    with pytest.raises(TopologyError, match="router r1: "):
        FRR.options[option](value, f"router r1: {option}")


def test_the_kind_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["hybridnet.host_kinds"]["frr"] == "hybridnet.kinds.frr:FRR"
    assert FRR.name == FrrRouter.kind == "frr"
