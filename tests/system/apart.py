# SPDX-License-Identifier: MIT
"""Scripts that change what a computer has once: run in namespaces of their own, as on a computer of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# The state directory of runs is under /run, so runs there and elsewhere do not see each other.
_ENTER = """
mkdir -p "$0" && mount --rbind /sys/fs/cgroup "$0" &&
mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys && mount --rbind "$0" /sys/fs/cgroup &&
ip link set lo up && exec "$@"
"""


def run_apart(
    tmp_path: Path, text: str, *arguments: str, timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a Python program in network and mount namespaces of its own.

    Args:
        arguments: of Python, before the program, such as ``-m hybridnet.compat.mininet``.
    """
    script = tmp_path / "script.py"
    script.write_text(text)
    command = [
        "unshare",
        "--mount",
        "--net",
        "--propagation",
        "private",
        "sh",
        "-c",
        _ENTER,
        str(tmp_path / "groups"),
    ]
    return subprocess.run(
        [*command, sys.executable, *arguments, str(script)],
        capture_output=True, text=True, timeout=timeout_s, check=False,
    )  # fmt: skip
