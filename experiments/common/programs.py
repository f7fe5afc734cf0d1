# SPDX-License-Identifier: MIT
"""Which interpreters run programs on machines, where this process's own need not be."""

from __future__ import annotations

from hybridnet.cluster import Cluster

__all__ = ["PYTHON", "hybridnet_command"]

PYTHON = "/usr/bin/python3"
"""For programs that need no library: Debian's."""


def hybridnet_command(cluster: Cluster, machine: str) -> list[str]:
    """What runs hybridnet's command line on a machine."""
    return [cluster.facts(machine)["executable"], "-m", "hybridnet.cli"]
