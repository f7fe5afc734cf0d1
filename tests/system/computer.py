# SPDX-License-Identifier: MIT
"""A computer for one test: namespaces of its own, with an empty /run and nothing but a loopback.

What runs on this computer itself, as Mininet's scripts do, can then be tested beside others that do the same, and
beside an Open vSwitch that runs here.
"""

from __future__ import annotations

import shlex

_SETUP = "mount -t tmpfs tmpfs /run && mkdir /run/lock && ip link set lo up"


def on_a_computer(command: list[str], *, setup: str = "true") -> list[str]:
    """What runs `command` on such a computer, after the shell's command `setup`. It ends with all its processes."""
    words = f"{_SETUP} && {setup} && {shlex.join(command)}"
    return [
        *("unshare", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"),
        *("bash", "-c", words),
    ]
