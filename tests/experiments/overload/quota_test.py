# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.experiments.overload.quota import Hierarchy, find_hierarchy

FIRST = "29 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct"
SETS = "28 25 0:25 / /sys/fs/cgroup/cpuset rw,nosuid shared:8 - cgroup cgroup rw,cpuset"
SECOND = "30 25 0:27 / /sys/fs/cgroup rw,nosuid shared:10 - cgroup2 cgroup2 rw,nsdelegate"
ROOT = "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"


def test_the_first_version_is_known_by_its_controller() -> None:
    assert find_hierarchy("\n".join([ROOT, SETS, FIRST]), {}) == Hierarchy(
        Path("/sys/fs/cgroup/cpu,cpuacct"), 1
    )


def test_the_second_version_counts_where_it_gives_its_groups_the_controller() -> None:
    given = {"/sys/fs/cgroup": "cpuset cpu io memory"}
    assert find_hierarchy("\n".join([ROOT, SECOND]), given) == Hierarchy(Path("/sys/fs/cgroup"), 2)
    with pytest.raises(EnvironmentLackError, match=r"echo \+cpu > /sys/fs/cgroup/cgroup.subtree_control"):
        find_hierarchy("\n".join([ROOT, SETS, SECOND]), {"/sys/fs/cgroup": "memory cpuset"})


def test_without_control_groups_the_cure_is_told() -> None:
    with pytest.raises(EnvironmentLackError, match="mount -t cgroup2"):
        find_hierarchy(ROOT, {})


def test_a_quota_is_a_part_of_a_period_and_never_less_than_a_millisecond() -> None:
    assert Hierarchy(Path("/x"), 2).settings(0.15) == {"cpu.max": "1500 10000"}
    assert Hierarchy(Path("/x"), 1).settings(0.15) == {
        "cpu.cfs_period_us": "10000",
        "cpu.cfs_quota_us": "1500",
    }
    assert Hierarchy(Path("/x"), 2).settings(0.01) == {"cpu.max": "1000 100000"}
