# SPDX-License-Identifier: MIT
"""Using a network that runs: pings, flows, links down and up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet import net_probes
from hybridnet.cluster import Cluster
from hybridnet.errors import MachineError, UsageError
from hybridnet.log import output
from hybridnet.net_nodes import NetNodes
from hybridnet.node import Host
from hybridnet.plan import Plan

__all__ = ["NetUsing"]


class NetUsing(NetNodes):
    """The part of `hybridnet.Net` that acts on a network that runs."""

    plan: Plan | None
    _cluster: Cluster | None

    @property
    def cluster(self) -> Cluster:
        """The machines. Raises MachineError before `start`."""
        if self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        return self._cluster

    def snapshot(self) -> dict[str, Any]:
        """The counters of each machine's instance; None where nothing is simulated."""
        return self.cluster.call_all({machine: ("snapshot", {}) for machine in self.cluster.machines})

    def ping(self, hosts: Sequence[Host] | None = None, timeout: float | str | None = None) -> float:
        """Ping once between all pairs of hosts; prints a table. Returns the percentage lost."""
        try:
            wait_s = 1.0 if timeout is None else float(timeout)
        except (TypeError, ValueError):
            raise UsageError(
                f"ping: timeout {timeout!r} is no number of seconds; write for example 2"
            ) from None
        return net_probes.ping_all(self.cluster, self.hosts if hosts is None else hosts, wait_s)

    def pingAll(self, timeout: float | str | None = None) -> float:
        """`ping` between all hosts."""
        return self.ping(timeout=timeout)

    def pingPair(self) -> float:
        """`ping` between the first two hosts."""
        return self.ping(self.hosts[:2])

    def iperf(
        self,
        hosts: Sequence[Host] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: float = 5,
        port: int = 5001,
    ) -> list[str]:
        """One iperf3 flow between two hosts (the first and the last); prints and returns what arrived and
        what was sent.

        For UDP the offered rate comes first, as in Mininet.
        """
        if fmt is not None:
            raise UsageError("iperf: fmt= is not supported; leave it out, the unit is chosen by size")
        if hosts is None:
            hosts = [self.hosts[0], self.hosts[-1]]
        client, server = hosts
        output(f"*** Iperf: testing {l4Type} bandwidth between {client} and {server}\n")
        received, sent = net_probes.iperf(
            server, client, protocol=l4Type, rate=udpBw, seconds=seconds, port=port
        )
        result = [net_probes.format_bandwidth(received), net_probes.format_bandwidth(sent)]
        if l4Type == "UDP":
            result.insert(0, udpBw)
        output(f"*** Results: {result}\n")
        return result

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Set all links between two nodes ``"up"`` or ``"down"``, at their emulated ends.

        Raises:
            UsageError: no such link or status, or both ends are simulated.
        """
        if status not in ("up", "down"):
            raise UsageError(f"link {src}-{dst}: status {status!r} does not exist; write 'up' or 'down'")
        plan = self._built_plan()
        found = [link for link in plan.links if {link.a.node, link.b.node} == {src, dst}]
        ends = [end for link in found for end in (link.a, link.b) if end.node in self._nodes]
        if not found:
            raise UsageError(f"link {src}-{dst}: there is no such link; `links` of the prompt lists them")
        if not ends:
            raise UsageError(
                f"link {src}-{dst}: both ends are simulated and cannot be set {status} while running"
            )
        for end in ends:
            self._nodes[end.node].set_interface(end.interface, status == "up")

    def _built_plan(self) -> Plan:
        if self.plan is None:
            raise MachineError("the network is not running; call net.start() first")
        return self.plan
