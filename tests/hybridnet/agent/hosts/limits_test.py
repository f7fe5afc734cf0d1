# SPDX-License-Identifier: MIT
"""What is written into a host's control groups, in both versions of the kernel's interface."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hybridnet.agent.hosts.limits import HostLimits, cfs_quota, settings
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system import cgroups
from hybridnet.system.cgroups import Hierarchy
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


def test_a_limit_after_one_that_was_refused_holds_for_what_runs_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host had the group by then, with nothing in it."""
    monkeypatch.setattr(cgroups, "find", lambda: {"memory": Hierarchy(1, tmp_path / "memory")})
    limits = HostLimits(Journal(tmp_path / "state", "a-run"), "m1")
    group = tmp_path / "memory/hybridnet-a-run-m1/h1"
    refusing = group / "memory.limit_in_bytes"
    refusing.mkdir(parents=True)
    with pytest.raises(MachineError, match=r"host h1: the kernel refuses .*memory_bytes=1"):
        limits.set("h1", {"memory_bytes": 1}, [os.getpid()])
    refusing.rmdir()
    refusing.touch()
    limits.set("h1", {"memory_bytes": 1 << 30}, [os.getpid()])
    assert refusing.read_text() == str(1 << 30)
    assert (group / "cgroup.procs").read_text() == str(os.getpid())
    (group / "cgroup.procs").unlink()
    limits.set("h1", {"memory_bytes": 1 << 31}, [os.getpid()])
    assert not (group / "cgroup.procs").exists()  # it is there


def test_of_limits_of_which_one_is_refused_none_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hierarchies = {name: Hierarchy(1, tmp_path / name) for name in ("cpu", "memory", "pids")}
    monkeypatch.setattr(cgroups, "find", lambda: hierarchies)
    limits = HostLimits(Journal(tmp_path / "state", "a-run"), "m1")
    group = "hybridnet-a-run-m1/h1"
    files = {
        tmp_path / "cpu" / group / "cpu.cfs_period_us": "100000",
        tmp_path / "cpu" / group / "cpu.cfs_quota_us": "-1",
        tmp_path / "memory" / group / "memory.limit_in_bytes": "1000",
        tmp_path / "memory" / group / "memory.memsw.limit_in_bytes": "1000",
    }
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "pids" / group / "pids.max").mkdir(parents=True)
    with pytest.raises(MachineError, match=r"host h1: the kernel refuses .*processes=9"):
        limits.set("h1", {"share": 0.5, "memory_bytes": 1 << 30, "processes": 9}, [])
    assert {file: file.read_text() for file in files} == files
