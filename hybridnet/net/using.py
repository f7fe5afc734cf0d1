# SPDX-License-Identifier: MIT
"""Using a network that runs: pings, flows, links down and up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet.cluster import Cluster
from hybridnet.errors import MachineError, UsageError
from hybridnet.net import probes
from hybridnet.net.nodes import NetNodes
from hybridnet.node import Host
from hybridnet.plan import Plan, PlanOptions
from hybridnet.plan.links import changed
from hybridnet.system.log import output
from hybridnet.topo import Topo
from hybridnet.topo.direction import DIRECTION_OPTIONS, resolve_direction
from hybridnet.topo.options import check_names

__all__ = ["NetUsing"]


class NetUsing(NetNodes):
    """The part of `hybridnet.Net` that acts on a network that runs."""

    plan: Plan | None
    topo: Topo
    _cluster: Cluster | None
    _options: dict[str, Any]
    _link_options: dict[str, tuple[dict[str, Any], dict[str, Any]]]  # of links that were changed

    @property
    def cluster(self) -> Cluster:
        """The machines. Raises MachineError before `start`."""
        if self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        return self._cluster

    def snapshot(self, *, of_elements: bool = True) -> dict[str, Any]:
        """The counters of each machine's instance; None where nothing is simulated.

        Args:
            of_elements: with those of every link, node and interface. Without them ``links``, ``nodes`` and
                ``interfaces`` are empty, and an instance with tens of thousands is not kept from its work for tens of
                milliseconds.
        """
        call = ("snapshot", {"of_elements": of_elements})
        return self.cluster.call_all(dict.fromkeys(self.cluster.machines, call))

    def ping(self, hosts: Sequence[Host] | None = None, timeout: float | str | None = None) -> float:
        """Ping once between all pairs of hosts; prints a table. Returns the percentage lost."""
        try:
            wait_s = 1.0 if timeout is None else float(timeout)
        except (TypeError, ValueError):
            raise UsageError(
                f"ping: timeout {timeout!r} is no number of seconds; write for example 2"
            ) from None
        return probes.ping_all(self.cluster, self.hosts if hosts is None else hosts, wait_s)

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
        received, sent = probes.iperf(server, client, protocol=l4Type, rate=udpBw, seconds=seconds, port=port)
        result = [probes.format_bandwidth(received), probes.format_bandwidth(sent)]
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

    def set_link(self, src: str, dst: str, key: int | None = None, **options: Any) -> None:
        """Change a simulated link while it runs: nothing in flight is lost, overtaken or given another delay.

        Args:
            src, dst: its nodes; with several links between them, `key` says which.
            options: those of `Topo.addLink` that change; params1 and params2 for one direction, where 1 is the node
                that `addLink` named first. None takes an option back. Routes stay as they were planned.

        Raises:
            TopologyError: there is no such link, it has no such option, or not while it runs.
            UnitError, PlanError: as `addLink` and the plan; then nothing has changed.
            MachineError: an instance refused it.
        """
        plan = self._built_plan()
        spec = self.topo.spec(src, dst, key)
        what = f"link {spec.name}"
        both = {name: value for name, value in options.items() if name not in ("params1", "params2")}
        own = [options.get(f"params{end}") or {} for end in (1, 2)]
        for given in (both, *own):
            check_names(given, DIRECTION_OPTIONS, {}, what)
        described = [{**spec.options, **(spec.options.get(f"params{end}") or {})} for end in (1, 2)]
        there, back = self._link_options.get(spec.name, described)
        then = {**there, **both, **own[0]}, {**back, **both, **own[1]}
        index = next(i for i, link in enumerate(plan.links) if link.name == spec.name)
        least_cut_delay_ns = self._options.get("least_cut_delay_ns", PlanOptions.least_cut_delay_ns)
        new, told = changed(
            plan.links[index],
            resolve_direction(then[0], what),
            resolve_direction(then[1], what),
            least_cut_delay_ns,
        )
        self.cluster.call_all({machine: ("set_link", arguments) for machine, arguments in told.items()})
        plan.links[index] = new
        self._link_options[spec.name] = then

    def _built_plan(self) -> Plan:
        if self.plan is None:
            raise MachineError("the network is not running; call net.start() first")
        return self.plan
