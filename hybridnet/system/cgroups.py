# SPDX-License-Identifier: MIT
"""Control groups for processor time, of either version of the kernel's interface, whichever has the controller.

A computer may have both: version 1 mounts one hierarchy for each controller (``/sys/fs/cgroup/cpu``), version 2 has
one for all (``/sys/fs/cgroup``, or ``/sys/fs/cgroup/unified``), and a controller is in one of the two.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hybridnet.errors import MachineError

__all__ = ["CONTROLLERS", "Hierarchy", "find", "remove_group"]

CONTROLLERS = ("cpu", "cpuacct", "cpuset")
"""cpuacct, which only counts, is a controller of version 1; version 2 counts wherever there is a group."""

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
    deadline = time.monotonic() + _PATIENCE_S
    first = path
    while (first.parent / "cgroup.procs").exists():
        first = first.parent
    while path.is_dir():
        for pid in (path / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):  # it ends meanwhile
                (first / "cgroup.procs").write_text(pid)
        try:
            path.rmdir()
            return True
        except FileNotFoundError:
            return True
        except OSError as error:  # a process that has ended leaves its group a moment later
            if time.monotonic() > deadline:
                raise MachineError(
                    f"control group {path} cannot be removed: {os.strerror(error.errno or 0)}"
                ) from None
            time.sleep(0.01)
    return False


def _mounted(mounts: str) -> Iterator[tuple[Path, str, list[str]]]:
    """The mounts of control groups: where, of which kind, and with which options."""
    for line in mounts.splitlines():
        own, _, described = line.partition(" - ")
        fields = described.split()
        if fields and fields[0] in ("cgroup", "cgroup2"):
            yield Path(own.split()[4].encode().decode("unicode_escape")), fields[0], fields[2].split(",")
