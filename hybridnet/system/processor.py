# SPDX-License-Identifier: MIT
"""What this computer's processors are."""

from __future__ import annotations

import platform
import re
from pathlib import Path

__all__ = ["processor_model"]


def processor_model() -> str:
    """The model of the processors as the kernel names it; their architecture where it does not."""
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else platform.machine()
