# SPDX-License-Identifier: MIT
"""Folders of users that a run writes into, and the one of what hybridnet makes once for each computer."""

from __future__ import annotations

import os
from pathlib import Path

from hybridnet.errors import MachineError
from hybridnet.system.rootless import is_rootless

__all__ = ["OF_THE_COMPUTER", "data_folder", "require_folder"]

OF_THE_COMPUTER = Path("/var/lib/hybridnet")
"""What root has made once, for everybody."""


def data_folder() -> Path:
    """Where hybridnet keeps what it makes once: root's is the computer's, so that no user's files run as root."""
    if os.geteuid() == 0 and not is_rootless():
        return OF_THE_COMPUTER
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hybridnet"


def require_folder(folder: str) -> None:
    """Raise MachineError where a folder is not there that instances are to write their records into."""
    if not Path(folder).is_dir():
        raise MachineError(f"there is no folder {folder} for records; make it first")
