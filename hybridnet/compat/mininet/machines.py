# SPDX-License-Identifier: MIT
"""The machines over which a script's networks are spread, where the command line names some.

Mininet's scripts know of one computer. `spread_over` says, before the script runs, which machines there are; each
network is then partitioned when it is made, and one line says how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hybridnet.describe.quantities import format_delay
from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.plan.choices.options import LEAST_CUT_DELAY_NS
from hybridnet.plan.placement.spread import spread
from hybridnet.system.log import info

if TYPE_CHECKING:
    from hybridnet.machines.cluster import Cluster

__all__ = ["Machines", "end_machines", "machines_of_the_run", "machines_over", "spread_over"]

LOCAL = "localhost"


@dataclass
class Machines:
    """Machines, and what of a network belongs on each.

    Args:
        names: of local machines, which each network makes for itself; with `open`, those of its machines that are used,
            or none for all of them.
        open: makes the cluster, when the first network needs it; None: the machines are local ones.
        shares: of the nodes that each machine gets; None: equal ones.
        machine_of: the machine of each node that has a place; with any, nothing is partitioned.
        least_cut_delay_ns: what a link between machines takes at least.
    """

    names: Sequence[str] = ()
    open: Callable[[], Cluster] | None = None
    shares: Sequence[float] | None = None
    machine_of: Mapping[str, str] = field(default_factory=dict)
    least_cut_delay_ns: int = LEAST_CUT_DELAY_NS
    _cluster: Cluster | None = None

    def cluster(self) -> Cluster | None:
        """The cluster, opened if that is not done; None for local machines."""
        if self._cluster is None and self.open is not None:
            self._cluster = self.open()
            self.names = self.names or self._cluster.machines
        return self._cluster

    def spread(self, topo: Topo) -> Topo:
        """The description laid over the machines; says how."""
        laid = spread(
            topo,
            self.names,
            shares=self.shares,
            machine_of=self.machine_of,
            least_cut_delay_ns=self.least_cut_delay_ns,
        )
        info(f"*** Spreading {laid}\n")
        return laid.topo

    def joining(
        self, machine1: str, machine2: str, options: Mapping[str, Any], what: str
    ) -> dict[str, object]:
        """The options of a link that comes between two machines (or on one): with the delay that it needs there."""
        ends = Topo()
        ends.addLink(ends.addHost("a"), ends.addHost("b"), **options)
        places = {"a": machine1, "b": machine2}
        laid = spread(ends, self.names, machine_of=places, least_cut_delay_ns=self.least_cut_delay_ns)
        if laid.slowed:
            info(
                f"*** {what}: it is a cut link, and gets a delay of {format_delay(laid.least_cut_delay_ns)}\n"
            )
        return dict(laid.topo.spec("a", "b").options)

    def close(self) -> None:
        """End the machines that are not a network's own."""
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None


def machines_over(
    servers: Sequence[str], machine_of: Mapping[str, str], *, least_cut_delay_ns: int = LEAST_CUT_DELAY_NS
) -> Machines | None:
    """The machines of servers as Mininet's cluster edition names them: m1, m2 and so on, in their order.

    Args:
        servers: ``"user@host"``; or all ``"localhost"``, which are as many local machines, and one alone is this
            computer.
        machine_of, least_cut_delay_ns: as of `Machines`.

    Returns:
        None: this computer itself.

    Raises:
        UsageError: this computer is named beside others.
    """
    if list(servers) == [LOCAL]:
        return None
    if all(server == LOCAL for server in servers):
        names = [f"m{number}" for number in range(1, len(servers) + 1)]
        return Machines(names, machine_of=machine_of, least_cut_delay_ns=least_cut_delay_ns)
    if LOCAL in servers:
        raise UsageError(
            f"servers {', '.join(servers)}: this computer cannot be one of several; name other computers only, or "
            "spread the script over local machines (hybridnet run --machines 2)"
        )
    return Machines(
        open=lambda: _over_ssh(servers), machine_of=machine_of, least_cut_delay_ns=least_cut_delay_ns
    )


def _over_ssh(servers: Sequence[str]) -> Cluster:
    from hybridnet.machines.cluster import Cluster

    return Cluster.ssh(servers)


_of_the_run: Machines | None = None


def spread_over(machines: Machines | None) -> None:
    """Have the networks that are made from now on spread over these machines; None: over none."""
    global _of_the_run
    _of_the_run = machines


def machines_of_the_run() -> Machines | None:
    """What `spread_over` was told."""
    return _of_the_run


def end_machines() -> None:
    """End the machines of the run: its script has ended."""
    if _of_the_run is not None:
        _of_the_run.close()
    spread_over(None)
