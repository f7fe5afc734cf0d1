# SPDX-License-Identifier: MIT
from __future__ import annotations

from hybridnet.describe.topo import Topo
from hybridnet.plan.network.switch_kinds import switches_notes, with_switches


def network() -> Topo:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSwitch("s2", datapath="user")
    topo.addSwitch("s3", kind="linux")
    return topo


def test_only_switches_that_leave_it_open_are_made_simulated() -> None:
    made = with_switches(network(), "simulated")
    assert {spec.name: spec.simulated for spec in made.node_specs()} == {"s1": True, "s2": False, "s3": False}
    for kind in ("openvswitch", None):
        assert not any(spec.simulated for spec in with_switches(network(), kind).node_specs())


def test_a_kind_that_no_switch_is_of_is_said() -> None:
    assert switches_notes(network(), "openvswitch") == []
    assert switches_notes(with_switches(network(), "simulated"), "simulated") == []
    [fixed] = switches_notes(network(), "simulated")
    assert fixed.startswith(
        "switches='simulated' (--switches) has no effect, because every switch says itself"
    )
    [none] = switches_notes(Topo(), "openvswitch")
    assert "there is no OpenFlow switch" in none
    assert switches_notes(Topo(), None) == []
