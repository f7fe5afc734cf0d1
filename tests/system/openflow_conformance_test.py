# SPDX-License-Identifier: MIT
"""Ryu's switch tester over a network of ours: what Open vSwitch does and does not, and that a wrong case fails."""

from __future__ import annotations

from hybridnet import Cluster
from hybridnet.experiments.openflow_conformance.case import Case, leaves
from hybridnet.experiments.openflow_conformance.cases import all_cases
from hybridnet.experiments.openflow_conformance.messages import FIRST, apply, flow, output
from hybridnet.experiments.openflow_conformance.packets import packet
from hybridnet.experiments.openflow_conformance.testbed import run_cases

KINDS_WITHOUT = ("pbb", "meter", "table miss")  # not in Open vSwitch, or slow
EVERY = 40


def test_open_vswitch_passes_its_cases_and_wrong_ones_fail() -> None:
    wrong = Case(
        "wrong",
        "expects another address",
        [flow({}, [apply(output(FIRST))])],
        [leaves(packet("tcp"), packet("tcp", {"eth_dst": 0x020000000001}))],
    )
    right = [
        case for case in all_cases() if case.category in ("match", "match with mask", "group", "pipeline")
    ]
    chosen = [case for case in right[::EVERY] if "pbb" not in case.name and "in_phy_port" not in case.name]
    with Cluster.local(["m1"]) as cluster:
        results = run_cases(cluster, "openvswitch", [wrong, *chosen])
    assert [result.title for result in results if not result.passed] == [wrong.title]
    assert "eth_dst" in results[0].detail or "dst=" in results[0].detail
