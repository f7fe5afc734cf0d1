# SPDX-License-Identifier: MIT
"""What a process may have open, and how much memory it may map: setrlimit(2), RLIMIT_NOFILE and RLIMIT_AS."""

from __future__ import annotations

import resource

from hybridnet.errors import EnvironmentLackError

__all__ = ["OPEN_FILES", "allow_open_files", "require_address_space"]

OPEN_FILES = 65536
"""A host takes four: its mount namespace, its shell's terminal and process, a program's pipe."""

ADDRESS_SPACE_MIB = 600
"""What a network of two hosts takes: with less, Dask's TLS or Open vSwitch fails in words of its own."""


def allow_open_files() -> None:
    """Let this process, and those that it starts, open as many files as a network needs, and strangers' connections do
    not use up. A smaller hard limit stays.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < (most := OPEN_FILES if hard < 0 else min(hard, OPEN_FILES)):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def require_address_space() -> None:
    """Raise EnvironmentLackError where a process may map less memory than a network's programs need."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY and soft < ADDRESS_SPACE_MIB * 2**20:
        raise EnvironmentLackError(
            f"a process may map {soft // 2**20} MiB of memory here (ulimit -v {soft // 1024}), and the programs of a "
            f"network need {ADDRESS_SPACE_MIB} MiB each; run: ulimit -v unlimited"
        )
