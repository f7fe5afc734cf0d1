# SPDX-License-Identifier: MIT
"""Where a computer has its control groups."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from hybridnet.system.cgroups import PREFIX, Hierarchy, find, hold


def mounted(*lines: str) -> str:
    return "".join(f"{30 + at} 20 0:{at} / {line}\n" for at, line in enumerate(lines))


def test_one_hierarchy_of_version_2(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    both = Hierarchy(2, tmp_path)
    assert find(mounted(f"{tmp_path} rw - cgroup2 cgroup2 rw")) == dict.fromkeys(
        ("cpu", "cpuset", "memory", "pids"), both
    )


def test_a_hierarchy_for_each_controller_beside_one_of_version_2(tmp_path: Path) -> None:
    for name in ("cpu,cpuacct", "cpuset", "unified"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cgroup.procs").write_text("1\n")
    (tmp_path / "unified/cgroup.controllers").write_text("hugetlb\n")
    found = find(
        mounted(
            "/ rw - ext4 /dev/vda rw",
            f"{tmp_path}/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
            f"{tmp_path}/cpuset rw - cgroup cgroup rw,cpuset",
            f"{tmp_path}/unified rw - cgroup2 cgroup2 rw",
        )
    )
    together = Hierarchy(1, tmp_path / "cpu,cpuacct")
    assert found == {"cpu": together, "cpuacct": together, "cpuset": Hierarchy(1, tmp_path / "cpuset")}


def test_what_something_else_is_mounted_over_does_not_count(tmp_path: Path) -> None:
    assert (
        find(mounted(f"{tmp_path}/gone rw - cgroup cgroup rw,cpu", f"{tmp_path} rw - cgroup2 cgroup2 rw"))
        == {}
    )


def test_a_group_that_is_taken_for_abandoned_in_the_moment_of_its_making_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group, lock = tmp_path / f"{PREFIX}a", fcntl.flock
    removals = iter((True, False))

    def lock_late(descriptor: int, kind: int) -> None:
        if next(removals):
            group.rmdir()
        lock(descriptor, kind)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    descriptor = hold(group)
    assert os.path.samestat(os.fstat(descriptor), group.stat())
    os.close(descriptor)
