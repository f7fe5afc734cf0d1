# SPDX-License-Identifier: MIT
"""Which interpreters run programs on machines, where this process's own need not be."""

from __future__ import annotations

from hybridnet.machines.cluster import Machines
from hybridnet.system.python_command import python_module

__all__ = ["PYTHON", "hybridnet_command", "interpreter"]

PYTHON = "/usr/bin/python3"
"""For programs that need no library: Debian's."""


def interpreter(cluster: Machines, machine: str) -> str:
    """The Python that has hybridnet on a machine, and the libraries that hybridnet needs."""
    return str(cluster.facts(machine)["executable"])


def hybridnet_command(cluster: Machines, machine: str) -> list[str]:
    """What runs hybridnet's command line on a machine."""
    return python_module("hybridnet.cli", interpreter(cluster, machine))
