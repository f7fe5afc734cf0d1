# SPDX-License-Identifier: MIT
"""How many files a process may have open: setrlimit(2), RLIMIT_NOFILE."""

from __future__ import annotations

import resource

__all__ = ["OPEN_FILES", "allow_open_files"]

OPEN_FILES = 65536
"""A host takes four: its mount namespace, its shell's terminal and process, a program's pipe."""


def allow_open_files() -> None:
    """Let this process, and those that it starts, open as many files as a network needs, and strangers' connections do
    not use up. A smaller hard limit stays.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < (most := OPEN_FILES if hard < 0 else min(hard, OPEN_FILES)):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
