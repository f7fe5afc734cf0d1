# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.describe.schema.check import check
from hybridnet.experiments.common.inet_testbed import Arm, across_plan, bridge_plan, local_plan, peered_plans
from hybridnet.experiments.inet_rtt.report import ARMS


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_the_plans_of_every_arm_follow_the_schemas(arm: Arm) -> None:
    for plan in (local_plan, across_plan):
        made = plan("m1", arm)
        check(made, "machine", "plan")
        assert (made["instances"] == []) == (arm.backend is None)
        assert len(made["portals"] if arm.backend else made["pairs"]) == len(made["hosts"]) - (
            not arm.backend
        )


def test_a_bridge_joins_portal_to_portal() -> None:
    plan = bridge_plan("m1", Arm("packet", "packet"))
    check(plan, "machine", "plan")
    [link] = plan["instances"][0]["links"]
    assert (link["a"], link["b"]) == ({"portal": "p1"}, {"portal": "p2"})


def test_each_of_two_peered_machines_has_a_host_and_its_end_of_the_link() -> None:
    addresses = {"m1": "10.9.0.1", "m2": "10.9.0.2"}
    plans = peered_plans(
        addresses, Arm("packet", "packet"), rate_bps=None, delay_ns=5_000_000, queue_packets=100
    )
    peers = {}
    for number, (machine, plan) in enumerate(plans.items(), 1):
        check(plan, "machine", "plan")
        [host] = plan["hosts"]
        [instance] = plan["instances"]
        [link] = instance["links"]
        [peer] = instance["peers"]
        assert host["name"] == f"h{number}"
        assert link["a"] == {"portal": f"p{number}"}
        assert link["b"] == {"peer": peer["name"], "channel": 0}
        peers[machine] = peer
    assert (peers["m1"]["name"], peers["m2"]["name"]) == ("m2", "m1")
    assert peers["m1"]["remote"] == peers["m2"]["local"]
    assert peers["m2"]["remote"] == peers["m1"]["local"]
