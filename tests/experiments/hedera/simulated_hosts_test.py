# SPDX-License-Identifier: MIT
"""Simulated hosts have the flows of a pattern."""

from __future__ import annotations

from hybridnet.experiments.hedera.arms import ARMS, Settings, topo_of
from hybridnet.experiments.hedera.patterns import stride
from hybridnet.experiments.hedera.simulated_hosts import applications_of
from hybridnet.plan.network import MachineSpec, PlanOptions, make_plan

SETTINGS = Settings(k=4, rate_mbps=2, poll_s=1, switches="simulated", seconds=10, omitted_s=5, lead_s=8)


def test_each_flow_has_a_port_and_an_instant_of_its_own() -> None:
    found = applications_of([(0, 2), (1, 2), (2, 0), (3, 0)], lead_s=8)
    [first, sink] = found["h1"][0], found["h3"][0]
    assert (first["destination"], first["port"], first["start"]) == ("h3", 5201, "8.000000s")
    assert (sink["kind"], sink["port"]) == ("tcp_discard", 5201)
    assert found["h2"][0]["start"] == "8.250000s"  # the second of four, over a second
    assert [each["port"] for each in found["h3"]] == [5201, 5202, 5203]  # two sinks, and its own flow


def test_every_arm_is_a_network_of_simulated_hosts() -> None:
    applications = applications_of(stride(SETTINGS.hosts, SETTINGS.hosts // 2), SETTINGS.lead_s)
    for arm in ARMS:
        options = PlanOptions(token="0" * 16, controllers={"m1": ["tcp:198.18.0.254:6653"]})
        plan = make_plan(topo_of(arm, SETTINGS, applications), [MachineSpec("m1", "198.18.0.1")], options)
        [instance] = plan.machines["m1"]["instances"]
        hosts = [node for node in instance["nodes"] if node["kind"] == "host"]
        assert len(hosts) == SETTINGS.hosts == 4**3 // 4
        assert all(len(host["applications"]) == 2 for host in hosts)  # a flow that leaves and one that comes
