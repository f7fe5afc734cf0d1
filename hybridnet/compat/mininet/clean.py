# SPDX-License-Identifier: MIT
"""Mininet's clean-up: removes what runs of hybridnet left whose process has ended, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from hybridnet.compat.mininet.util import quietRun
from hybridnet.system.cleaning import clean_all
from hybridnet.system.log import info

__all__ = ["Cleanup", "addCleanupCallback", "cleanup", "killprocs", "sh"]


def sh(cmd: str) -> str:
    """Run a command on this computer, in a shell. Returns what it printed."""
    return quietRun(cmd, shell=True)


def killprocs(pattern: str) -> None:
    """Nothing: processes of a network end with it, and what else matches a pattern is not ours to end."""


class Cleanup:
    """What `cleanup` does, and what scripts add to it."""

    callbacks: list[Callable[[], object]] = []

    @classmethod
    def cleanup(cls) -> None:
        """Remove what ended runs left, and call the callbacks."""
        info("*** Removing what ended runs have left\n")
        clean_all()
        for callback in cls.callbacks:
            callback()

    @classmethod
    def addCleanupCallback(cls, callback: Callable[[], object]) -> None:
        """Have a function called by `cleanup`."""
        if callback not in cls.callbacks:
            cls.callbacks.append(callback)


cleanup = Cleanup.cleanup
addCleanupCallback = Cleanup.addCleanupCallback
