# SPDX-License-Identifier: MIT
"""Mininet's checks for kernel modules and programs. hybridnet needs no module, so only programs are looked for."""

from __future__ import annotations

from typing import Any

from hybridnet.compat.mininet.util import errRun, quietRun, which
from hybridnet.errors import EnvironmentLackError

__all__ = ["OF_KMOD", "OVS_KMOD", "TUN", "lsmod", "modprobe", "moduleDeps", "pathCheck", "rmmod"]

OF_KMOD, OVS_KMOD, TUN = "ofdatapath", "openvswitch", "tun"


def lsmod() -> str:
    """The modules that the kernel has loaded."""
    return quietRun("lsmod")


def rmmod(mod: str) -> str:
    """Refuse to unload: nothing that a network did not load is taken away. Returns what is said of it."""
    return f"{mod} is left loaded\n"


def modprobe(mod: str) -> str:
    """Have the kernel load a module. Returns what is printed."""
    return errRun(["modprobe", mod])[1]


def moduleDeps(subtract: Any = None, add: Any = None) -> None:
    """Nothing: a network takes what the kernel has."""


def pathCheck(*args: str, **kwargs: Any) -> None:
    """Raise EnvironmentLackError for the first program that is not there; `moduleName` says whose it is."""
    for program in args:
        if not which(program):
            raise EnvironmentLackError(
                f"{program}, of {kwargs.get('moduleName', 'it')}, is not installed; install it"
            )
