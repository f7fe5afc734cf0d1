# SPDX-License-Identifier: MIT
"""All that a run could leave on this computer, to compare before and after."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def traces(run: str | None = None) -> dict[str, set[str]]:
    """Devices, names of network namespaces, mounts, settings and the files of /run; and the processes of `run`.

    This computer may be busy with others' work: of processes only those of the run are told. Without a run the test
    looks at the whole computer, and must be marked ``alone``.
    """
    assert run is not None or "PYTEST_XDIST_WORKER" not in os.environ, (
        "mark this test alone: another one runs beside it"
    )
    processes = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        if run and _belongs(entry, run):
            processes.add(entry)
    neighbours = Path("/proc/sys/net/ipv4/neigh/default")
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return {
        "links": set(os.listdir("/sys/class/net")),
        "names": set(os.listdir("/run/netns")) if Path("/run/netns").exists() else set(),
        "mounts": {path for path in mounts if not path.startswith("/run/netns/")},
        "settings": {f"{path.name}={path.read_text()}" for path in neighbours.glob("gc_thresh*")},
        "processes": processes,
    }


def network_namespaces_of(run: str) -> set[str]:
    """The network namespaces in which processes of `run` are."""
    found = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        if _belongs(entry, run):
            with contextlib.suppress(OSError):  # it has just ended
                found.add(os.readlink(f"/proc/{entry}/ns/net"))
    return found


def groups_of(run: str) -> list[Path]:
    """The first control groups of a run."""
    return [
        *Path("/sys/fs/cgroup").glob(f"hybridnet-{run}*"),
        *Path("/sys/fs/cgroup").glob(f"*/hybridnet-{run}*"),
    ]


def _belongs(pid: str, run: str) -> bool:
    try:
        return f"HYBRIDNET_RUN={run}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
