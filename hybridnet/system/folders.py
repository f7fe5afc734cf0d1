# SPDX-License-Identifier: MIT
"""Folders of users that a run writes into."""

from __future__ import annotations

from pathlib import Path

from hybridnet.errors import MachineError

__all__ = ["require_folder"]


def require_folder(folder: str) -> None:
    """Raise MachineError where a folder is not there that instances are to write their records into."""
    if not Path(folder).is_dir():
        raise MachineError(f"there is no folder {folder} for records; make it first")
