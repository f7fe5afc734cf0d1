# SPDX-License-Identifier: MIT
"""One replication: an instance plan in virtual time, with one seed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hybridnet.errors import EnvironmentLackError
from hybridnet.instance.build import add_nodes, with_files
from hybridnet.series.figures import figures_of, of_sections
from hybridnet.simulate.connection_trace import ConnectionTrace

__all__ = ["Replication", "Series", "run_replication"]

TRACE_STEP_NS = 1_000_000
_SAMPLED = ("applications", "connections", "links", "nodes", "interfaces")

Series = dict[tuple[str, str], list[float]]
"""Of each (element, name) its value at each sampled instant."""


@dataclass(frozen=True)
class Replication:
    """What one seed gave.

    Args:
        figures: the counters at the end, by (element, name).
        applications: the elements among them that are applications.
        sampled_ns: instants of simulated time at which `series` has values.
        series: the counters at these instants; 0 where one had not been touched yet.
        kinds: of each of these counters the kind of its element, such as ``links``.
        wall_s, processor_s: what the simulation itself took, without building it.
        events: that were handled.
    """

    seed: int
    figures: dict[tuple[str, str], float]
    applications: frozenset[str] = frozenset()
    sampled_ns: list[int] = field(default_factory=list)
    series: Series = field(default_factory=dict)
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)
    wall_s: float = 0.0
    processor_s: float = 0.0
    events: int = 0


def run_replication(
    plan: Mapping[str, Any],
    seed: int,
    until_ns: int,
    sample_ns: int | None,
    trace: ConnectionTrace | None = None,
) -> Replication:
    """Run an instance plan that has neither portals nor peers.

    Args:
        until_ns: how much simulated time; at least 1.
        sample_ns: simulated time between samples of all counters; None: no samples.
        trace: looks at connections every `TRACE_STEP_NS`; None: nothing does.

    Raises:
        EnvironmentLackError: the extension has not been built.
        ConfigError, PlanError, UsageError: the simulator refuses what the plan says.
    """
    try:
        from hybridnet._simcore import OfflineSimulation
    except ImportError as error:
        raise EnvironmentLackError(
            f"the simulator's extension cannot be loaded ({error}); build it: make install"
        ) from None
    simulation = OfflineSimulation(seed)
    add_nodes(simulation, dict(plan))
    for capture in plan["captures"]:
        simulation.add_capture(capture["interface"], capture["file"])
    for link in plan["links"]:  # after what captures
        there, back = with_files(link["a_to_b"]), with_files(link["b_to_a"], backward=True)
        simulation.add_link(link["name"], link["a"]["interface"], link["b"]["interface"], there, back)
    wall, processor = time.perf_counter(), time.thread_time()
    sampled: list[int] = []
    series: Series = {}
    kinds: dict[tuple[str, str], str] = {}
    left_ns = until_ns
    while left_ns > 0:
        step_ns = min(left_ns, sample_ns or left_ns)
        _run(simulation, step_ns, trace)
        left_ns -= step_ns
        if sample_ns is not None:
            for kind, element, name, value in of_sections(simulation.snapshot(), _SAMPLED):
                values = series.setdefault((element, name), [])
                kinds[element, name] = kind
                values += [0.0] * (len(sampled) - len(values))  # a counter appears with its first event
                values.append(value)
            sampled.append(simulation.now_ns)
    took = time.perf_counter() - wall, time.thread_time() - processor
    final = simulation.snapshot()
    return Replication(
        seed=seed,
        figures={(element, name): value for element, name, value in figures_of(final)},
        applications=frozenset(row["name"] for row in final["applications"]),
        sampled_ns=sampled,
        series={key: values + [0.0] * (len(sampled) - len(values)) for key, values in series.items()},
        kinds=kinds,
        wall_s=took[0],
        processor_s=took[1],
        events=simulation.events,
    )


def _run(simulation: Any, for_ns: int, trace: ConnectionTrace | None) -> None:
    """Run for so long; with a trace, in steps after each of which it looks."""
    if trace is None:
        simulation.run_for(for_ns)
        return
    while for_ns > 0:
        step_ns = min(for_ns, TRACE_STEP_NS)
        simulation.run_for(step_ns)
        trace.look(simulation.now_ns, simulation.snapshot())
        for_ns -= step_ns
