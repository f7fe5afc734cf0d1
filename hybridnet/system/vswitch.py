# SPDX-License-Identifier: MIT
"""What a run leaves in an Open vSwitch that is not its own, and how that is taken back: bridges, and a setting.

A bridge of a run has the run's name in ``external_ids:hybridnet``; one without it is somebody else's.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridnet.system.command import run

__all__ = ["bridges_of", "put_setting_back", "remove_bridges"]

BRIDGES_PER_TRANSACTION = 50
TIMEOUT_S = 30
_COMMAND = ("ovs-vsctl", f"--timeout={TIMEOUT_S}")


def bridges_of(run_name: str) -> list[str]:
    """The bridges of a run that are there. Raises MachineError if Open vSwitch does not answer."""
    told = run(
        [*_COMMAND, "--bare", "--columns=name", "find", "Bridge", f"external_ids:hybridnet={run_name}"]
    )
    return told.split()


def remove_bridges(names: Iterable[str], run_name: str) -> list[str]:
    """Remove those of the bridges that are the run's. Returns them. Raises MachineError if that fails."""
    wanted = set(names)
    ours = [name for name in bridges_of(run_name) if name in wanted]
    for first in range(0, len(ours), BRIDGES_PER_TRANSACTION):
        words = [
            word for name in ours[first : first + BRIDGES_PER_TRANSACTION] for word in ("--", "del-br", name)
        ]
        run([*_COMMAND, *words[1:]])
    return ours


def put_setting_back(key: str, before: str) -> None:
    """Give a key of ``other_config`` its value again; an empty one removes the key."""
    if before:
        run([*_COMMAND, "set", "Open_vSwitch", ".", f"other_config:{key}={before}"])
    else:
        run([*_COMMAND, "remove", "Open_vSwitch", ".", "other_config", key])
