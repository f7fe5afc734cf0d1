# SPDX-License-Identifier: MIT
"""What hosts may take of the computer: processor time and of which processors, memory, and processes.

A host with a limit has a control group in each hierarchy that it needs:

    /sys/fs/cgroup/cpu/hybridnet-RUN-MACHINE/h1       version 1
    /sys/fs/cgroup/hybridnet-RUN-MACHINE/h1           version 2

Its shell is put there when it is ready, and other programs go there by themselves before they begin (`within`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hybridnet.describe.schema.plans import HostLimit, HostPlan
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.observe.results.machines import Enforced
from hybridnet.system import cgroups
from hybridnet.system.cgroups import Hierarchy
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal
from hybridnet.system.priority import leave_real_time

__all__ = ["HostLimits", "cfs_quota", "core_list", "settings"]

LEAST_QUOTA_US = 1000  # the kernel takes no less
RT_PRIORITY = 20

# "0" is whoever writes it. The groups are reached through the agent's descriptors: hosts do not see the hierarchies.
_JOIN = """n=$1; shift
while [ "$n" -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 126; shift; n=$((n-1)); done
exec "$@\""""


def cfs_quota(share: float, period_us: int) -> tuple[int, int]:
    """Quota and period in microseconds for so many processors' worth of time.

    Example:
        >>> cfs_quota(0.2, 100_000), cfs_quota(0.005, 100_000)
        ((20000, 100000), (1000, 200000))
    """
    quota = round(share * period_us)
    if quota < LEAST_QUOTA_US:
        return LEAST_QUOTA_US, round(LEAST_QUOTA_US / share)
    return quota, period_us


def core_list(cores: Iterable[int]) -> str:
    """Processors as the kernel writes them.

    Example:
        >>> core_list([3, 0, 1])
        '0,1,3'
    """
    return ",".join(str(core) for core in sorted(set(cores)))


def settings(controller: str, version: int, wanted: HostLimit) -> dict[str, str]:
    """The files of a group and what is written to them; no text stands for every processor of the computer."""
    share = wanted["share"] if wanted["sched"] == "cfs" else None  # real time has files of its own
    quota, period = (None, wanted["period_us"]) if share is None else cfs_quota(share, wanted["period_us"])
    if controller == "memory":
        memory = wanted["memory_bytes"]
        # What is swapped out counts, too: a host does not get more memory by being slow.
        if version == 2:
            return {
                "memory.max": "max" if memory is None else str(memory),
                "memory.swap.max": "max" if memory is None else "0",
            }
        text = "-1" if memory is None else str(memory)
        return {"memory.limit_in_bytes": text, "memory.memsw.limit_in_bytes": text}
    if controller == "pids":
        return {"pids.max": "max" if wanted["processes"] is None else str(wanted["processes"])}
    if controller == "cpuset":
        return {"cpuset.cpus": "" if wanted["cores"] is None else core_list(wanted["cores"])}
    if controller != "cpu":
        return {}
    if version == 2:
        return {"cpu.max": f"{'max' if quota is None else quota} {period}"}
    return {"cpu.cfs_period_us": str(period), "cpu.cfs_quota_us": str(-1 if quota is None else quota)}


def _limited(controller: str) -> tuple[str, str]:
    """What a controller limits, and the options that ask for it."""
    return {
        "memory": ("memory", "memory="),
        "pids": ("number of processes", "pids="),
    }.get(controller, ("processor time", "cpu= and cores="))


def _counted(file: Path, name: str) -> int:
    """A row of a file of events."""
    rows = dict(line.split() for line in file.read_text().splitlines())
    return int(rows.get(name, 0))


class _Writing:
    """Files that are written together, so that those that were can be set back when the kernel refuses another."""

    def __init__(self) -> None:
        self._before: list[tuple[Path, str]] = []

    def write(self, path: Path, text: str) -> None:
        before = path.read_text()
        path.write_text(text)
        self._before.append((path, before))

    def set_back(self) -> None:
        """The other way round, as the order matters: what was possible before is so again."""
        while self._before:
            path, text = self._before.pop()
            with contextlib.suppress(OSError):
                path.write_text(text)


def _write_memory(path: Path, files: Mapping[str, str], write: Callable[[Path, str], None]) -> None:
    """Write the limits of memory. In version 1 that of memory and swap together is never the lower one, not even for a
    moment; without swap the kernel has none.
    """
    there = [file for file in files if (path / file).exists()]
    first = there[0]
    if len(there) == 2 and first == "memory.limit_in_bytes":
        wanted = int(files[first])
        if wanted < 0 or wanted > int((path / first).read_text()):
            there.reverse()
    for file in there:
        write(path / file, files[file])


class HostLimits:
    """The control groups of one machine's hosts, and how often the kernel has enforced their limits.

    Args:
        slow: wall seconds for a second of what is described: a share is divided by that.
    """

    def __init__(self, journal: Journal, machine: str, slow: Callable[[], int] = lambda: 1) -> None:
        self._slow = slow
        self._journal = journal
        self._group = f"{cgroups.PREFIX}{journal.run}-{machine}"
        self._made: list[Path] = []
        self._held: dict[
            Path, int
        ] = {}  # the machine's groups, each by a descriptor that shows that the agent lives
        self._enabled: list[tuple[Path, str]] = []
        self._limits: dict[str, HostLimit] = {}
        self._groups: dict[str, dict[str, tuple[Hierarchy, Path, int]]] = {}  # by host and controller
        # Of these, those that have what ran in the host when they were made.
        self._joined: dict[str, set[str]] = {}
        self._enforced: dict[str, Enforced] = {}  # of groups that are gone

    def create(self, plans: Sequence[HostPlan]) -> None:
        """Make the groups of those hosts that have a limit."""
        for plan in plans:
            if "limit" in plan:
                self.set(plan["name"], plan["limit"], [])

    def set(self, host: str, limit: HostLimit, processes: Iterable[int]) -> None:
        """Give a host other limits, all or none; keys that are not there stay as they are.

        Args:
            limit: ``share`` (processors' worth of time), ``cores``, ``sched`` and ``period_us``, ``memory_bytes``,
                ``processes`` (threads are counted); None: no limit.
            processes: what runs in the host, for groups that it did not have so far, or whose limit was refused.

        Raises:
            EnvironmentLackError: this computer gives no such control groups.
            MachineError: the kernel refuses a value.
        """
        if (share := limit.get("share")) is not None:
            limit = {**limit, "share": share / self._slow()}
        wanted: HostLimit = {
            "share": None,
            "cores": None,
            "sched": "cfs",
            "period_us": 100_000,
            "memory_bytes": None,
            "processes": None,
            **self._limits.get(host, HostLimit()),
            **limit,
        }
        groups = self._groups_of(host, wanted)
        writing = _Writing()
        try:
            self._write(host, wanted, groups, writing.write)
        except OSError as error:
            writing.set_back()
            asked = ", ".join(f"{key}={value}" for key, value in wanted.items() if value is not None)
            cure = "choose what this computer has"
            if wanted["sched"] == "rt":
                cure = "all real-time groups of the computer share 95 % of each processor; choose a smaller share"
            raise MachineError(
                f"host {host}: the kernel refuses {asked} ({os.strerror(error.errno or 0)}); {cure}"
            ) from None
        self._limits[host] = wanted
        if set(groups) - self._joined.get(host, set()):
            for pid in processes:
                self.admit(host, pid)
        self._joined[host] = set(groups)

    def forget(self, host: str) -> None:
        """Remove the groups of a host, whose processes have ended."""
        if found := self._enforced_in(host):
            self._enforced[host] = found
        self._limits.pop(host, None)
        self._joined.pop(host, None)
        for _, path, descriptor in self._groups.pop(host, {}).values():
            os.close(descriptor)
            self._remove(path)

    def enforced(self) -> dict[str, Enforced]:
        """How often the kernel has enforced a limit of memory or processes, by host, since the network was built; hosts
        that are gone are among them.
        """
        hosts = sorted({*self._enforced, *self._groups})
        return {host: found for host in hosts if (found := self._enforced_in(host))}

    def _enforced_in(self, host: str) -> Enforced | None:
        """Of one host, what its groups count and what was counted before; None: it has no such limit."""
        groups, limit = self._groups.get(host, {}), self._limits.get(host, HostLimit())
        before = self._enforced.get(host)
        if before is None and not groups.keys() & {"memory", "pids"}:
            return None
        found: Enforced = {"killed": 0, "refused": 0, "memory_bytes": None, "processes": None}
        found |= before or {}
        if "memory" in groups:
            hierarchy, path, _ = groups["memory"]
            file = "memory.events" if hierarchy.version == 2 else "memory.oom_control"
            found["killed"] += _counted(path / file, "oom_kill")
            found["memory_bytes"] = limit["memory_bytes"]
        if "pids" in groups:
            found["refused"] += _counted(groups["pids"][1] / "pids.events", "max")
            found["processes"] = limit["processes"]
        return found

    def within(self, host: str) -> list[str]:
        """What goes before a command, so that it runs under the limits of its host; empty for one without."""
        if host not in self._groups:
            return []
        descriptors = dict.fromkeys(descriptor for _, _, descriptor in self._groups[host].values())
        where = [f"/proc/{os.getpid()}/fd/{descriptor}" for descriptor in descriptors]
        in_real_time = ["chrt", "--rr", str(RT_PRIORITY)] if self._is_real_time(host) else []
        return ["/bin/sh", "-c", _JOIN, "sh", str(len(where)), *where, *in_real_time]

    def admission(self, host: str) -> Callable[[int], None]:
        """What a shell of the host is given to when it is ready."""
        return lambda pid: self.admit(host, pid)

    def admit(self, host: str, pid: int) -> None:
        """Put a process under the limits of its host, and out of the real time in which it was started."""
        leave_real_time(pid)
        for _, path, _ in self._groups.get(host, {}).values():
            with contextlib.suppress(ProcessLookupError):
                (path / "cgroup.procs").write_text(str(pid))
        if self._is_real_time(host):
            os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(RT_PRIORITY))

    def _is_real_time(self, host: str) -> bool:
        return bool(self._limits.get(host, {}).get("sched") == "rt")

    def destroy(self) -> None:
        """Remove all groups, once the hosts' processes have ended. Whatever one raises, all are tried."""
        Endings(self._forget_all, *(lambda path=path: self._remove(path) for path in self._made)).close()

    def _forget_all(self) -> None:
        for groups in self._groups.values():
            for _, _, descriptor in groups.values():
                os.close(descriptor)
        self._groups, self._limits, self._enforced, self._joined = {}, {}, {}, {}
        for root, name in self._enabled:
            with contextlib.suppress(OSError):  # another group uses it by now
                (root / "cgroup.subtree_control").write_text(f"-{name}")
            self._journal.gone("controller", path=str(root), name=name)
        self._enabled = []

    def _remove(self, path: Path) -> None:
        cgroups.remove_group(path)
        if path in self._held:
            os.close(self._held.pop(path))
        self._journal.gone("cgroup", path=str(path))
        if path in self._made:
            self._made.remove(path)

    def _groups_of(self, host: str, wanted: HostLimit) -> dict[str, tuple[Hierarchy, Path, int]]:
        """The groups of a host by controller, made where they are missing."""
        found = cgroups.find()
        asked = (
            ("cpu", wanted["share"]),
            ("cpuset", wanted["cores"]),
            ("memory", wanted["memory_bytes"]),
            ("pids", wanted["processes"]),
        )
        needed = [name for name, value in asked if value is not None]
        for name in needed:
            if name not in found:
                raise EnvironmentLackError(
                    f"host {host}: this computer has no control groups of {name}, so its {_limited(name)[0]} cannot be "
                    f"limited; mount them (mount -t cgroup2 none /sys/fs/cgroup), or leave {_limited(name)[1]} out"
                )
        if wanted["sched"] == "rt" and not (found["cpu"].root / "cpu.rt_runtime_us").exists():
            raise EnvironmentLackError(
                f"host {host}: sched='rt' needs real-time control groups (version 1, CONFIG_RT_GROUP_SCHED), which "
                "this kernel does not have; write sched='cfs'"
            )
        if "cpu" in needed and "cpuacct" in found:
            needed.append("cpuacct")
        groups = self._groups.setdefault(host, {})
        for name in needed:
            if name not in groups:
                groups[name] = self._make(found[name], name, host)
        return groups

    def _make(self, hierarchy: Hierarchy, controller: str, host: str) -> tuple[Hierarchy, Path, int]:
        ours = hierarchy.root / self._group
        for path in (ours, ours / host):
            if hierarchy.version == 2:
                self._enable(path.parent, controller)
            if path not in self._made:
                if not os.access(path.parent, os.W_OK):
                    raise EnvironmentLackError(
                        f"host {host}: control group {path.parent} is not ours to divide, so its "
                        f"{_limited(controller)[0]} cannot be limited; run as root of the computer, or leave "
                        f"{_limited(controller)[1]} out"
                    )
                self._journal.record("cgroup", path=str(path))
                self._made.append(path)
                if path == ours:
                    self._held[ours] = cgroups.hold(ours)
                else:
                    path.mkdir(exist_ok=True)
            if controller == "cpuset" and hierarchy.version == 1:
                for file in (
                    "cpuset.cpus",
                    "cpuset.mems",
                ):  # empty in a new group, which then takes no process
                    (path / file).write_text((path.parent / file).read_text())
        return hierarchy, ours / host, os.open(ours / host, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def _enable(self, parent: Path, controller: str) -> None:
        """Have the groups of `parent` have a controller, as version 2 wants it."""
        file = parent / "cgroup.subtree_control"
        if controller in file.read_text().split():
            return
        if parent.name != self._group:
            self._journal.record("controller", path=str(parent), name=controller)
            self._enabled.append((parent, controller))
        try:
            file.write_text(f"+{controller}")
        except OSError as error:
            raise EnvironmentLackError(
                f"control group {parent}: {controller} cannot be enabled ({error.strerror}); is this a container? "
                f"Leave {_limited(controller)[1]} out, or run outside of it"
            ) from None

    def _write(
        self,
        host: str,
        wanted: HostLimit,
        groups: Mapping[str, tuple[Hierarchy, Path, int]],
        write: Callable[[Path, str], None],
    ) -> None:
        for controller, (hierarchy, path, _) in groups.items():
            if controller == "cpu" and wanted["sched"] == "rt" and wanted["share"] is not None:
                runtime_us = round(wanted["share"] * wanted["period_us"])
                self._write_real_time(
                    host, hierarchy.root / self._group, path, runtime_us, wanted["period_us"], write
                )
            files = settings(controller, hierarchy.version, wanted)
            if controller == "memory":
                _write_memory(path, files, write)
                continue
            for file, text in files.items():
                every = hierarchy.root / (
                    "cpuset.cpus.effective" if hierarchy.version == 2 else "cpuset.cpus"
                )
                write(path / file, text or every.read_text())

    def _write_real_time(
        self,
        host: str,
        ours: Path,
        path: Path,
        runtime_us: int,
        period_us: int,
        write: Callable[[Path, str], None],
    ) -> None:
        """Real-time groups share what the one above them has, so that has the sum."""
        others = sum(
            limit["share"]
            for name, limit in self._limits.items()
            if name != host and limit["sched"] == "rt" and limit["share"]
        )
        write(path / "cpu.rt_period_us", str(period_us))
        before = int((path / "cpu.rt_runtime_us").read_text())
        if runtime_us < before:
            write(path / "cpu.rt_runtime_us", str(runtime_us))
        write(ours / "cpu.rt_period_us", "1000000")
        write(ours / "cpu.rt_runtime_us", str(round((others + runtime_us / period_us) * 1_000_000)))
        write(path / "cpu.rt_runtime_us", str(runtime_us))
