# SPDX-License-Identifier: MIT
"""For whom this process works: behind sudo that is who asked."""

from __future__ import annotations

import os

__all__ = ["asking_user"]


def asking_user() -> tuple[int, int]:
    """The numbers of the user and the group to whom new files belong."""
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        return int(os.environ["SUDO_UID"]), int(os.environ.get("SUDO_GID", os.environ["SUDO_UID"]))
    return os.geteuid(), os.getegid()
