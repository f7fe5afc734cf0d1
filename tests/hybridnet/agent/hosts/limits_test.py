# SPDX-License-Identifier: MIT
"""What is written into a host's control groups, in both versions of the kernel's interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.agent.hosts.limits import HostLimits, cfs_quota, settings
from hybridnet.errors import EnvironmentLackError
from hybridnet.system import cgroups
from hybridnet.system.journal import Journal

USUAL: dict[str, Any] = {
    "share": 0.2,
    "cores": None,
    "sched": "cfs",
    "period_us": 100_000,
    "memory_bytes": None,
    "processes": None,
}


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


def test_memory_is_limited_together_with_swap_in_both_versions() -> None:
    limited = USUAL | {"memory_bytes": 64 << 20}
    assert settings("memory", 2, limited) == {"memory.max": "67108864", "memory.swap.max": "0"}
    assert settings("memory", 1, limited) == {
        "memory.limit_in_bytes": "67108864",
        "memory.memsw.limit_in_bytes": "67108864",
    }
    assert settings("memory", 2, USUAL) == {"memory.max": "max", "memory.swap.max": "max"}
    assert set(settings("memory", 1, USUAL).values()) == {"-1"}


def test_processes_are_limited_alike_in_both_versions() -> None:
    for version in (1, 2):
        assert settings("pids", version, USUAL | {"processes": 100}) == {"pids.max": "100"}
        assert settings("pids", version, USUAL) == {"pids.max": "max"}


def test_without_its_controller_a_limit_is_refused_by_the_name_of_its_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "find", dict)
    journal = Journal(tmp_path, "a-run")
    limits = HostLimits(journal, "m1")
    for limit, words in (
        (
            {"memory_bytes": 64 << 20},
            "no control groups of memory, so its memory cannot be .*leave memory= out",
        ),
        ({"processes": 9}, "no control groups of pids, so its number of processes .*leave pids= out"),
        ({"share": 0.5}, "no control groups of cpu, so its processor time .*leave cpu= and cores= out"),
    ):
        with pytest.raises(EnvironmentLackError, match=f"host h1: this computer has {words}"):
            limits.set("h1", limit, [])
    journal.close()
