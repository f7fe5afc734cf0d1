# SPDX-License-Identifier: MIT
"""Hosts that translate addresses (NAT): their rules, in a namespace of their own or in the machine's."""

from __future__ import annotations

from collections.abc import Sequence

from hybridnet.agent.hosts.forwarding import Forwarding
from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.agent.hosts.uplink import Uplink
from hybridnet.describe.schema.plans import HostPlan
from hybridnet.system import nat
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal, network_namespace
from hybridnet.system.rootless import refuse_rootless


class Translations:
    """Those of one machine."""

    def __init__(
        self,
        journal: Journal,
        machine: str,
        hosts: Hosts,
        inside: NamespaceThread,
        *,
        outside: int | None,
        own_network: bool,
    ) -> None:
        """
        Args:
            outside: a descriptor of the computer's network namespace, if the machine has another one.
            own_network: whether the machine's network namespace ends with it, and its rules with that.
        """
        self._journal = journal
        self._machine = machine
        self._hosts = hosts
        self._inside = inside
        self._network = None if own_network else network_namespace()
        self._forwarding = Forwarding(lambda function: function(), journal, self._network)
        self._uplink = None if outside is None else Uplink(journal, machine, inside, outside)
        self._made: dict[str, nat.Translation] = {}

    def create(self, plans: Sequence[HostPlan]) -> None:
        """Make the rules of those hosts that have some, once their devices are there."""
        for plan in plans:
            if "nat" in plan:
                self.add(plan["name"], **plan["nat"])

    def add(self, host: str, subnet: str, interface: str) -> str:
        """Have a host translate what comes from a subnet by an interface, instead of what it translated so far.

        Returns:
            What makes the rules: ``"iptables"`` or ``"nftables"``.

        Raises:
            EnvironmentLackError: neither is installed.
            MachineError: the kernel refuses the rules.
        """
        self.forget(host)
        where = self._hosts.namespace(host)
        name = f"hybridnet-{self._journal.run}-{self._machine}-{host}"
        if where:
            prefix = self._hosts.prefix(host)
            described = nat.translation(name, subnet, interface, prefix=prefix)
            nat.install(described, prefix)
            Forwarding(lambda function: self._inside.run(where, function), self._journal, None).enable()
        else:
            refuse_rootless(f"host {host}: a way out of the network (NAT)")
            # A local machine forwards to its way out only: its hosts do not reach the head.
            only_to = None if self._uplink is None else self._uplink.make()
            described = nat.translation(name, subnet, interface, only_to=only_to)
            if self._network is not None:
                self._journal.record("nat", network=self._network, **described)
            self._made[host] = described
            nat.install(described)
            self._forwarding.enable()
        return str(described["tool"])

    def forget(self, host: str) -> None:
        """Remove the rules of a host. Those in a namespace of its own go with that."""
        described = self._made.get(host)
        if described is None:
            return
        nat.remove(described)
        if self._network is not None:
            self._journal.gone("nat", network=self._network, name=described["name"])
        del self._made[host]

    def destroy(self) -> None:
        """Remove all rules and the way out. Whatever one raises, all are tried."""
        Endings(
            *([] if self._uplink is None else [self._uplink.remove]),
            self._forwarding.restore,
            *(lambda host=host: self.forget(host) for host in self._made),
        ).close()
