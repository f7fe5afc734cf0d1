# SPDX-License-Identifier: MIT
"""What a run leaves in an Open vSwitch that is not its own, and how that is taken back: bridges, and a setting.

A bridge of a run has the run's name in ``external_ids:hybridnet``; one without it is somebody else's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hybridnet.system.command import run
from hybridnet.system.daemon import Daemon

__all__ = [
    "OVSDB_SERVER",
    "RUN_DIRECTORY",
    "VSWITCHD",
    "bridges_of",
    "datapath_type",
    "put_setting_back",
    "remove_bridges",
    "running_daemons",
    "vsctl",
]

RUN_DIRECTORY = Path("/run/openvswitch")  # a machine's own: see hybridnet.machines.workers.init
OVSDB_SERVER, VSWITCHD = "ovsdb-server", "ovs-vswitchd"
BRIDGES_PER_TRANSACTION = 50
TIMEOUT_S = 30
OWN_TIMEOUT_FIRST_S = 5.0


def datapath_type(port_type: str) -> str:
    """Open vSwitch's name for the datapath of such ports: ``system`` is the kernel's, ``netdev`` its own."""
    return "system" if port_type == "system" else "netdev"


def vsctl(daemons: Sequence[Daemon], *words: str, timeout_s: float = TIMEOUT_S) -> str:
    """Run `ovs-vsctl`, and return what it printed.

    Args:
        daemons: those of this Open vSwitch. Without ovs-vswitchd among them, ``--no-wait`` is among the words.
        timeout_s: how long ovs-vswitchd may take for it, if it does something meanwhile.

    Raises:
        MachineError: it failed; or a daemon has ended or does nothing, and the message names it.
    """
    timeout = f"--timeout={timeout_s:.0f}"  # it does not outlive us, should we be killed
    return run(["ovs-vsctl", timeout, *words], timeout=timeout_s + OWN_TIMEOUT_FIRST_S, relying_on=daemons)


def running_daemons() -> list[Daemon]:
    """Those of the Open vSwitch of this computer that say that they run: by their files of process numbers."""
    found = []
    for name in (OVSDB_SERVER, VSWITCHD):
        try:
            pid = int((RUN_DIRECTORY / f"{name}.pid").read_text())
        except (OSError, ValueError):
            continue
        log = Path(f"/var/log/openvswitch/{name}.log")
        found.append(Daemon(name, pid, [log], RUN_DIRECTORY / f"{name}.{pid}.ctl"))
    return found


def bridges_of(run_name: str) -> list[str]:
    """The bridges of a run that are there. Raises MachineError if Open vSwitch does not answer."""
    told = _vsctl("--bare", "--columns=name", "find", "Bridge", f"external_ids:hybridnet={run_name}")
    return told.split()


def remove_bridges(names: Iterable[str], run_name: str) -> list[str]:
    """Remove those of the bridges that are the run's. Returns them. Raises MachineError if that fails."""
    wanted = set(names)
    ours = [name for name in bridges_of(run_name) if name in wanted]
    for first in range(0, len(ours), BRIDGES_PER_TRANSACTION):
        words = [
            word for name in ours[first : first + BRIDGES_PER_TRANSACTION] for word in ("--", "del-br", name)
        ]
        _vsctl(*words[1:])
    return ours


def put_setting_back(key: str, before: str) -> None:
    """Give a key of ``other_config`` its value again; an empty one removes the key."""
    if before:
        _vsctl("set", "Open_vSwitch", ".", f"other_config:{key}={before}")
    else:
        _vsctl("remove", "Open_vSwitch", ".", "other_config", key)


def _vsctl(*words: str) -> str:
    return vsctl(running_daemons(), *words)
