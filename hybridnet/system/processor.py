# SPDX-License-Identifier: MIT
"""Which computer this is, and what its processors are."""

from __future__ import annotations

import platform
import re
from pathlib import Path

__all__ = ["computer", "processor_model"]


def computer() -> str:
    """What all machines on one computer share, and no other has: the number of its present boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def processor_model() -> str:
    """The model of the processors as the kernel names it; their architecture where it does not."""
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else platform.machine()
