# SPDX-License-Identifier: MIT
"""What the kernel's tables say, as counters."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hybridnet.agent.busy import running_ns, share_of
from hybridnet.agent.counters import groups_above, parse_memory, parse_processors, parse_softnet, quotas
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
