# SPDX-License-Identifier: MIT
"""The flows of one replication: into the simulation before it begins, and what became of them at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.errors import UsageError
from hybridnet.simulate.flows.table import FlowRow
from hybridnet.simulate.flows.ways import Network
from hybridnet.simulate.flows.workload import Flow, Workload, flows_of

__all__ = ["FIRST_PORT", "Transfers"]

FIRST_PORT = 5001
"""Of the simulator's transfers: each has a port of its own, in the order in which they are added."""


class Transfers:
    """Flows as transfers of a `_simcore.OfflineSimulation` that has all its nodes and has not begun.

    Args:
        plan: of the simulation.
        workloads: whose flows.
        warmup_ns: flows that start earlier are not counted.

    Raises:
        UsageError: as `flows_of`; there is no way between two hosts; or an application has the port of a flow.
    """

    def __init__(
        self,
        simulation: Any,
        plan: InstancePlan,
        workloads: Sequence[Workload],
        seed: int,
        until_ns: int,
        warmup_ns: int,
    ) -> None:
        network = Network(plan)
        self._simulation = simulation
        self._seed, self._warmup_ns = seed, warmup_ns
        self._flows = flows_of(workloads, network.rates_bps, seed, until_ns)
        self._ideal_s = [network.ideal_ns(flow) / 1e9 for flow in self._flows]
        _refuse_taken_ports(plan, len(self._flows))
        for number, flow in enumerate(self._flows):
            simulation.add_transfer(
                _name(number),
                flow.source,
                flow.destination,
                bytes=flow.size_bytes,
                start_ns=flow.start_ns,
                server_tcp=dict(flow.tcp),
                client_tcp=dict(flow.tcp),
            )

    def rows(self) -> list[FlowRow]:
        """What has become of them so far."""
        return [
            self._row(flow, ideal_s, self._simulation.outcome(_name(number)))
            for number, (flow, ideal_s) in enumerate(zip(self._flows, self._ideal_s, strict=True))
        ]

    def _row(self, flow: Flow, ideal_s: float, outcome: Mapping[str, Any]) -> FlowRow:
        start_s = flow.start_ns / 1e9
        completion_s = outcome["finished_s"] - start_s if outcome["finished"] else None
        broken = outcome["client_error"] != "none" or outcome["server_error"] != "none"
        return FlowRow(
            seed=self._seed,
            workload=flow.workload,
            start_s=start_s,
            source=flow.source,
            destination=flow.destination,
            size_bytes=flow.size_bytes,
            state="finished" if completion_s is not None else "failed" if broken else "unfinished",
            counted=flow.start_ns >= self._warmup_ns,
            completion_s=completion_s,
            ideal_s=ideal_s,
            slowdown=None if completion_s is None else completion_s / ideal_s,
            goodput_bps=None if completion_s is None else 8 * flow.size_bytes / completion_s,
            received_bytes=outcome["received_bytes"],
            retransmitted_segments=outcome["retransmitted_segments"],
            timeouts=outcome["timeouts"],
        )


def _name(number: int) -> str:
    return f"flow:{number}"


def _refuse_taken_ports(plan: InstancePlan, flows: int) -> None:
    for node in plan["nodes"]:
        applications: Iterable[Mapping[str, Any]] = node.get("applications", [])
        for application in applications:
            port = application.get("port", 0)
            if "destination" not in application and FIRST_PORT <= port < FIRST_PORT + flows:
                raise UsageError(
                    f"simulate: {application['kind']} of {node['name']} listens at port {port}, and the workloads' "
                    f"{flows} flows have the ports from {FIRST_PORT} on; give it one below"
                )
