# SPDX-License-Identifier: MIT
"""What the kernel's tables say, as counters."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hybridnet.agent.counters.counters import (
    counted_devices,
    device_drops,
    groups_above,
    mtu_mismatches,
    parse_memory,
    parse_processors,
    parse_softnet,
    quotas,
)
from hybridnet.agent.counters.utilization import running_ns, share_of
from hybridnet.agent.hosts.device_counters import Carrier, Row
from hybridnet.system.cgroups import Hierarchy

STAT = """cpu  60 0 30 900 10 0 5 40 0 0
cpu0 10 0 10 300 5 0 5 30 0 0
cpu1 20 0 10 300 5 0 0 10 0 0
cpu2 30 0 10 300 0 0 0 0 0 0
intr 1 2 3
"""
VMSTAT = "nr_free_pages 1000\nallocstall_dma 1\nallocstall_normal 4\noom_kill 2\npswpin 7\n"
PRESSURE = (
    "some avg10=0.00 avg60=0.00 avg300=0.00 total=900\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=400\n"
)


def test_the_processors_that_may_be_used_are_counted_together() -> None:
    assert parse_processors(STAT, {0, 1, 7}) == {
        "count": 2,
        "ticks_per_second": os.sysconf("SC_CLK_TCK"),
        "idle_ticks": 610,
        "stolen_ticks": 40,
    }


def test_backlog_drops_are_hexadecimal_and_of_all_processors() -> None:
    assert parse_softnet("074f2ad2 0000000f 00000029 0\n0598527a 00000010 0000001c 0\n") == 31


def test_memory_pressure_is_time_where_the_kernel_counts_it_and_else_reclaims() -> None:
    assert parse_memory(VMSTAT, PRESSURE) == {"killed_programs": 2, "stalled_us": 400}
    assert parse_memory(VMSTAT, "") == {"killed_programs": 2, "reclaims": 5}


def test_a_quota_is_that_of_the_own_group_and_of_all_above_it(tmp_path: Path) -> None:
    two, one = Hierarchy(2, tmp_path), Hierarchy(1, tmp_path)
    text = "5:cpuset:/set\n1:cpu,cpuacct:/box/inner\n0::/box/inner/deep\n"
    assert groups_above(text, two)[0] == tmp_path / "box/inner/deep"
    groups = groups_above(text, one)
    assert groups == (tmp_path / "box/inner", tmp_path / "box", tmp_path)
    groups[0].mkdir(parents=True)
    (groups[0] / "cpu.stat").write_text("usage_usec 1\nnr_periods 9\nnr_throttled 4\nthrottled_usec 700\n")
    (groups[1] / "cpu.stat").write_text("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n")
    assert quotas(groups) == {str(groups[0]): [9, 4]}
    assert groups_above("5:cpuset:/set\n", one) == ()


@pytest.mark.parametrize(("part", "share"), [(0.0, 0), (0.9804, 980), (1.0, 1000), (1.02, 1000), (-0.01, 0)])
def test_shares_are_tenths_of_a_percent(part: float, share: int) -> None:
    assert share_of(part) == share


def test_the_time_of_each_thread_of_a_process_is_known() -> None:
    before = running_ns(os.getpid())
    sum(range(1_000_000))
    after = running_ns(os.getpid())
    mine = str(threading.get_native_id())
    assert after[mine] > before[mine]


def row(**counters: int) -> Row:
    return Row(*[0] * len(Row._fields))._replace(**counters)


PLAN = {
    "port_type": "afxdp",
    "hosts": [{"name": name, "interfaces": [{"name": f"{name}-eth0"}]} for name in ("h1", "h2")],
    "switches": [{"ports": [{"name": "s1-eth1"}, {"name": "s1-eth2"}]}, {"ports": [{"name": "s2-eth1"}]}],
    "portals": [{"interface": "r1-eth1", "device": "r1-eth1p"}],
    "pairs": [
        {
            "kind": "veth",
            "a": {"node": "h1", "interface": "h1-eth0"},
            "b": {"node": "s1", "interface": "s1-eth1"},
        },
        {
            "kind": "patch",
            "a": {"node": "s1", "interface": "s1-eth2"},
            "b": {"node": "s2", "interface": "s2-eth1"},
        },
    ],
}


def test_counted_are_the_plans_devices_where_they_are_and_patches_are_none() -> None:
    machine = {"s1-eth1", "r1-eth1", "r1-eth1p"}
    assert counted_devices(PLAN, {"h1": "h1"}) == {"": machine, "h1": {"h1-eth0"}}
    assert counted_devices(PLAN, {"h1": "h1", "h2": ""}) == {"": machine | {"h2-eth0"}, "h1": {"h1-eth0"}}


def test_drops_are_what_a_sender_could_not_deliver_and_what_a_ring_did_not_take() -> None:
    lost = row(tx_dropped=2, rx_dropped=5)
    tables = {"": {"s1-eth1": lost, "r1-eth1": lost, "r1-eth1p": row()}, "h1": {"h1-eth0": lost}}
    namespaces = {"h1": "h1", "h2": "h2"}  # the second has just gone
    assert device_drops(PLAN, namespaces, tables) == {"s1-eth1": 7, "r1-eth1": 2, "h1-eth0": 2}


def test_a_device_may_send_what_the_other_end_of_its_pair_does_not_take() -> None:
    plan = {
        "pairs": [{"kind": "veth", "a": {"interface": "h1-eth0"}, "b": {"interface": "s1-eth1"}}],
        "portals": [{"name": "p-s1-eth2", "interface": "s1-eth2", "device": "s1-eth2p"}],
        "instances": [{"links": [{"a": {"portal": "p-s1-eth2"}, "b": {"interface": "r1-eth1"}}]}],
    }
    mtus = {"h1-eth0": 1500, "s1-eth1": 600, "s1-eth2": 1500, "s1-eth2p": 1500}
    carriers = {name: Carrier(True, 1, mtu) for name, mtu in mtus.items()}
    assert mtu_mismatches(plan, carriers) == {"h1-eth0": (1500, "s1-eth1", 600)}
    del carriers["s1-eth1"]
    assert mtu_mismatches(plan, carriers) == {}


def test_a_portals_device_sends_what_the_interface_behind_the_other_one_does() -> None:
    plan = {
        "pairs": [],
        "portals": [
            {"name": f"p-{host}-eth0", "interface": f"{host}-eth0", "device": f"{host}-eth0p"}
            for host in ("h1", "h2")
        ],
        "instances": [{"links": [{"a": {"portal": "p-h1-eth0"}, "b": {"portal": "p-h2-eth0"}}]}],
    }
    mtus = {"h1-eth0": 9000, "h1-eth0p": 65535, "h2-eth0p": 65535, "h2-eth0": 1500}
    carriers = {name: Carrier(True, 1, mtu) for name, mtu in mtus.items()}
    assert mtu_mismatches(plan, carriers) == {"h2-eth0p": (9000, "h2-eth0", 1500)}


def test_a_portal_whose_link_leads_to_a_device_of_the_computer_sends_what_its_own_device_does() -> None:
    plan = {
        "pairs": [],
        "portals": [{"name": "p-h1-eth0", "interface": "h1-eth0", "device": "h1-eth0p"}],
        "instances": [{"links": [{"a": {"portal": "p-h1-eth0"}, "b": {"portal": "p-ext1"}}]}],
    }
    carriers = {name: Carrier(True, 1, 1500) for name in ("h1-eth0", "h1-eth0p")}
    assert mtu_mismatches(plan, carriers) == {}
