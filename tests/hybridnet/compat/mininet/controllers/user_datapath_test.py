# SPDX-License-Identifier: MIT
"""The arguments of the reference switch's programs, and the switch that they mean."""

from __future__ import annotations

import pytest

from hybridnet.compat.mininet.controllers.user_datapath import controllers_of, plan_of, ports_of
from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.errors import UsageError


@pytest.mark.parametrize(
    "words", ["-i s0-eth1,s0-eth2 ptcp:", "--interfaces=s0-eth1,s0-eth2 --no-slicing ptcp:", "ptcp: -i s0-eth1,s0-eth2"]
)  # fmt: skip
def test_the_datapath_has_the_devices_that_it_is_told(words: str) -> None:
    assert ports_of(words.split()) == (["s0-eth1", "s0-eth2"], "ptcp:")


def test_the_place_on_this_computer_is_the_datapath_and_the_others_are_controllers() -> None:
    obeying = {"controllers": ["tcp:10.0.0.9:6633", "tcp:10.0.0.8:6653"], "fail_mode": "standalone"}
    for words in (
        "tcp:10.0.0.9 tcp:localhost tcp:10.0.0.8:6653",
        "unix:/tmp/s1 tcp:10.0.0.9 tcp:10.0.0.8:6653",
    ):
        assert controllers_of(words.split())[1] == obeying
    assert controllers_of(["unix:/tmp/s1", "tcp:10.0.0.9", "--fail=closed"])[1]["fail_mode"] == "secure"


def test_what_is_missing_is_said_with_what_to_write() -> None:
    with pytest.raises(UsageError, match="write ofdatapath -i DEVICE,DEVICE ptcp:"):
        ports_of(["ptcp:"])
    with pytest.raises(UsageError, match="write ofprotocol tcp:localhost tcp:CONTROLLER"):
        controllers_of(["tcp:localhost"])


def test_its_plan_is_one_that_an_instance_takes() -> None:
    plan = plan_of(
        ["s0-eth1", "s0-eth2"], 0x2A, {"controllers": ["tcp:10.0.0.9:6633"], "fail_mode": "secure"}
    )
    checked(plan, InstancePlan, "plan")
    assert plan["nodes"][0]["openflow"]["dpid"] == "000000000000002a"
    assert [portal["device"] for portal in plan["emulation_portals"]] == ["s0-eth1", "s0-eth2"]
