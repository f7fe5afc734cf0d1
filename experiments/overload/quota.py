# SPDX-License-Identifier: MIT
"""A control group that gives its processes a part of one core, of either version of control groups.

It is in the journal before it is made, so ``hybridnet clean`` removes it when the run was killed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from hybridnet.errors import EnvironmentLackError
from hybridnet.system.cgroups import PREFIX, hold, remove_group
from hybridnet.system.journal import Journal

__all__ = ["CpuQuota", "Hierarchy", "find_hierarchy"]

LEAST_PERIOD_US = 10_000
LEAST_QUOTA_US = 1_000  # the kernel takes no less


@dataclass(frozen=True)
class Hierarchy:
    """Where control groups with a CPU quota can be made.

    Args:
        path: its root.
        version: 1 or 2.
    """

    path: Path
    version: int

    def settings(self, cores: float) -> dict[str, str]:
        """The files of a group that give it this part of a core, in their order, and what goes into them."""
        period_us = max(LEAST_PERIOD_US, math.ceil(LEAST_QUOTA_US / cores))
        quota_us = round(cores * period_us)
        if self.version == 2:
            return {"cpu.max": f"{quota_us} {period_us}"}
        return {"cpu.cfs_period_us": str(period_us), "cpu.cfs_quota_us": str(quota_us)}


def find_hierarchy(mountinfo: str, controllers_of: dict[str, str]) -> Hierarchy:
    """The hierarchy with the controller ``cpu``.

    Args:
        mountinfo: ``/proc/self/mountinfo``.
        controllers_of: of each mounted cgroup2, what its root gives to groups below: ``cgroup.subtree_control``.

    Raises:
        EnvironmentLackError: there is none.
    """
    second: list[str] = []
    for line in mountinfo.splitlines():
        fields, _, rest = line.partition(" - ")
        path, (kind, _, options) = fields.split()[4], rest.split()[:3]
        if kind == "cgroup" and "cpu" in options.split(","):
            return Hierarchy(Path(path), 1)
        if kind == "cgroup2":
            second.append(path)
    for path in second:
        if "cpu" in controllers_of.get(path, "").split():
            return Hierarchy(Path(path), 2)
    if second:
        raise EnvironmentLackError(
            f"limit the processor time of a process: {second[0]} gives its groups no quota; "
            f"`echo +cpu > {second[0]}/cgroup.subtree_control`"
        )
    raise EnvironmentLackError(
        "limit the processor time of a process: no control groups with the controller cpu are mounted; "
        "`mount -t cgroup2 none /sys/fs/cgroup`"
    )


class CpuQuota:
    """A group for processes that together get ``cores`` of processor time, 0.01 to the number of cores.

    Raises:
        EnvironmentLackError: control groups cannot be made here; the message says what is missing.
    """

    def __init__(self, journal: Journal, cores: float) -> None:
        mountinfo = Path("/proc/self/mountinfo").read_text()
        hierarchy = find_hierarchy(mountinfo, _controllers(mountinfo))
        self.path = hierarchy.path / f"{PREFIX}{journal.run}"
        journal.record("directory", path=str(self.path))
        self._held: int | None = None
        try:
            self._held = hold(self.path)
            for file, value in hierarchy.settings(cores).items():
                (self.path / file).write_text(value)
        except OSError as error:
            self.close()
            raise EnvironmentLackError(
                f"limit the processor time of a process to {cores:g} cores: {error}; it needs root, and a kernel with "
                "CONFIG_CFS_BANDWIDTH, outside of a container that has its control groups read-only"
            ) from None

    def command(self, command: Sequence[str]) -> list[str]:
        """A command that enters the group and becomes ``command``."""
        return ["sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', str(self.path), *command]

    def throttled_ns(self) -> int:
        """How long its processes have waited for the next period."""
        for line in (self.path / "cpu.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "throttled_time":
                return int(value)
            if name == "throttled_usec":
                return int(value) * 1000
        return 0

    def processes(self) -> list[int]:
        """Those that are in it now."""
        return [int(pid) for pid in (self.path / "cgroup.procs").read_text().split()]

    def close(self) -> None:
        """Remove the group. What has been killed in it may be there a moment longer."""
        remove_group(self.path)
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def __enter__(self) -> CpuQuota:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _controllers(mountinfo: str) -> dict[str, str]:
    found = {}
    for line in mountinfo.splitlines():
        if " - cgroup2 " in line:
            path = line.split()[4]
            file = Path(path) / "cgroup.subtree_control"
            found[path] = file.read_text() if file.exists() else ""
    return found
