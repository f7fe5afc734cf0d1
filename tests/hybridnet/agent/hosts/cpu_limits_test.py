# SPDX-License-Identifier: MIT
"""What is written into a host's control groups, in both versions of the kernel's interface."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.agent.hosts.cpu_limits import cfs_quota, settings

USUAL: dict[str, Any] = {"share": 0.2, "cores": None, "sched": "cfs", "period_us": 100_000}


def test_a_small_share_gets_a_longer_period() -> None:
    for share in (0.001, 0.005, 0.2, 1.5):
        quota, period = cfs_quota(share, 100_000)
        assert quota >= 1000
        assert quota / period == pytest.approx(share)


def test_a_share_is_a_quota_in_both_versions() -> None:
    assert settings("cpu", 2, USUAL) == {"cpu.max": "20000 100000"}
    assert settings("cpu", 1, USUAL) == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "20000"}
    assert settings("cpuacct", 1, USUAL) == {}


@pytest.mark.parametrize("change", [{"share": None}, {"sched": "rt"}])
def test_without_a_share_or_in_real_time_there_is_no_quota(change: dict[str, Any]) -> None:
    assert settings("cpu", 2, USUAL | change) == {"cpu.max": "max 100000"}
    assert settings("cpu", 1, USUAL | change)["cpu.cfs_quota_us"] == "-1"


def test_processors_are_the_same_in_both_versions() -> None:
    for version in (1, 2):
        assert settings("cpuset", version, USUAL | {"cores": [3, 0]}) == {"cpuset.cpus": "0,3"}
