# SPDX-License-Identifier: MIT
"""Machines that are kernels of their own, in one simulated time with the head's: how they are reached."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from hybridnet.errors import UsageError
from hybridnet.machines.workers.ssh import SshMachine
from hybridnet.system.simulated_time import KERNELS_VARIABLE

__all__ = ["Kernels", "kernels_of_run"]


@dataclass(frozen=True)
class Kernels:
    """Those of this run.

    Args:
        head: the address of the head's own.
        addresses: of the machines', in order.
        key: a file with the private key that they take.
        known_hosts: a file with theirs.
    """

    head: str
    addresses: tuple[str, ...]
    key: str
    known_hosts: str

    def machines(self, names: Sequence[str]) -> list[SshMachine]:
        """As many of them as there are names, called so.

        Raises:
            UsageError: there are fewer.
        """
        if len(names) > len(self.addresses):
            raise UsageError(
                f"{len(names)} machines in simulated time ({', '.join(names)}), and this run has {len(self.addresses)} "
                f"kernels for machines; write --machines {len(names)}"
            )
        how = (
            "-F",
            "none",
            "-o",
            f"UserKnownHostsFile={self.known_hosts}",
            "-o",
            "StrictHostKeyChecking=yes",
        )
        return [
            SshMachine(f"root@{address}", name=name, python=sys.executable, identity=self.key, options=how)
            for name, address in zip(names, self.addresses, strict=False)
        ]


def kernels_of_run() -> Kernels | None:
    """Those of this run, as `hybridnet.kernel.several` tells; None: it has none for machines."""
    if (text := os.environ.get(KERNELS_VARIABLE)) is None:
        return None
    told = json.loads(text)
    return Kernels(told["head"], tuple(told["machines"]), told["key"], told["known_hosts"])
