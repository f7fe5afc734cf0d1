# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.experiments.common.inet_testbed import Arm, across_plan, bridge_plan, local_plan
from hybridnet.experiments.inet_rtt.report import ARMS
from hybridnet.schema.check import check


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
