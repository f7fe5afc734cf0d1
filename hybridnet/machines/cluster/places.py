# SPDX-License-Identifier: MIT
"""Where the machines of a run are, before there is a cluster of them.

    places = Places(hosts=(SshMachine("me@a"), SshMachine("me@b")))
    with places.cluster(["m1", "m2"]) as cluster:
        ...

What an experiment needs of it is `ClusterFactory`: names of machines in, a cluster of machines with these names out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hybridnet.errors import UsageError
from hybridnet.machines.cluster.cluster import Cluster
from hybridnet.machines.cluster.presence import GRACE_S
from hybridnet.machines.workers.ssh import SshMachine

__all__ = ["ClusterFactory", "Places"]

ClusterFactory = Callable[[Sequence[str]], Cluster]
"""Makes a cluster whose machines have these names."""


@dataclass(frozen=True)
class Places:
    """Where machines are: at most one of `hosts` and `scheduler`; with neither, on this computer.

    Args:
        names: of machines on this computer; empty: as many as are needed.
        hosts: reached over SSH.
        scheduler: the address of an existing Dask scheduler, whose workers they are.
        spare: whether there may be more hosts than are needed.
        grace_s: for how long one elsewhere may be out of reach before it is given up.
    """

    names: tuple[str, ...] = ()
    hosts: tuple[SshMachine, ...] = ()
    scheduler: str | None = None
    spare: bool = False
    grace_s: float = GRACE_S

    @property
    def elsewhere(self) -> bool:
        """Whether they are not made on this computer."""
        return bool(self.hosts) or self.scheduler is not None

    def open(self) -> Cluster:
        """A cluster of all of them.

        Raises:
            UsageError: they are local, and have no names.
            HybridnetError: as `Cluster.ssh`, `Cluster.connect` and `Cluster.local` do.
        """
        if self.hosts:
            return Cluster.ssh(self.hosts, grace_s=self.grace_s)
        if self.scheduler is not None:
            return Cluster.connect(self.scheduler, grace_s=self.grace_s)
        return Cluster.local(self.names)

    def cluster(self, names: Sequence[str]) -> Cluster:
        """A cluster of as many machines as there are names, called so, in order. A `ClusterFactory`.

        Raises:
            UsageError: there are fewer or more machines than names.
            HybridnetError: as `open`.
        """
        if self.scheduler is not None:
            return Cluster.connect(self.scheduler, names=names, grace_s=self.grace_s)
        if self.names and len(self.names) == len(names) and self.names != tuple(names):
            raise UsageError(
                f"--machines {','.join(self.names)}: here they are called {', '.join(names)}; write "
                f"--machines {len(names)}"
            )
        there = len(self.hosts or self.names)
        if there and (there < len(names) or (there > len(names) and not self.spare)):
            raise UsageError(
                f"{there} machines are given, and {len(names)} are needed ({', '.join(names)}); give "
                f"{len(names)}"
            )
        if self.hosts:
            return Cluster.ssh(
                [replace(host, name=name) for host, name in zip(self.hosts, names, strict=False)],
                grace_s=self.grace_s,
            )
        return Cluster.local(names)
