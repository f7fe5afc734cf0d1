# SPDX-License-Identifier: MIT
"""simulate: a description whose nodes are all simulated, in virtual time, with one or many seeds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hybridnet.describe.quantities import parse_delay, parse_percent
from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.describe.topo import Topo
from hybridnet.describe.values import flag, shown, whole
from hybridnet.errors import UsageError
from hybridnet.observe.results.estimate import is_narrow
from hybridnet.observe.series.connection_trace import ConnectionTrace
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.plan.placement.layout import lay_out
from hybridnet.plan.placement.parts import Partition, partition, partition_as_named
from hybridnet.simulate.flows import FlowTable, Workload
from hybridnet.simulate.flows.workload import check_workloads
from hybridnet.simulate.offline.forward import FastForward, ForwardCheck, check_forward
from hybridnet.simulate.offline.ranks import Hosts, check_hosts, replications_over_mpi
from hybridnet.simulate.offline.replication import Job, Replication, run_replication
from hybridnet.simulate.offline.report import SimulationReport
from hybridnet.simulate.offline.workers import replications

__all__ = ["offline", "offline_plan", "simulate", "span_ns"]

SEEDS_LIMIT = 100_000
SAMPLES_LIMIT = 10_000_000
PARTS_LIMIT = 1024
FEWEST_SEEDS = 3  # before an interval says whether there are enough
_MACHINE = "simulation"


def simulate(
    topo: Topo | Callable[[int], Topo],
    until: str | float,
    *,
    seeds: int | Sequence[int] = 1,
    parallel: int = 1,
    mpi: int | None = None,
    hosts: Sequence[str] | Hosts = (),
    real_time: bool = False,
    jobs: int | None = None,
    trace_hash: bool = False,
    series: str | float | None = None,
    options: PlanOptions | None = None,
    on_progress: Callable[[float, int], object] = lambda done, of: None,
    trace: ConnectionTrace | None = None,
    workloads: Sequence[Workload] = (),
    warmup: str | float = 0,
    precision: str | float | None = None,
    fast_forward: FastForward | None = None,
) -> SimulationReport:
    """Simulate a network as fast as its events can be handled. Needs no root.

    Args:
        topo: the description; every node is a simulated one. Where it names as many machines as there are parts, these
            are the parts; else machines and instances make no difference. Or a function that makes that of a seed.
        until: simulated time, above 0: ``"60s"``; a number is seconds.
        seeds: how many replications, whose seeds count up from that of the options, 1; or the seeds themselves.
        parallel: so many parts of the network, each a thread, 1 to 1024. The results are those of one part.
        mpi: so many parts, each a process of an MPI job; replications come one after the other. None: threads.
        hosts: the machines of these processes, as ssh knows them, or `Hosts`, to say how they are reached; none: this
            computer.
        real_time: no faster than the wall clock; a replication ends when `until` is over there, however much was
            simulated (`simulated_ns`). With a series it ends when all is simulated, and `sampled_wall_s` says how
            long each part took.
        jobs: so many replications at once, each in a process of its own; None: as many as there are processors for all
            their parts.
        trace_hash: take a digest of every packet at every link; replications have it as `trace_hash`.
        series: simulated time between samples of all counters, such as ``"100ms"``; None: none are taken.
        options: of the plan.
        on_progress: called about ten times per second with how many replications are done, those that run with the part
            of `until` that they have reached, and of how many: 1.25 of 3. With `mpi`, called as each ends.
        trace: writes down the state of TCP connections, of a single replication; None: nothing does.
        workloads: flows, whose completion times the report has; see docs/flows.md.
        warmup: flows that start earlier are not counted, such as ``"100ms"``; a number is seconds.
        precision: replications end, in the order of their seeds and after three at least, once the 95 % interval of
            the mean slowdown is within ± so many percent of it, such as ``"5 %"``. `seeds` is how many there are at
            most. None: all are made.
        fast_forward: leave out time in which all flows are steady, with a stated error; see docs/flows.md. None: every
            packet is simulated.

    Raises:
        UsageError: an emulated node, or an argument that makes no sense.
        EnvironmentLackError, MachineError: MPI is missing, or a process of it ended.
        PlanError, TopologyError: the description cannot be built, or not be cut into so many parts.
        ConfigError: the simulator refuses it.

    Example:
        >>> from hybridnet.topologies import DumbbellTopo  # doctest: +SKIP
        >>> report = simulate(Dumbbell(), "10s", seeds=10)  # doctest: +SKIP
        >>> report["a:tcp_bulk:0", "written_bytes"].mean  # doctest: +SKIP
    """
    until_ns = span_ns(until, "until")
    sample_ns = None if series is None else span_ns(series, "series")
    if sample_ns is not None and until_ns // sample_ns > SAMPLES_LIMIT:
        raise UsageError(
            f"simulate: series {series} over {until} are more than {SAMPLES_LIMIT} samples; take fewer"
        )
    numbers = _numbers(seeds, 1 if options is None else options.seed)
    parts = whole(parallel, "simulate: parallel", 1, PARTS_LIMIT)
    given_hosts = check_hosts(hosts)
    if mpi is not None:
        if parts > 1:
            raise UsageError("simulate: parallel and mpi: parts are threads or processes; give one of them")
        parts = whole(mpi, "simulate: mpi", 1, PARTS_LIMIT)
    elif given_hosts.names:
        raise UsageError("simulate: hosts are for the processes of MPI; say how many with mpi")
    paced = flag(real_time, "simulate: real_time")
    at_once = min(
        len(numbers),
        max(1, (os.cpu_count() or 1) // parts) if jobs is None else whole(jobs, "simulate: jobs", 1, 4096),
    )
    plans: dict[int, InstancePlan] = {}
    if isinstance(topo, Topo):
        plan = offline_plan(topo, options)
    else:
        topos = {seed: topo(seed) for seed in numbers}
        topo = topos[numbers[0]]
        plans = {seed: offline_plan(each, options) for seed, each in topos.items()}
        plan = plans[numbers[0]]
    if (parts > 1 or mpi is not None or paced) and any(
        _shape(each) != _shape(plan) for each in plans.values()
    ):
        raise UsageError(
            "simulate: the seeds give networks with different nodes or links, which are not cut alike; leave parallel, "
            "mpi and real_time out, or simulate one seed at a time"
        )
    if parts > 1 and any("fluids" in each for each in (plan, *plans.values())):
        raise UsageError(
            "simulate: fluid flows stay in one part of a simulation; leave parallel and mpi out, or the fluids"
        )
    cut = partitioned(topo, plan, parts) if parts > 1 or mpi is not None or paced else None
    of_flows = check_workloads(workloads)
    warmup_ns = _warmup_ns(warmup, until_ns, with_flows=bool(of_flows))
    share = _precision(precision, len(numbers), with_flows=bool(of_flows))
    hashed = flag(trace_hash, "simulate: trace_hash")
    if parts > 1:
        _refuse_chained(of_flows)
    forward = check_forward(
        fast_forward,
        plans.values() or [plan],
        of_flows,
        {
            "parallel": parts > 1 and mpi is None,
            "mpi": mpi is not None,
            "real_time": paced,
            "series": sample_ns is not None,
            "trace": trace is not None,
            "trace_hash": hashed,
            "captures": bool(plan["captures"]),
        },
    )
    job = Job(plan, until_ns, sample_ns, cut, hashed, paced, plans, of_flows, warmup_ns, forward)
    if plan["captures"] and len(numbers) > 1:
        raise UsageError(
            "simulate: every seed would write the same captures; take one seed, or leave the captures out"
        )
    if trace is not None and len(numbers) > 1:
        raise UsageError(
            "simulate: every seed would write the same trace; take one seed, or leave the trace out"
        )
    if trace is not None and (mpi is not None or paced):
        raise UsageError(
            "simulate: a trace of connections is taken in virtual time, in one process; leave mpi and real_time out"
        )
    reached = dict.fromkeys(numbers, 0.0)

    def on_reached(seed: int, now_ns: int) -> None:
        reached[seed] = now_ns / until_ns
        on_progress(sum(reached.values()), len(numbers))

    began = time.perf_counter()

    def run(seeds: list[int], job: Job = job) -> list[Replication]:
        made: dict[int, Replication] = {}
        if mpi is not None:
            running: Iterator[Replication] = replications_over_mpi(job, seeds, given_hosts)
        elif at_once == 1:
            running = (run_replication(job, seed, trace, on_time=partial(on_reached, seed)) for seed in seeds)
        else:
            running = replications(job, seeds, min(at_once, len(seeds)), on_reached)
        for replication in running:
            made[replication.seed] = replication
            on_reached(replication.seed, until_ns)
        return [made[seed] for seed in seeds]

    made = run(numbers) if share is None else _until_narrow(run, numbers, at_once, share)
    check = None
    if forward is not None and forward.check:
        packets = run([each.seed for each in made], replace(job, forward=None))
        check = _compared(made, packets, until_ns, forward.share)
    took_s = time.perf_counter() - began
    flows = _flows(made, warmup_ns) if of_flows else None
    return SimulationReport(until_ns, made, took_s, cut, flows, share, forward, check)


def _compared(
    forwarded: Sequence[Replication], packets: Sequence[Replication], until_ns: int, error: float
) -> ForwardCheck:
    """Two simulations of the same seeds, flow by flow."""
    of_one, of_other = ([row for each in made for row in each.flows] for made in (forwarded, packets))
    took = [sum(each.processor_s for each in made) for made in (forwarded, packets)]
    return ForwardCheck.of(error, of_one, of_other, until_ns / 1e9, took[1] / max(took[0], 1e-9))


def _refuse_chained(workloads: Sequence[Workload]) -> None:
    chained = next((each for each in workloads if each.pattern == "all-reduce"), None)
    if chained is not None:
        raise UsageError(
            f"simulate: workload {chained.label} runs in one part: a flow begins at the instant at which another ends, "
            "which another part would learn later; leave parallel and mpi out"
        )


def _flows(replications: Sequence[Replication], warmup_ns: int) -> FlowTable:
    return FlowTable([row for each in replications for row in each.flows], warmup_ns)


def _until_narrow(
    run: Callable[[list[int]], list[Replication]], seeds: list[int], at_once: int, share: float
) -> list[Replication]:
    """The replications of the first so many seeds that are enough. How many run at once changes only how many are made
    for nothing.
    """
    made: list[Replication] = []
    while len(made) < len(seeds):
        known = len(made)
        made += run(seeds[known : known + max(at_once, FEWEST_SEEDS - known)])
        for count in range(max(FEWEST_SEEDS, known + 1), len(made) + 1):
            if is_narrow(_flows(made[:count], 0).mean_slowdown(), share):
                return made[:count]
    return made


def _warmup_ns(value: Any, until_ns: int, *, with_flows: bool) -> int:
    given = f"{value}s" if isinstance(value, int | float) and not isinstance(value, bool) else value
    warmup_ns = parse_delay(given, "simulate: warmup")
    if warmup_ns and not with_flows:
        raise UsageError("simulate: warmup is of workloads, and there is none; leave it out")
    if warmup_ns >= until_ns:
        raise UsageError(
            f"simulate: warmup {shown(value)} is as long as the simulation; choose a shorter one"
        )
    return warmup_ns


def _precision(value: Any, seeds: int, *, with_flows: bool) -> float | None:
    if value is None:
        return None
    share = parse_percent(value, "simulate: precision")
    if not with_flows:
        raise UsageError(
            "simulate: precision is of workloads' mean slowdown, and there is no workload; leave it out"
        )
    if share <= 0:
        raise UsageError(f"simulate: precision {shown(value)} is not above 0; write for example '5 %'")
    if seeds < FEWEST_SEEDS:
        raise UsageError(
            f"simulate: precision needs {FEWEST_SEEDS} seeds or more, of which as few are taken as are enough; write "
            "for example seeds=50"
        )
    return share


def _shape(plan: InstancePlan) -> tuple[list[str], list[str]]:
    """The nodes and links of a plan, without what they are asked."""
    return [node["name"] for node in plan["nodes"]], [link["name"] for link in plan["links"]]


def offline_plan(topo: Topo, options: PlanOptions | None = None) -> InstancePlan:
    """The instance plan of a description, all on one machine.

    Raises:
        UsageError: it has an emulated node, or none at all.
        PlanError: it cannot be built as asked.
    """
    [instance] = offline(topo, options)[1].instances.values()
    return instance


def offline(topo: Topo, options: PlanOptions | None = None) -> tuple[Topo, Plan]:
    """A description with all its nodes on one machine, and its plan. Raises as `offline_plan`."""
    specs = list(topo.node_specs())
    emulated = next((spec for spec in specs if spec.role in ("host", "switch")), None)
    if emulated is not None:
        raise UsageError(
            f"simulate: {emulated.name} is an emulated {emulated.role}; describe it with "
            f"addSim{emulated.role.title()}, or run the network in real time (hybridnet run)"
        )
    guest = next((spec for spec in specs if spec.role == "guest"), None)
    if guest is not None:
        raise UsageError(
            f"simulate: {guest.name} is a guest, and nobody can join virtual time; leave it out, or run the network in "
            "real time (hybridnet run)"
        )
    if not specs:
        raise UsageError(
            "simulate: the topology has no nodes; add some with addSimHost, addSimRouter, addSimSwitch"
        )
    place = {"machine": _MACHINE, "instance": None}
    together = topo.revised({spec.name: {**spec.options, **place} for spec in specs})
    chosen = PlanOptions(token="0" * 16) if options is None else options
    alone = replace(chosen, record=None, instances_per_machine=1)
    return together, make_plan(together, [MachineSpec(_MACHINE, "198.18.0.1")], alone)


def partitioned(topo: Topo, plan: InstancePlan, parts: int) -> Partition:
    """The parts of a description whose plan this is: its machines, where these are as many, or METIS'.

    Raises:
        PlanError: it cannot be cut so.
    """
    named = list(dict.fromkeys(spec.machine for spec in topo.node_specs() if spec.machine is not None))
    if len(named) != parts:
        return partition(plan, parts)
    machines = [
        MachineSpec(name, f"198.18.{place // 250}.{place % 250 + 1}") for place, name in enumerate(named)
    ]
    return partition_as_named(plan, lay_out(topo, machines, 1).machine_of)


def span_ns(value: Any, name: str) -> int:
    """A duration above zero in nanoseconds; a number is seconds. Raises UsageError, UnitError."""
    given = f"{value}s" if isinstance(value, int | float) and not isinstance(value, bool) else value
    span_ns = parse_delay(given, f"simulate: {name}")
    if span_ns <= 0:
        raise UsageError(f"simulate: {name} {shown(value)} is not above 0; write for example '10s'")
    return span_ns


def _numbers(seeds: Any, first: int) -> list[int]:
    if not isinstance(seeds, Sequence) or isinstance(seeds, str | bytes):
        seeds = range(first, first + whole(seeds, "simulate: seeds", 1, SEEDS_LIMIT))
    numbers = [whole(seed, "simulate: seed", 0, 2**63 - 1) for seed in seeds]
    if not numbers or len(set(numbers)) != len(numbers):
        raise UsageError(f"simulate: seeds {shown(seeds)}: give at least one, and each once")
    return numbers
