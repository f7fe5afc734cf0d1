# SPDX-License-Identifier: MIT
"""Routers with BIRD, as far as nothing runs: what it is told, and which options make sense."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from hybridnet.errors import TopologyError
from hybridnet.kinds.bird import BIRD, BirdRouter
from hybridnet.kinds.frr import FrrRouter
from hybridnet.run.node import Host
from tests.hybridnet.kinds.support import ROOT, linked

DEVICES = [
    "protocol device { scan time 1; }",
    "protocol kernel {",
    "  merge paths yes;",
    "  ipv4 { import none; export where source != RTS_DEVICE; };",
    "}",
]


def test_a_router_is_told_its_neighbours_whose_daemons_they_may_be_and_no_others() -> None:
    r1 = BirdRouter("r1", ospf=True, bgp=65001, conf="protocol static { ipv4; }")
    linked(r1, FrrRouter("r2", ospf=True), BirdRouter("r3", bgp=4200000000), Host("h1"))
    assert r1.configuration().splitlines() == [
        "router id 10.0.1.1;",
        *DEVICES,
        "protocol ospf v2 ospf1 {",
        "  ipv4 { import all; export none; };",
        "  area 0 {",
        '    interface "lo" { stub yes; };',
        '    interface "r1-eth1" { type ptp; hello 1; dead 10; retransmit 2; cost 10; };',
        '    interface "r1-eth2" { stub yes; cost 10; };',
        '    interface "r1-eth3" { stub yes; cost 10; };',
        "  };",
        "}",
        "protocol direct { ipv4; }",
        "protocol bgp bgp1 {",
        "  local as 65001;",
        "  neighbor 10.0.2.2 as 4200000000;",
        "  connect delay time 1;",
        "  ipv4 { import all; export where source = RTS_DEVICE || source = RTS_BGP; };",
        "}",
        "protocol static { ipv4; }",
    ]


def test_peers_and_providers_hear_of_its_own_routes_and_its_customers() -> None:
    r1 = BirdRouter("r1", bgp=1, providers=["r2"])
    linked(r1, BirdRouter("r2", bgp=2), FrrRouter("r3", bgp=3, providers=["r1"]), BirdRouter("r4", bgp=4))
    told = r1.configuration()
    assert "  merge paths no;" in told
    assert re.findall(r"  ipv4 .*import.*", told)[1:] == [
        "  ipv4 { import filter { bgp_local_pref = 100; accept; }; export where source = RTS_DEVICE || "
        "(source = RTS_BGP && bgp_local_pref = 300); };",
        "  ipv4 { import filter { bgp_local_pref = 300; accept; }; export where source = RTS_DEVICE || "
        "source = RTS_BGP; };",
        "  ipv4 { import all; export where source = RTS_DEVICE || source = RTS_BGP; };",
    ]


def test_without_protocols_its_configuration_is_the_users_whole_one() -> None:
    alone = BirdRouter("r1", conf="router id 192.0.2.1;\nprotocol device {}")
    assert alone.configuration() == "router id 192.0.2.1;\nprotocol device {}\n"
    plain = BirdRouter("r1")
    linked(plain, BirdRouter("r2"))
    assert plain.configuration().splitlines() == ["router id 10.0.1.1;", *DEVICES]


def test_a_router_has_directories_of_its_own() -> None:
    assert sorted(BirdRouter("r1").described()["privateDirs"]) == ["/etc/bird", "/run/bird"]


@pytest.mark.parametrize(("option", "value"), [("ospf", 1), ("bgp", 0), ("conf", 5), ("conf", "a\0b")])
def test_a_value_that_makes_no_sense_is_refused(option: str, value: Any) -> None:
    with pytest.raises(TopologyError, match="router r1: "):
        BIRD.options[option](value, f"router r1: {option}")


def test_the_kind_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["hybridnet.host_kinds"]["bird"] == "hybridnet.kinds.bird:BIRD"
    assert BIRD.name == BirdRouter.kind == "bird"
