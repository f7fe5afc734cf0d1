# SPDX-License-Identifier: MIT
"""The simulator's objects for an instance plan, as one whole or in parts, behind one face."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypedDict, final

from hybridnet.describe.options.tables import extension
from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.observe.series.snapshot import Elements, LinkRow
from hybridnet.plan.placement.parts import Partition, ends_of
from hybridnet.simulate.instance.build import add_fluids, add_nodes, with_files

__all__ = ["Engine", "OnTime", "Parts", "Synchronization", "Whole"]


@final
class PartCounters(TypedDict):
    """How one part met the others: see `simcore/parallel/partition.h`."""

    windows: int
    sent_packets: int
    sent_bytes: int
    waited_ns: int
    wall_ns: int


@final
class Synchronization(TypedDict):
    """How the parts of a simulation met."""

    parts: list[PartCounters]


_FIRST_PIECE_NS = 1_000_000
_PIECE_S = 0.1
_LONGEST_PIECE_NS = 1_000_000_000  # what follows an idle time may take long
_PACED_PIECE_NS = 100_000_000
_TOLD_EVERY_S = 0.1

OnTime = Callable[[int], object]
"""Called now and then with the simulated time that has been reached, nanoseconds."""


class Engine(Protocol):
    """A simulation in virtual time."""

    def run_for(self, duration_ns: int) -> None:
        """Simulate so much."""

    def snapshot(self) -> Elements:
        """All counters now."""

    @property
    def now_ns(self) -> int:
        """Simulated time."""

    def trace_hash(self) -> str | None:
        """A digest of the trace so far, 64 hex digits; None: it was not asked for."""

    def totals(self) -> tuple[int, Synchronization | None]:
        """Events that were handled, and how the parts met (see `Parts`)."""

    def holder(self, node: str) -> Any:
        """The object of the extension that has the node; None: another process has it."""

    def gather(self, own: Any) -> list[Any]:
        """Of what a process says, what all say, in the order of parts; [] in those that need not know."""


class Whole:
    """All of it in one part.

    Args:
        messages: how many of the latest packets are kept for reading; 0: none.
        on_time: told about ten times per second while it runs.
    """

    def __init__(
        self,
        plan: InstancePlan,
        seed: int,
        *,
        hashed: bool = False,
        messages: int = 0,
        on_time: OnTime | None = None,
    ) -> None:
        simulation = extension().OfflineSimulation(seed)
        if hashed:
            simulation.hash_trace()
        if messages > 0:
            simulation.keep_messages(messages)
        _add_nodes(simulation, plan)
        for link in plan["links"]:  # after what captures
            there, back = with_files(link["a_to_b"]), with_files(link["b_to_a"], backward=True)
            simulation.add_link(link["name"], link["a"]["interface"], link["b"]["interface"], there, back)
        add_fluids(simulation, plan.get("fluids", []))
        self._simulation = simulation
        self._hashed = hashed
        self._pieces = _Pieces(simulation, on_time)

    @property
    def simulation(self) -> Any:
        """The `_simcore.OfflineSimulation`."""
        return self._simulation

    def fast_forward(self, error: float, end_ns: int) -> None:
        """From now on leave out time in which the flows are steady, up to `end_ns`; see
        `simcore/traffic/fast_forward.h`. All flows have been added, and nothing has run.
        """
        self._simulation.fast_forward(error, end_ns)

    def run_for(self, duration_ns: int) -> None:
        self._pieces.run_for(duration_ns)

    def snapshot(self) -> Elements:
        snapshot: Elements = self._simulation.snapshot()
        return snapshot

    @property
    def now_ns(self) -> int:
        now_ns: int = self._simulation.now_ns
        return now_ns

    def trace_hash(self) -> str | None:
        return _digest(self._simulation.trace_hashes()) if self._hashed else None

    def totals(self) -> tuple[int, Synchronization | None]:
        return self._simulation.events, None

    def holder(self, node: str) -> Any:
        return self._simulation

    def gather(self, own: Any) -> list[Any]:
        return _alone(own)


def _alone(own: Any) -> list[Any]:
    return [own]


class Parts:
    """In several parts, each a thread of this process; or this process has one, and others the rest.

    Args:
        plan: an instance plan with neither portals nor peers.
        partition: of its network.
        simulation: a `_simcore.ParallelSimulation` with as many partitions; None: threads.
        here: the parts that this process has; None: all.
        gather: of what a process says, what all say, in the order of parts; [] in those that need not know.
        on_time: told about ten times per second while it runs; not where others have parts.
    """

    def __init__(
        self,
        plan: InstancePlan,
        seed: int,
        partition: Partition,
        *,
        hashed: bool = False,
        simulation: Any = None,
        here: Iterable[int] | None = None,
        gather: Callable[[Any], list[Any]] = _alone,
        on_time: OnTime | None = None,
    ) -> None:
        self._simulation = (
            extension().ParallelSimulation(seed, partition.parts) if simulation is None else simulation
        )
        self._here = {
            number: self._simulation.partition(number)
            for number in (range(partition.parts) if here is None else here)
        }
        self._all_here = here is None
        self._pieces = _Pieces(self._simulation, on_time)
        self._hashed = hashed
        self._gather = gather
        self._order = _order(plan)
        self._part_of = partition.part_of
        for number, part in self._here.items():
            if hashed:
                part.hash_trace()
            nodes = [node for node in plan["nodes"] if partition.part_of[node["name"]] == number]
            own = {interface["name"] for node in nodes for interface in node["interfaces"]}
            captures = [each for each in plan["captures"] if each["interface"] in own]
            _add_nodes(part, {**plan, "nodes": nodes, "captures": captures})
        self._add_links(plan, partition)
        if partition.parts == 1:
            add_fluids(self._here[0], plan.get("fluids", []))

    def _add_links(self, plan: InstancePlan, partition: Partition) -> None:
        node_of = ends_of(plan)
        for number, link in enumerate(plan["links"]):
            a, b = link["a"]["interface"], link["b"]["interface"]
            of_a, of_b = (partition.part_of[node_of[end]] for end in (a, b))
            there, back = with_files(link["a_to_b"]), with_files(link["b_to_a"], backward=True)
            if of_a == of_b:
                if of_a in self._here:
                    self._here[of_a].add_link(link["name"], number, a, b, there, back)
                continue
            if of_a in self._here:
                self._here[of_a].add_cut_link(link["name"], number, a, b, of_b, True, there, back)
            if of_b in self._here:
                self._here[of_b].add_cut_link(link["name"], number, b, a, of_a, False, there, back)
            self._simulation.join(of_a, of_b, link["a_to_b"]["delay_ns"])
            self._simulation.join(of_b, of_a, link["b_to_a"]["delay_ns"])

    def run_for(self, duration_ns: int) -> None:
        if self._all_here:
            self._pieces.run_for(duration_ns)
        else:  # all processes must run for the same times
            self._simulation.run_for(duration_ns)

    def run_in_real_time(self, duration_ns: int) -> int:
        """Simulate no faster than the wall clock, and until that has gone on by the duration. Returns how much was
        simulated, nanoseconds.
        """
        if self._all_here:
            return self._pieces.run_in_real_time(duration_ns)
        began_ns = time.monotonic_ns()
        simulated_ns: int = self._simulation.run_in_real_time(duration_ns, began_ns, began_ns + duration_ns)
        return simulated_ns

    @property
    def now_ns(self) -> int:
        now_ns: int = self._simulation.now_ns
        return now_ns

    def snapshot(self) -> Elements:
        own = [(part.snapshot(), part.arrived()) for part in self._here.values()]
        told = [each for process in self._gather(own) for each in process]
        arrived = {row["name"]: row for _, rows in told for row in rows}
        links: list[LinkRow] = [row for snapshot, _ in told for row in snapshot["links"]]
        for row in links:
            if row["name"] in arrived:
                _complete(row, arrived[row["name"]])

        def rows(kind: str, key: str = "name") -> Any:
            found = (row for snapshot, _ in told for row in snapshot[kind])
            return sorted(found, key=lambda row: self._order[kind][row[key]])

        return {
            "links": sorted(links, key=lambda row: self._order["links"][row["name"]]),
            "nodes": rows("nodes"),
            "interfaces": rows("interfaces"),
            "applications": rows("applications", "node"),
            "connections": rows("connections", "node"),
            "fluids": [row for snapshot, _ in told for row in snapshot["fluids"]],
        }

    def trace_hash(self) -> str | None:
        if not self._hashed:
            return None
        own = [row for part in self._here.values() for row in part.trace_hashes()]
        return _digest(row for process in self._gather(own) for row in process)

    def totals(self) -> tuple[int, Synchronization | None]:
        own = (self._simulation.events, [part.counters() for part in self._here.values()])
        told = self._gather(own)
        parts = [counters for _, of_process in told for counters in of_process]
        return sum(events for events, _ in told), {"parts": parts}

    def holder(self, node: str) -> Any:
        return self._here.get(self._part_of[node])

    def gather(self, own: Any) -> list[Any]:
        return self._gather(own)


class _Pieces:
    """Runs a simulation in pieces of about a tenth of a second of wall time: Python heeds ^C and SIGTERM only between
    them, and somebody may want to know how far it is.
    """

    def __init__(self, simulation: Any, on_time: OnTime | None) -> None:
        self._simulation = simulation
        self._on_time = on_time
        self._piece_ns = _FIRST_PIECE_NS
        self._told_s = time.monotonic()

    def run_for(self, duration_ns: int) -> None:
        end_ns = self._simulation.now_ns + duration_ns
        while (
            left_ns := end_ns - self._simulation.now_ns
        ) > 0:  # a piece may leave time out and come further
            step_ns = min(left_ns, self._piece_ns)
            began = time.perf_counter()
            self._simulation.run_for(step_ns)
            took_s = time.perf_counter() - began
            if took_s > _PIECE_S:
                self._piece_ns = max(step_ns // 2, 1)
            elif took_s < _PIECE_S / 2 and step_ns == self._piece_ns:
                self._piece_ns = min(2 * step_ns, _LONGEST_PIECE_NS)
            self._tell()

    def run_in_real_time(self, duration_ns: int) -> int:
        """See `Parts.run_in_real_time`."""
        began_ns = time.monotonic_ns()
        simulated_ns = 0
        while simulated_ns < duration_ns:
            now_ns = time.monotonic_ns()
            if now_ns >= began_ns + duration_ns:
                break
            step_ns = min(duration_ns - simulated_ns, _PACED_PIECE_NS)
            deadline_ns = min(began_ns + duration_ns, now_ns + 2 * _PACED_PIECE_NS)
            simulated_ns += self._simulation.run_in_real_time(step_ns, began_ns + simulated_ns, deadline_ns)
            self._tell()
        return simulated_ns

    def _tell(self) -> None:
        if self._on_time is not None and time.monotonic() >= self._told_s + _TOLD_EVERY_S:
            self._told_s = time.monotonic()
            self._on_time(self._simulation.now_ns)


def _add_nodes(simulation: Any, plan: InstancePlan) -> None:
    add_nodes(simulation, plan["nodes"])
    for capture in plan["captures"]:
        simulation.add_capture(capture["interface"], capture["file"])


def _complete(row: LinkRow, arrived: LinkRow) -> None:
    """Put into the row of a cut link, which its sender has, what its receiver knows."""
    row["delivered_packets"] = arrived["delivered_packets"]
    row["delivered_bytes"] = arrived["delivered_bytes"]
    for reason, count in arrived["dropped"].items():
        row["dropped"][reason] = row["dropped"].get(reason, 0) + count
    offered = row["accepted_packets"] + row.get("duplicated_packets", 0)
    row["in_flight"] = offered - row["delivered_packets"] - sum(row["dropped"].values())


def _order(plan: InstancePlan) -> dict[str, dict[str, int]]:
    """The places that elements have in the snapshot of a whole."""
    nodes = [node["name"] for node in plan["nodes"]]
    interfaces = [interface["name"] for node in plan["nodes"] for interface in node["interfaces"]]
    directions = [
        f"{link['name']}:{near['interface']}>{far['interface']}"
        for link in plan["links"]
        for near, far in ((link["a"], link["b"]), (link["b"], link["a"]))
    ]
    of_nodes = {name: place for place, name in enumerate(nodes)}
    return {
        "links": {name: place for place, name in enumerate(directions)},
        "nodes": of_nodes,
        "interfaces": {name: place for place, name in enumerate(interfaces)},
        "applications": of_nodes,
        "connections": of_nodes,
    }


def _digest(rows: Iterable[tuple[str, int, int, int, int]]) -> str:
    lines = [f"{name} {sent:016x} {count} {arrived:016x} {of}\n" for name, sent, count, arrived, of in rows]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
