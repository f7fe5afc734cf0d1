# SPDX-License-Identifier: MIT
"""Linux bridges: what ``ip`` is told of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.describe.schema.plans import NodePlan
from hybridnet.describe.topo import Topo
from hybridnet.kinds.linux import LinuxBridges
from hybridnet.plan.network.switches import node_plan
from hybridnet.system.journal import Journal


def planned(**options: Any) -> NodePlan:
    topo = Topo()
    topo.addSwitch("b1", kind="linux", **options)
    return node_plan(topo.node_spec("b1"), [])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "stp_state 0 forward_delay 0"),
        ({"stp": False}, "stp_state 0 forward_delay 0"),
        ({"stp": True}, "stp_state 1"),
        ({"stp": True, "prio": 7}, "stp_state 1 priority 7"),
    ],
)
def test_a_bridge_without_the_spanning_tree_protocol_forwards_at_once(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    bridges = LinuxBridges(Journal(tmp_path, "r1"))
    assert bridges.line_of(planned(**options)) == f"link add name b1 type bridge mcast_snooping 0 {words}"
