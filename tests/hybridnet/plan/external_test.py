# SPDX-License-Identifier: MIT
"""Links to devices of the computer, in the plan."""

from __future__ import annotations

import pytest

from hybridnet.describe.topo import External, Topo
from hybridnet.errors import PlanError, TopologyError
from tests.hybridnet.plan.support import plan


def described(**options: str) -> Topo:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink("s1", External("eth1", **options))  # type: ignore[arg-type]
    return topo


def test_a_link_to_a_device_is_simulated_between_the_switchs_portal_and_the_device() -> None:
    made = plan(described(backend="pcap", filter="udp"))
    machine = made.machines["m1"]
    assert made.links[0].kind == "simulated"
    assert machine["devices"] == ["eth1"]
    assert [portal["device"] for portal in machine["portals"]] == ["s1-eth1p"]
    assert machine["instances"][0]["emulation_portals"] == [
        {"name": "p-s1-eth1", "device": "s1-eth1p", "backend": "packet"},
        {"name": "p-eth1", "device": "eth1", "backend": "pcap", "filter": "udp"},
    ]


def test_what_is_beyond_a_device_is_on_the_segment_of_the_switch() -> None:
    topo = described()
    topo.addHost("h1")
    topo.addLink("h1", "s1")
    topo.addSimRouter("r1")
    topo.addLink("r1", External("eth2"))
    topo.addLink("r1", "s1")
    assert plan(topo).machines["m1"]["hosts"][0]["interfaces"][0]["addresses"] == ["10.1.0.1/16"]


def test_a_refused_link_leaves_no_device_behind() -> None:
    topo = described()
    for given in ({"intfName2": "other"}, {"params2": {"mtu": 1}}):
        with pytest.raises(TopologyError):
            topo.addLink("s1", External("eth2"), **given)
    with pytest.raises(TopologyError, match="backend 'tap' does not exist"):
        topo.addLink("s1", External("eth2", backend="tap"))
    assert "eth2" not in topo.nodes()
    topo.addLink("s1", External("eth2"))
    with pytest.raises(TopologyError, match="node eth2: the name is taken by another external"):
        topo.addLink("s1", External("eth2"))
    topo.addLink("s1", External("eth3"), params2={"ip": "10.0.0.1/8"})
    with pytest.raises(PlanError, match="eth3 is a switch's port and takes no ip"):
        plan(topo)
