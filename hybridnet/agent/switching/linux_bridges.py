# SPDX-License-Identifier: MIT
"""The bridges of the Linux kernel on a machine: they learn by themselves, and know no controller."""

from __future__ import annotations

from collections.abc import Sequence

from hybridnet.agent.hosts.pairs import delete_each, delete_links, keep_stack_out, mark
from hybridnet.describe.schema.plans import BridgePlan
from hybridnet.system.command import ip_batch
from hybridnet.system.journal import Journal, network_namespace


class LinuxBridges:
    """Makes and removes the Linux bridges of one machine."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._bridges: dict[str, None] = {}  # in order

    def __contains__(self, name: object) -> bool:
        return name in self._bridges

    def create(self, plans: Sequence[BridgePlan]) -> None:
        """Make bridges, without ports."""
        for plan in plans:
            self._journal.record("link", name=plan["name"], network=network_namespace())
            self._bridges[plan["name"]] = None
        # Without the protocol a port forwards at once; with it, after twice the forward delay, which stays the usual.
        ip_batch(
            f"link add name {plan['name']} type bridge mcast_snooping 0 stp_state {int(plan['stp'])}"
            + ("" if plan["stp"] else " forward_delay 0")
            + (f" priority {plan['priority']}" if "priority" in plan else "")
            for plan in plans
        )
        ip_batch(mark(plan["name"], self._journal) for plan in plans)
        keep_stack_out([plan["name"] for plan in plans])
        ip_batch(f"link set dev {plan['name']} up" for plan in plans)

    def add_ports(self, plans: Sequence[BridgePlan]) -> None:
        """Give bridges their ports, which are devices of pairs, and leave a bridge with these."""
        ip_batch(f"link set dev {port} master {plan['name']}" for plan in plans for port in plan["ports"])

    def remove(self, names: Sequence[str]) -> None:
        """Remove bridges. One that is not there is no error."""
        ours = [name for name in names if name in self._bridges]
        delete_each(ours, self._journal)
        for name in ours:
            del self._bridges[name]

    def destroy(self) -> None:
        """Remove them all; their ports are the pairs'."""
        delete_links(list(self._bridges), self._journal)
        self._bridges = {}
