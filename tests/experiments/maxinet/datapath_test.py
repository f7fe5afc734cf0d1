# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.errors import ExperimentError
from hybridnet.experiments.maxinet.arms import half_settings
from hybridnet.experiments.maxinet.datapath import Datapath, resolve
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.plan.choices.options import MachineSpec

BRIDGES = 63

# What ovs-vsctl printed: a hybridnet machine in user space, and one of Mininet's with the kernel's datapath.
AFXDP = """{"data":[["netdev"],["netdev"]],"headings":["datapath_type"]}
{"data":[["afxdp"],["patch"],["internal"],["patch"],["internal"]],"headings":["type"]}
"""
KERNEL = """{"data":[[""],["system"]],"headings":["datapath_type"]}
{"data":[[""],[""],["internal"]],"headings":["type"]}
"""


def machines(*kernel_datapath: bool) -> list[MachineSpec]:
    return [
        MachineSpec(f"m{index + 1}", "198.18.0.1", kernel_datapath=there)
        for index, there in enumerate(kernel_datapath)
    ]


def test_where_the_kernel_has_the_module_every_arm_uses_it():
    datapath = resolve("auto", machines(True, True), BRIDGES)
    assert datapath.type == datapath.port_type == datapath.mininet_port_type == "system"
    assert half_settings(PAPER, datapath, 1, "veth")["datapath"] == "kernel"


@pytest.mark.parametrize("there", [(False, False), (True, False), (False, True)])
def test_where_one_machine_lacks_the_module_every_arm_uses_user_space(there: tuple[bool, bool]):
    datapath = resolve("auto", machines(*there), BRIDGES)
    assert datapath.type == "netdev"
    assert (datapath.port_type, datapath.mininet_port_type) == ("afxdp", "afpacket")
    assert half_settings(PAPER, datapath, 0, "veth")["datapath"] == "user"


def test_a_port_type_that_was_asked_for_holds_for_all_arms():
    assert resolve("system", machines(False, False), BRIDGES).mininet_name == "kernel"
    assert resolve("afpacket", machines(True, True), BRIDGES).mininet_name == "user"


def test_what_open_vswitch_uses_is_read_back():
    assert Datapath("afxdp").check("hybrid", "m1", AFXDP) == {
        "datapath_type": "netdev",
        "interface_types": {"afxdp": 1, "internal": 2, "patch": 2},
    }
    assert Datapath("system").check("maxinet", "m1", KERNEL) == {
        "datapath_type": "system",
        "interface_types": {"internal": 1, "system": 2},
    }


def test_an_arm_on_another_datapath_than_the_others_is_refused():
    with pytest.raises(ExperimentError, match="maxinet arm: the switches on m2 use the datapath netdev"):
        Datapath("system").check("maxinet", "m2", AFXDP)
