# SPDX-License-Identifier: MIT
"""The traces of a network that runs: frames at simulated interfaces, and TCP connections of simulated hosts.

of(record, topo) ─▶ captures, for the plan ─▶ (built) begin ─▶ … ─▶ end_connections ─▶ (removed) finish
"""

from __future__ import annotations

from pathlib import Path

from hybridnet.describe.topo import Topo
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.machines.cluster.machines import Call
from hybridnet.observe.recording.run_record import RunRecord
from hybridnet.observe.recording.trace_files import split_traced, write_connections, write_texts
from hybridnet.plan.network import Plan
from hybridnet.system.log import warn

__all__ = ["Traced"]


class Traced:
    """What of one network is traced.

    Args:
        record: of the command, which says the names.
        topo: the network.

    Raises:
        UsageError: a name is that of a node which cannot be traced.
    """

    def __init__(self, record: RunRecord, topo: Topo) -> None:
        kinds = {spec.name: spec.role for spec in topo.node_specs()}
        interfaces, self._hosts = split_traced(record.trace, kinds)
        self._folder: Path = record.trace_folder()
        self.captures = {name: str(self._folder / f"{name}.pcap") for name in interfaces}
        self._hosts_on: dict[str, dict[str, list[str]]] = {}  # by machine and instance
        self._seen: list[Traced | None] = []  # by machines that have left
        self._cluster: Machines | None = None

    def check(self, plan: Plan, cluster: Machines) -> None:
        """Raise UsageError where an interface is on a machine that does not see the run directory."""
        for name, made in plan.machines.items():
            captured = [each["interface"] for own in made["instances"] for each in own["captures"]]
            if own_ones := [interface for interface in captured if interface in self.captures]:
                try:
                    cluster.call(name, "check_folder", folder=str(self._folder))
                except MachineError:
                    raise UsageError(
                        f"--trace {own_ones[0]}: it is on machine {name}, which does not see {self._folder}; choose an "
                        "--out that both see, or give Net captures={...} with a file there"
                    ) from None

    def begin(self, plan: Plan, cluster: Machines) -> None:
        """The network has started: look at the connections."""
        for host in self._hosts:
            on = self._hosts_on.setdefault(plan.machine_of[host], {})
            on.setdefault(plan.instance_of[host], []).append(host)
        if self._hosts_on:
            calls = {name: ("start_trace", {"hosts": hosts}) for name, hosts in self._hosts_on.items()}
            cluster.call_all(calls)
            self._cluster = cluster

    def resume(self, machine: str, call: Call) -> None:
        """A lost machine has been built again, and `call` reaches it. What it had seen before is gone."""
        if self._cluster is not None and machine in self._hosts_on:
            call("start_trace", hosts=self._hosts_on[machine])

    def leave(self, machine: str, cluster: Machines) -> None:
        """A machine is about to leave: take what it has seen."""
        if self._cluster is not None and self._hosts_on.pop(machine, None) is not None:
            self._seen.append(cluster.call(machine, "end_trace"))

    def end_connections(self) -> None:
        """The network is about to be removed: write down what was seen. A second call does nothing."""
        cluster, self._cluster = self._cluster, None
        if cluster is None:
            return
        answers = cluster.call_left({name: ("end_trace", {}) for name in cluster.machines}).values()
        seen = [answer for answer in (*self._seen, *answers) if answer is not None]
        lines = [line for answer in seen for line in answer["lines"]]
        write_connections(self._folder, sorted(lines, key=lambda line: float(line.split(" ", 1)[0])))
        if left_out := sum(answer["left_out"] for answer in seen):
            warn(f"*** Warning: {left_out} lines of the trace of connections were left out: it is too long\n")

    def finish(self) -> None:
        """The network has been removed, and the captures are complete: write their texts."""
        try:
            write_texts(self._folder)
        except UsageError as error:
            warn(f"*** Warning: a capture has no text beside it: {error}\n")
