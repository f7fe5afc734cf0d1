# SPDX-License-Identifier: MIT
"""One replication: an instance plan in virtual time, with one seed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.observe.series.connection_trace import ConnectionTrace
from hybridnet.observe.series.figures import Histogram, figures_of, histograms_of, of_sections
from hybridnet.plan.placement.parts import Partition
from hybridnet.simulate.flows import FlowRow, FlowTable, Workload
from hybridnet.simulate.offline.engine import Engine, OnTime, Parts, Synchronization, Whole
from hybridnet.simulate.offline.forward import FastForward, Forwarded, forwarded_of, too_short
from hybridnet.simulate.offline.transfers import Transfers

__all__ = ["Job", "Replication", "Series", "replicate", "run_replication"]


@dataclass(frozen=True)
class Job:
    """What replications have in common.

    Args:
        plan: an instance plan that has neither portals nor peers.
        until_ns: how much simulated time; at least 1.
        sample_ns: simulated time between samples of all counters; None: no samples.
        partition: of the plan's network, each part a thread; None: one part.
        hashed: whether the trace is hashed.
        in_real_time: whether it goes no faster than the wall clock; it has a partition. Without samples it ends when
            that has gone on by `until_ns`, with samples when all is simulated.
        plans: of seeds whose network is another one than `plan`.
        workloads: whose flows there are.
        warmup_ns: flows that start earlier are not counted.
        forward: how time is left out in which the flows are steady; None: none is. It has workloads, and one part.
    """

    plan: InstancePlan
    until_ns: int
    sample_ns: int | None = None
    partition: Partition | None = None
    hashed: bool = False
    in_real_time: bool = False
    plans: Mapping[int, InstancePlan] = field(default_factory=dict)
    workloads: tuple[Workload, ...] = ()
    warmup_ns: int = 0
    forward: FastForward | None = None

    def plan_of(self, seed: int) -> InstancePlan:
        """The plan that a seed has."""
        return self.plans.get(seed, self.plan)


TRACE_STEP_NS = 1_000_000
_RECEIVED = "received_bytes"
_SAMPLED = ("applications", "connections", "fluids", "links", "nodes", "interfaces")

Series = dict[tuple[str, str], list[float]]
"""Of each (element, name) its value at each sampled instant."""


@dataclass(frozen=True)
class Replication:
    """What one seed gave.

    Args:
        figures: the counters at the end, by (element, name); and of applications that receive their ``goodput_bps``,
            over all of the simulated time.
        applications: the elements among them that are applications.
        sampled_ns: instants of simulated time at which `series` has values.
        sampled_wall_s: how long the simulation had taken by then, without the sampling. Seconds of wall time.
        series: the figures at these instants; 0 where one was not there.
        spans: of each figure of a connection, and each time that something took, from which sample to which it was
            there, both included.
        histograms: at the end, by (element, name); see `hybridnet.observe.series.figures`.
        kinds: of each of these counters the kind of its element, such as ``links``.
        wall_s, processor_s: what the simulation itself took, without building it.
        events: that were handled.
        simulated_ns: how much simulated time has passed, with what was left out; less than was asked for where real
            time was too short.
        trace_hash: a digest of every packet at every link; None: it was not asked for.
        synchronization: of a simulation in parts, how they met.
        flows: of its workloads.
        forwarded: what was left out; None: nothing was to be.
    """

    seed: int
    figures: dict[tuple[str, str], float]
    applications: frozenset[str] = frozenset()
    sampled_ns: list[int] = field(default_factory=list)
    sampled_wall_s: list[float] = field(default_factory=list)
    series: Series = field(default_factory=dict)
    spans: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    histograms: dict[tuple[str, str], Histogram] = field(default_factory=dict)
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)
    wall_s: float = 0.0
    processor_s: float = 0.0
    events: int = 0
    simulated_ns: int = 0
    trace_hash: str | None = None
    synchronization: Synchronization | None = None
    flows: list[FlowRow] = field(default_factory=list)
    forwarded: Forwarded | None = None

    def span(self, key: tuple[str, str]) -> slice:
        """The samples of a figure that say something: those at which it was there, and of a counter those before, at
        which nothing had happened yet; of a connection's, the last of these. After it, 0 would be a counter that goes
        back, and before something is timed, 0 would be a time.
        """
        if key not in self.spans:
            return slice(0, len(self.sampled_ns))
        first, last = self.spans[key]
        return slice(first if _is_time(key[1]) else max(first - 1, 0), last + 1)

    @property
    def waited_share(self) -> float | None:
        """How much of the wall time the parts waited for each other, 0 to 1; None: there is one part."""
        if self.synchronization is None:
            return None
        parts = self.synchronization["parts"]
        return sum(part["waited_ns"] for part in parts) / max(sum(part["wall_ns"] for part in parts), 1)


def run_replication(
    job: Job, seed: int, trace: ConnectionTrace | None = None, on_time: OnTime | None = None
) -> Replication:
    """Run a job once.

    Args:
        trace: looks at connections every `TRACE_STEP_NS`; None: nothing does.
        on_time: told about ten times per second how far it is; None: nobody asks.

    Raises:
        EnvironmentLackError: the extension has not been built.
        ConfigError, PlanError, UsageError: the simulator refuses what the plan says, or a workload does not fit it.
    """
    if job.partition is None:
        whole = Whole(job.plan_of(seed), seed, hashed=job.hashed, on_time=on_time)
        return replicate(whole, job, seed, trace)
    parts = Parts(job.plan_of(seed), seed, job.partition, hashed=job.hashed, on_time=on_time)
    return replicate(parts, job, seed, trace)


def replicate(simulation: Engine, job: Job, seed: int, trace: ConnectionTrace | None = None) -> Replication:
    """Give a simulation that has been built its flows, run it, and read it out."""
    if not job.workloads:
        return _replicate(simulation, job, seed, trace)
    transfers = Transfers(simulation, job.plan_of(seed), job.workloads, seed, job.until_ns, job.warmup_ns)
    if job.forward is not None and not too_short(transfers.least_bytes, job.forward.share):
        assert isinstance(simulation, Whole)
        simulation.fast_forward(job.forward.share, job.until_ns)
    made = _replicate(simulation, job, seed, trace)
    by_number = transfers.rows()
    rows = list(by_number.values())
    made = replace(made, flows=rows, figures={**FlowTable(rows, job.warmup_ns).figures(), **made.figures})
    if job.forward is None:
        return made
    assert isinstance(simulation, Whole)
    told = simulation.simulation.forwarded()
    return replace(made, forwarded=forwarded_of(told, made.simulated_ns / 1e9, by_number))


def _replicate(simulation: Engine, job: Job, seed: int, trace: ConnectionTrace | None) -> Replication:
    # The processor time of this thread, or of all threads: a head has others, which show progress.
    processor_s = time.thread_time if job.partition is None else time.process_time
    wall, processor = time.perf_counter(), processor_s()
    sampled: list[int] = []
    sampled_wall_s: list[float] = []
    simulating_s = 0.0
    series: Series = {}
    spans: dict[tuple[str, str], tuple[int, int]] = {}
    kinds: dict[tuple[str, str], str] = {}
    left_ns = job.until_ns
    while left_ns > 0:
        step_ns = min(left_ns, job.sample_ns or left_ns)
        began = time.perf_counter()
        if job.in_real_time:
            assert isinstance(simulation, Parts)
            _keep_pace(simulation, step_ns, to_the_end=job.sample_ns is not None)
        else:
            _run(simulation, step_ns, trace)
        simulating_s += time.perf_counter() - began
        left_ns -= step_ns
        if job.sample_ns is not None:
            for kind, element, name, value in of_sections(simulation.snapshot(), _SAMPLED):
                values = series.setdefault((element, name), [])
                kinds[element, name] = kind
                if kind == "connections" or _is_time(name):
                    first, _ = spans.get((element, name), (len(sampled), 0))
                    spans[element, name] = first, len(sampled)
                values += [0.0] * (len(sampled) - len(values))  # a counter appears with its first event
                values.append(value)
            sampled.append(simulation.now_ns)
            sampled_wall_s.append(simulating_s)
    took = time.perf_counter() - wall, processor_s() - processor
    final = simulation.snapshot()
    events, synchronization = simulation.totals()
    return Replication(
        seed=seed,
        figures={
            **{(element, name): value for element, name, value in figures_of(final)},
            **_goodputs(final["applications"], simulation.now_ns),
        },
        applications=frozenset(row["name"] for row in final["applications"]),
        sampled_ns=sampled,
        sampled_wall_s=sampled_wall_s,
        series={key: values + [0.0] * (len(sampled) - len(values)) for key, values in series.items()},
        spans=spans,
        histograms={(element, name): bins for element, name, bins in histograms_of(final)},
        kinds=kinds,
        wall_s=took[0],
        processor_s=took[1],
        events=events,
        simulated_ns=simulation.now_ns,
        trace_hash=simulation.trace_hash(),
        synchronization=synchronization,
    )


def _goodputs(applications: Iterable[Mapping[str, Any]], simulated_ns: int) -> dict[tuple[str, str], float]:
    """What each application received, in bit/s."""
    return {
        (str(row["name"]), "goodput_bps"): 8e9 * row[_RECEIVED] / simulated_ns
        for row in applications
        if _RECEIVED in row and simulated_ns > 0
    }


def _is_time(name: str) -> bool:
    """Whether a figure is a time that something took, and no count."""
    return name.endswith("_ns")


def _keep_pace(simulation: Parts, for_ns: int, *, to_the_end: bool) -> None:
    """Run no faster than the wall clock, for so long of it; or until so much is simulated."""
    late_ns = for_ns - simulation.run_in_real_time(for_ns)
    if to_the_end and late_ns > 0:
        simulation.run_for(late_ns)  # the wall clock is past it


def _run(simulation: Engine, for_ns: int, trace: ConnectionTrace | None) -> None:
    """Run for so long; with a trace, in steps after each of which it looks."""
    if trace is None:
        simulation.run_for(for_ns)
        return
    while for_ns > 0:
        step_ns = min(for_ns, TRACE_STEP_NS)
        simulation.run_for(step_ns)
        trace.look(simulation.now_ns, simulation.snapshot())
        for_ns -= step_ns
