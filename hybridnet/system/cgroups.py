# SPDX-License-Identifier: MIT
"""Control groups for processor time, memory and processes, of either version of the kernel's interface, whichever
has the controller.

A computer may have both: version 1 mounts one hierarchy for each controller (``/sys/fs/cgroup/cpu``), version 2 has
one for all (``/sys/fs/cgroup``, or ``/sys/fs/cgroup/unified``), and a controller is in one of the two.

A group is there for the whole computer, whatever namespaces its maker has. So where a maker is killed together with
the mount namespace that has its journal, the group remains and no journal names it. Each maker therefore holds a lock
on its group for as long as it lives: the kernel gives it up with the maker's last descriptor, in any namespace.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hybridnet.errors import MachineError
from hybridnet.system.locks import lock_what_others_can_open

__all__ = ["CONTROLLERS", "PREFIX", "Hierarchy", "find", "hold", "remove_abandoned", "remove_group"]

CONTROLLERS = ("cpu", "cpuacct", "cpuset", "memory", "pids")
"""cpuacct, which only counts, is a controller of version 1; version 2 counts wherever there is a group."""

PREFIX = "hybridnet-"
"""How the names of hybridnet's groups begin, in the first level of a hierarchy."""

_PATIENCE_S = 2.0


@dataclass(frozen=True)
class Hierarchy:
    """Where groups of a controller are made."""

    version: int
    root: Path


def find(mounts: str | None = None) -> dict[str, Hierarchy]:
    """The hierarchy of each of `CONTROLLERS` that this computer gives.

    Args:
        mounts: the text of ``/proc/self/mountinfo``; default: this process's.
    """
    text = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
    found: dict[str, Hierarchy] = {}
    for root, kind, options in _mounted(text):
        if kind == "cgroup2":
            with contextlib.suppress(OSError):  # something else is mounted over it
                names = (root / "cgroup.controllers").read_text().split()
                found |= {name: Hierarchy(2, root) for name in names if name in CONTROLLERS}
        elif (root / "cgroup.procs").exists():
            found |= {name: Hierarchy(1, root) for name in options if name in CONTROLLERS}
    return found


def remove_group(path: Path) -> bool:
    """Remove a group; what still runs in it goes back to the first one of its hierarchy. Returns whether it was there.

    Raises:
        MachineError: it is still there after two seconds.
    """
    first = path
    while (first.parent / "cgroup.procs").exists():
        first = first.parent
    if not path.is_dir():
        return False
    try:
        _remove_empty(path, lambda: _move(path, first))
    except FileNotFoundError:
        return True
    except OSError as error:
        raise MachineError(
            f"control group {path} cannot be removed: {os.strerror(error.errno or 0)}"
        ) from None
    return True


def _move(path: Path, first: Path) -> None:
    for pid in (path / "cgroup.procs").read_text().split():
        with contextlib.suppress(OSError):  # it ends meanwhile
            (first / "cgroup.procs").write_text(pid)


def _remove_empty(path: Path, before_each_try: Callable[[], None] = lambda: None) -> None:
    """Remove a group in which nothing runs any more: a process that has ended leaves its group a moment later.

    Raises:
        OSError: it is still there after two seconds.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        before_each_try()
        try:
            return path.rmdir()
        except FileNotFoundError:
            raise
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def hold(path: Path) -> int:
    """Make a group if it is missing, and show that its maker lives until the descriptor that this returns is closed.

    Raises:
        OSError: the group cannot be made.
    """
    while True:
        path.mkdir(exist_ok=True)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:  # taken for abandoned before it was held
            continue
        lock_what_others_can_open(descriptor, f"control group {path}", fcntl.LOCK_SH)
        if _is_same(descriptor, path):
            return descriptor
        os.close(descriptor)


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def remove_abandoned(mounts: str | None = None) -> list[Path]:
    """Remove hybridnet's groups that nobody holds and in which nothing runs, with those below them. Returns the first
    ones of each.

    Args:
        mounts: as of `find`.
    """
    removed: list[Path] = []
    for root in dict.fromkeys(hierarchy.root for hierarchy in find(mounts).values()):
        removed += [path for path in sorted(root.glob(f"{PREFIX}*")) if _remove_abandoned(path)]
    return removed


def _remove_abandoned(path: Path) -> bool:
    """Whether it was one, and is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # gone, or somebody else's
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        groups = sorted(
            (file.parent for file in path.rglob("cgroup.procs")), reverse=True
        )  # inner ones first
        if any((group / "cgroup.procs").read_text() for group in groups):
            return False
        for group in groups:
            _remove_empty(group)
        return True
    except OSError:  # held, or it goes meanwhile
        return False
    finally:
        os.close(descriptor)


def _mounted(mounts: str) -> Iterator[tuple[Path, str, list[str]]]:
    """The mounts of control groups: where, of which kind, and with which options."""
    for line in mounts.splitlines():
        own, _, described = line.partition(" - ")
        fields = described.split()
        if fields and fields[0] in ("cgroup", "cgroup2"):
            yield Path(own.split()[4].encode().decode("unicode_escape")), fields[0], fields[2].split(",")
