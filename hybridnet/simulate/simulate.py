# SPDX-License-Identifier: MIT
"""simulate: a description whose nodes are all simulated, in virtual time, with one or many seeds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hybridnet.errors import UsageError
from hybridnet.plan import MachineSpec, PlanOptions, make_plan
from hybridnet.quantities import parse_delay
from hybridnet.simulate.connection_trace import ConnectionTrace
from hybridnet.simulate.replication import Replication, run_replication
from hybridnet.simulate.report import SimulationReport
from hybridnet.simulate.workers import replications
from hybridnet.topo import Topo
from hybridnet.values import shown, whole

__all__ = ["offline_plan", "simulate"]

SEEDS_LIMIT = 100_000
SAMPLES_LIMIT = 10_000_000
_MACHINE = "offline"


def simulate(
    topo: Topo,
    until: str | float,
    *,
    seeds: int | Sequence[int] = 1,
    parallel: int | None = None,
    series: str | float | None = None,
    options: PlanOptions | None = None,
    on_progress: Callable[[int, int], object] = lambda done, of: None,
    trace: ConnectionTrace | None = None,
) -> SimulationReport:
    """Simulate a network as fast as its events can be handled. Needs no root.

    Args:
        topo: the description; every node is a simulated one. Machines and instances that it names make no difference.
        until: simulated time, above 0: ``"60s"``; a number is seconds.
        seeds: how many replications, with the seeds 1, 2, ...; or the seeds themselves.
        parallel: so many replications at once, each in a process of its own; None: as many as there are processors.
        series: simulated time between samples of all counters, such as ``"100ms"``; None: none are taken.
        options: of the plan.
        on_progress: called with how many replications have ended, and of how many.
        trace: writes down the state of TCP connections, of a single replication; None: nothing does.

    Raises:
        UsageError: an emulated node, or an argument that makes no sense.
        PlanError, TopologyError: the description cannot be built.
        ConfigError: the simulator refuses it.

    Example:
        >>> from hybridnet.topologies import DumbbellTopo  # doctest: +SKIP
        >>> report = simulate(Dumbbell(), "10s", seeds=10)  # doctest: +SKIP
        >>> report["a:tcp_bulk:0", "written_bytes"].mean  # doctest: +SKIP
    """
    until_ns = _span(until, "until")
    sample_ns = None if series is None else _span(series, "series")
    if sample_ns is not None and until_ns // sample_ns > SAMPLES_LIMIT:
        raise UsageError(
            f"simulate: series {series} over {until} are more than {SAMPLES_LIMIT} samples; take fewer"
        )
    numbers = _numbers(seeds)
    at_once = min(
        len(numbers),
        (os.cpu_count() or 1) if parallel is None else whole(parallel, "simulate: parallel", 1, 4096),
    )
    plan = offline_plan(topo, options)
    if plan["captures"] and len(numbers) > 1:
        raise UsageError(
            "simulate: every seed would write the same captures; take one seed, or leave the captures out"
        )
    if trace is not None and len(numbers) > 1:
        raise UsageError(
            "simulate: every seed would write the same trace; take one seed, or leave the trace out"
        )
    began = time.perf_counter()
    made: dict[int, Replication] = {}
    running = (
        (run_replication(plan, seed, until_ns, sample_ns, trace) for seed in numbers)
        if at_once == 1
        else replications(plan, numbers, until_ns, sample_ns, at_once)
    )
    for replication in running:
        made[replication.seed] = replication
        on_progress(len(made), len(numbers))
    return SimulationReport(until_ns, [made[seed] for seed in numbers], time.perf_counter() - began)


def offline_plan(topo: Topo, options: PlanOptions | None = None) -> dict[str, Any]:
    """The instance plan of a description, all on one machine.

    Raises:
        UsageError: it has an emulated node, or none at all.
        PlanError: it cannot be built as asked.
    """
    specs = list(topo.node_specs())
    emulated = next((spec for spec in specs if spec.kind in ("host", "switch")), None)
    if emulated is not None:
        raise UsageError(
            f"simulate: {emulated.name} is an emulated {emulated.kind}; describe it with "
            f"addSim{emulated.kind.title()}, or run the network in real time (hybridnet run)"
        )
    if not specs:
        raise UsageError(
            "simulate: the topology has no nodes; add some with addSimHost, addSimRouter, addSimSwitch"
        )
    place = {"machine": _MACHINE, "instance": None}
    together = topo.revised({spec.name: {**spec.options, **place} for spec in specs}, {})
    chosen = PlanOptions(token="0" * 16) if options is None else options
    alone = replace(chosen, record=None, instances_per_machine=1)
    plan = make_plan(together, [MachineSpec(_MACHINE, "198.18.0.1")], alone)
    [instance] = plan.instances.values()
    return instance


def _span(value: Any, name: str) -> int:
    given = f"{value}s" if isinstance(value, int | float) and not isinstance(value, bool) else value
    span_ns = parse_delay(given, f"simulate: {name}")
    if span_ns <= 0:
        raise UsageError(f"simulate: {name} {shown(value)} is not above 0; write for example '10s'")
    return span_ns


def _numbers(seeds: Any) -> list[int]:
    if isinstance(seeds, Sequence) and not isinstance(seeds, str | bytes):
        numbers = [whole(seed, "simulate: seed", 0, 2**63 - 1) for seed in seeds]
    else:
        numbers = list(range(1, whole(seeds, "simulate: seeds", 1, SEEDS_LIMIT) + 1))
    if not numbers or len(set(numbers)) != len(numbers):
        raise UsageError(f"simulate: seeds {shown(seeds)}: give at least one, and each once")
    return numbers
