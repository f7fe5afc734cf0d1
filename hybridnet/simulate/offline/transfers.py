# SPDX-License-Identifier: MIT
"""The flows of one replication: into the simulation before it begins, and what became of them at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any, Protocol

from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.errors import UsageError
from hybridnet.simulate.flows.table import FlowRow
from hybridnet.simulate.flows.ways import Network
from hybridnet.simulate.flows.workload import Flow, Workload, flows_of

__all__ = ["FIRST_PORT", "Ends", "Transfers"]

FIRST_PORT = 5001
"""Of the flows that a host sends: each has a port of its own there, in the order in which they start."""

_Outcome = Mapping[str, Any]


class Ends(Protocol):
    """Where the ends of flows are: a simulation, as a whole or in parts."""

    def holder(self, node: str) -> Any:
        """The object of the extension that has the node; None: another process has it."""

    def gather(self, own: Any) -> list[Any]:
        """Of what a process says, what all say; [] in those that need not know."""


class Transfers:
    """Flows in a simulation that has all its nodes and has not begun. Each end is where its host is.

    Args:
        plan: of the simulation.
        workloads: whose flows.
        warmup_ns: flows that start earlier are not counted.

    Raises:
        UsageError: as `flows_of`; there is no way between two hosts; or an application has the port of a flow.
    """

    def __init__(
        self,
        ends: Ends,
        plan: InstancePlan,
        workloads: Sequence[Workload],
        seed: int,
        until_ns: int,
        warmup_ns: int,
    ) -> None:
        network = Network(plan)
        self._gather = ends.gather
        self._seed, self._warmup_ns = seed, warmup_ns
        self._flows = flows_of(workloads, network.rates_bps, seed, until_ns)
        self._ideal_s = [network.ideal_ns(flow) / 1e9 for flow in self._flows]
        _refuse_taken_ports(plan, Counter(flow.source for flow in self._flows))
        self._sources, self._destinations = _Side("transfer_servers"), _Side("transfer_clients")
        sent: Counter[str] = Counter()
        places: dict[int, int] = {}  # of destinations, by the identity of their flows
        for number, flow in enumerate(self._flows):
            port, tcp = FIRST_PORT + sent[flow.source], dict(flow.tcp)
            sent[flow.source] += 1
            if (source := ends.holder(flow.source)) is not None:
                place = source.add_transfer_server(flow.source, port, flow.size_bytes, tcp)
                self._sources.note(source, place, number)
            if (destination := ends.holder(flow.destination)) is not None:
                place = destination.add_transfer_client(
                    f"flow:{number}",
                    flow.destination,
                    server_address=network.address_of(flow.source),
                    port=port,
                    bytes=flow.size_bytes,
                    start_ns=flow.start_ns,
                    after=None if flow.after is None else places[id(flow.after)],
                    tcp=tcp,
                )
                places[id(flow)] = place
                self._destinations.note(destination, place, number)

    @property
    def least_bytes(self) -> int:
        """Of the smallest flow; 0: there is none."""
        return min((flow.size_bytes for flow in self._flows), default=0)

    def rows(self) -> dict[int, FlowRow]:
        """What has become of them so far, by their numbers, in the order in which they started; where other processes
        have ends, only in the one that gathers. One that follows another and has not begun has no row.
        """
        told = self._gather((self._sources.outcomes(), self._destinations.outcomes()))
        if not told:
            return {}
        sources = {number: each for of_process, _ in told for number, each in of_process.items()}
        destinations = {number: each for _, of_process in told for number, each in of_process.items()}
        rows = {
            number: self._row(flow, ideal_s, sources[number], destinations[number])
            for number, (flow, ideal_s) in enumerate(zip(self._flows, self._ideal_s, strict=True))
            if flow.after is None or not isnan(destinations[number]["started_s"])
        }
        return dict(sorted(rows.items(), key=lambda each: each[1].start_s))

    def _row(self, flow: Flow, ideal_s: float, source: _Outcome, destination: _Outcome) -> FlowRow:
        start_s = flow.start_ns / 1e9 if flow.after is None else destination["started_s"]
        completion_s = destination["finished_s"] - start_s if destination["finished"] else None
        broken = source["error"] != "none" or destination["error"] != "none"
        sent = source["segments_sent"] + source["retransmitted_segments"]
        return FlowRow(
            seed=self._seed,
            workload=flow.workload,
            start_s=start_s,
            source=flow.source,
            destination=flow.destination,
            size_bytes=flow.size_bytes,
            state="finished" if completion_s is not None else "failed" if broken else "unfinished",
            counted=(flow.start_ns if flow.after is None else 1e9 * start_s) >= self._warmup_ns,
            completion_s=completion_s,
            ideal_s=ideal_s,
            slowdown=None if completion_s is None else completion_s / ideal_s,
            goodput_bps=None if completion_s is None else 8 * flow.size_bytes / completion_s,
            received_bytes=destination["received_bytes"],
            retransmitted_segments=source["retransmitted_segments"],
            timeouts=source["timeouts"],
            lost_segments=sent - destination["data_segments_received"],
        )


class _Side:
    """The sources of flows that are in this process, or the destinations.

    Args:
        method: of the extension's objects, which tells what has become of all of them, in the order of their places.
    """

    def __init__(self, method: str) -> None:
        self._method = method
        self._numbers: dict[int, list[int]] = {}
        self._tellers: dict[int, Callable[[], list[_Outcome]]] = {}

    def note(self, holder: Any, place: int, number: int) -> None:
        """The flow of that number has that place there."""
        numbers = self._numbers.setdefault(id(holder), [])
        self._tellers[id(holder)] = getattr(holder, self._method)
        assert place == len(numbers)
        numbers.append(number)

    def outcomes(self) -> dict[int, _Outcome]:
        """By the number of the flow."""
        return {
            number: outcome
            for holder, numbers in self._numbers.items()
            for number, outcome in zip(numbers, self._tellers[holder](), strict=True)
        }


def _refuse_taken_ports(plan: InstancePlan, sent: Mapping[str, int]) -> None:
    for node in plan["nodes"]:
        flows = sent.get(node["name"], 0)
        applications: Iterable[Mapping[str, Any]] = node.get("applications", [])
        for application in applications:
            port = application.get("port", 0)
            if "destination" not in application and FIRST_PORT <= port < FIRST_PORT + flows:
                raise UsageError(
                    f"simulate: {application['kind']} of {node['name']} listens at port {port}, and the {flows} flows "
                    f"that the workloads send from there have the ports from {FIRST_PORT} on; give it one below"
                )
