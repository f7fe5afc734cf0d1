# SPDX-License-Identifier: MIT
"""The comparison with MaxiNet: figures 2, 3 and 11 of Obaida and Liu 2017.

Two machines, a binary tree of switches on each, flows from one machine's hosts to the other's that double at each step,
and five ways of building that: hybridnet with its simulator between the roots, the same switches with a kernel tunnel
there, Mininet with that tunnel, as MaxiNet builds it, the fastest setting of that, and hybridnet with simulated
switches. See docs/maxinet.md.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from hybridnet.describe.quantities import parse_delay, parse_rate
from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.experiments.common.options import add_rounds_argument
from hybridnet.experiments.maxinet.arms import (
    RECEIVERS,
    SENDERS,
    HybridArm,
    MaxinetArm,
    MaxinetPatchArm,
    SimulatedArm,
    TunnelArm,
    hybrid_topo,
)
from hybridnet.experiments.maxinet.datapath import Datapath, resolve
from hybridnet.experiments.maxinet.forecast import demand_of, forecast_capacity
from hybridnet.experiments.maxinet.measure import GRACE_S, climb
from hybridnet.experiments.maxinet.plot import plot_comparison, plot_costs, plot_met, plot_over_time
from hybridnet.experiments.maxinet.report import (
    PUBLISHED_MAXINET_BPS,
    ArmRound,
    StepComparison,
    checks_of,
    compare,
    sentence_of,
)
from hybridnet.experiments.maxinet.scale import MET_STEPS, PAPER, YARDSTICK_FLOWS, Scale, met_scale
from hybridnet.experiments.maxinet.tables import (
    COSTS_LEGEND,
    LEGEND,
    columns_of,
    costs_table_of,
    rows_of,
    table_of,
)
from hybridnet.experiments.maxinet.verdicts import HOLE, LIMITS, MOST_OF_DEMAND
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, RunDirectory, add_experiment_arguments
from hybridnet.observe.results.console import PlainConsole
from hybridnet.run.net.startup import machine_specs
from hybridnet.tools.forecast import Demand
from hybridnet.topologies.tree import switches_in_tree

SUMMARY = "hybridnet compared with MaxiNet's way, as in figures 2, 3 and 11 of Obaida and Liu 2017"
TAKES_S = 600
VIRTUAL_TIME = None

ArmKind = type[HybridArm | TunnelArm | MaxinetArm]

ARMS: dict[str, ArmKind] = {
    arm.name: arm for arm in (HybridArm, TunnelArm, MaxinetArm, MaxinetPatchArm, SimulatedArm)
}
"""In the order of a round: the first two need ten gigabytes for their switches, which the second has from the first;
and while Mininet builds, what they leave to the hypervisor settles."""
MACHINES = 2
BUILD_S = 30.0
"""About what building and removing an arm takes, for the progress bar."""

SECONDS_PER_STEP = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--scale",
        choices=("auto", "paper"),
        default="auto",
        help=f"auto: {SECONDS_PER_STEP} s for each step; paper: {PAPER.seconds_per_step} s. The rates are the paper's "
        "with both (default: auto)",
    )
    parser.add_argument(
        "--seconds-per-step",
        type=int,
        metavar="N",
        help="seconds of each step, at least 3 (default: as --scale says)",
    )
    add_rounds_argument(parser, 3, "rounds, each of all arms in turn")
    parser.add_argument(
        "--port-type",
        choices=("auto", "afxdp", "afpacket", "system"),
        default="auto",
        help="how hosts are joined to hybridnet's switches (default: what measures best for the topology)",
    )
    parser.add_argument(
        "--link-rate",
        default="10 Gbit/s",
        metavar="RATE",
        help="rate of the simulated link between the roots in the hybrid arms (default: %(default)s)",
    )
    parser.add_argument(
        "--link-delay",
        default="5 ms",
        metavar="DELAY",
        help="one-way delay of that link, which hides the transit of the real network (default: %(default)s)",
    )
    add_experiment_arguments(parser, "maxinet")


def demanded() -> tuple[Topo, Demand]:
    """The hybrid arm's network, and the paper's rates at the last step: for `hybridnet plan --experiment maxinet`."""
    return hybrid_topo(PAPER), demand_of(PAPER, PAPER.steps[-1])


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the comparison.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    console = PlainConsole(stderr=arguments.json)
    directory = RunDirectory(arguments.out)
    base = replace(
        PAPER,
        link_rate_bps=parse_rate(arguments.link_rate, "--link-rate"),
        link_delay_ns=parse_delay(arguments.link_delay, "--link-delay"),
    )
    with arguments.cluster([SENDERS, RECEIVERS]) as cluster:
        datapath = resolve(arguments.port_type, machine_specs(cluster), switches_in_tree(base.depth, 2))
        facts = {"rounds": arguments.rounds, "datapath": datapath.type}
        directory.write_manifest(seed=1, facts=facts)
        scales, rounds = _run_rounds(arguments, cluster, base, datapath, directory, console)
    comparisons = {name: compare(scale, rounds[name]) for name, scale in scales.items()}
    capacity, met = comparisons.values()
    checks = checks_of(capacity, met)
    _write(directory, scales, rounds, comparisons, checks)
    _tell(console, scales, rounds, comparisons)
    console.print(f"run directory: {directory.path}", highlight=False)
    return checks


Scales = dict[str, Scale]
"""By name: what fills every arm, and then what the hybrid arm meets."""

Rounds = dict[str, list[list[ArmRound]]]
"""By the name of the scale: in every round a climb of every arm that runs it."""


def _capacity_scale(arguments: argparse.Namespace, base: Scale) -> Scale:
    """What fills every arm."""
    seconds = PAPER.seconds_per_step if arguments.scale == "paper" else SECONDS_PER_STEP
    return replace(base, seconds_per_step=arguments.seconds_per_step or seconds)


def _met_scale(hybrid: HybridArm, base: Scale, climbed: ArmRound, console: Console) -> Scale:
    """What the hybrid arm meets, the same for all arms, once it has climbed the first time: by a forecast where the
    machines' computers are calibrated, else by what it carried.
    """
    assert hybrid.net.plan is not None
    trusted_bps = None
    try:
        found = forecast_capacity(hybrid.cluster, hybrid.net.plan, base)
    except UsageError as error:
        step = climbed.steps[base.steps.index(YARDSTICK_FLOWS)]
        hybrid_bps = round(step.total_bps)
        console.print(
            f"measured, as there is no forecast ({error}): the hybrid arm carries {_mbps(hybrid_bps)} of "
            f"{YARDSTICK_FLOWS} + {YARDSTICK_FLOWS} flows here",
            highlight=False,
        )
    else:
        hybrid_bps, trusted_bps = found.full_bps, found.trusted_bps
        console.print(
            f"forecast: the hybrid arm carries {_mbps(hybrid_bps)} of {YARDSTICK_FLOWS} + {YARDSTICK_FLOWS} flows here "
            f"(full first: {found.full}), and {_mbps(trusted_bps)} of {MET_STEPS[-1]} + {MET_STEPS[-1]} stay trusted",
            highlight=False,
        )
    return met_scale(base, hybrid_bps, SECONDS_PER_STEP, trusted_bps)


def _mbps(bps: int) -> str:
    return f"{bps / 1e6:.0f} Mbit/s"


def _run_rounds(
    arguments: argparse.Namespace,
    cluster: Cluster,
    base: Scale,
    datapath: Datapath,
    directory: RunDirectory,
    console: Console,
) -> tuple[Scales, Rounds]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    capacity = _capacity_scale(arguments, base)
    scales: Scales = {"capacity": capacity}
    rounds: Rounds = {name: [[] for _ in range(arguments.rounds)] for name in ("capacity", "met")}
    met_s = _climb_s(met_scale(base, 0, SECONDS_PER_STEP))
    arm_s = {name: BUILD_S + _climb_s(capacity) + (met_s if kind.meets else 0) for name, kind in ARMS.items()}
    console.print(f"capacity: {capacity}", highlight=False)
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=arguments.rounds * sum(arm_s.values()))
        done_s = 0.0
        for number in range(1, arguments.rounds + 1):
            for name, kind in ARMS.items():
                progress.update(task, description=f"round {number}: building {name}")
                with kind(cluster, base, datapath, directory.path) as arm:
                    progress.update(task, completed=done_s + BUILD_S)
                    for each in ("capacity", "met") if kind.meets else ("capacity",):
                        if each not in scales:
                            assert isinstance(arm, HybridArm)
                            scales[each] = _met_scale(arm, base, rounds["capacity"][0][0], console)
                            console.print(f"met: {scales[each]}", highlight=False)
                        climbed = climb(
                            arm,
                            scales[each],
                            lambda what, s: progress.update(task, description=what, advance=s),
                        )
                        rounds[each][number - 1].append(climbed)
                        _keep(directory, f"round-{number}/{name}/{each}", climbed)
                done_s += arm_s[name]
                progress.update(task, completed=done_s)
    return scales, rounds


def _climb_s(scale: Scale) -> float:
    return GRACE_S + len(scale.steps) * scale.seconds_per_step


def _keep(directory: RunDirectory, folder: str, run: ArmRound) -> None:
    """Write down what was measured, as soon as it is: a later failure loses nothing."""
    directory.write_json(f"{folder}/iperf3.json", run.flows)
    directory.write_json(
        f"{folder}/steps.json",
        {
            "settings": run.settings,
            "boot_s": run.boot_s,
            "stalls": run.stalls,
            "stalled_s": run.stalled_s,
            "steps": [step.to_json() for step in run.steps],
            "verdicts": [verdict.to_json() for verdict in run.verdicts],
            "stays": [stay.to_json() for stay in run.stays],
            "again": [{**stay.to_json(), "verdict": verdict.to_json()} for stay, verdict in run.again],
            "processors": run.processors,
        },
    )
    directory.write_csv(
        f"{folder}/seconds.csv",
        ["at_s", "tcp_bps", "udp_bps", "processor_busy"],
        [(second.at_s, second.tcp_bps, second.udp_bps, second.processor_busy) for second in run.seconds],
    )


def _write(
    directory: RunDirectory,
    scales: Scales,
    rounds: Rounds,
    comparisons: dict[str, list[StepComparison]],
    checks: list[Check],
) -> None:
    directory.write_json(
        "comparison.json",
        {
            "published": {"maxinet_peak_bps": PUBLISHED_MAXINET_BPS, "factor_at_16_flows": "almost 6"},
            **{
                name: {"scale": scale.to_json(), "steps": [step.to_json() for step in comparisons[name]]}
                for name, scale in scales.items()
            },
            "checks": [check.to_json() for check in checks],
        },
    )
    for name, steps in comparisons.items():
        directory.write_csv(f"{name}.csv", columns_of(steps), rows_of(steps))
    plot_comparison(directory.path / "comparison.png", comparisons["capacity"])
    plot_met(directory.path / "met.png", comparisons["met"])
    plot_costs(directory.path / "costs.png", comparisons["capacity"])
    plot_over_time(directory.path / "over_time.png", scales["capacity"], rounds["capacity"][-1])


def _tell(
    console: Console, scales: Scales, rounds: Rounds, comparisons: dict[str, list[StepComparison]]
) -> None:
    title = "Goodput at the receivers' interfaces, Mbit/s, "
    console.print(table_of(f"{title}when the arms are full", comparisons["capacity"]))
    console.print(table_of(f"{title}of a demand that the hybrid arm meets", comparisons["met"]))
    console.print(LEGEND, highlight=False)
    costs = "Processor seconds per gigabyte of goodput, "
    console.print(costs_table_of(f"{costs}when the arms are full", comparisons["capacity"]))
    console.print(costs_table_of(f"{costs}of a demand that the hybrid arm meets", comparisons["met"]))
    console.print(COSTS_LEGEND, highlight=False)
    for name, steps in comparisons.items():
        for step in steps:
            for reason in step.reasons:
                console.print(f"{name}, {step.flows} + {step.flows} flows: {reason}", highlight=False)
    for name, scale in scales.items():
        for number, arms in enumerate(rounds[name], 1):
            for arm, (stay, verdict) in ((run.arm, again) for run in arms for again in run.again):
                flows = scale.steps[stay.step]
                console.print(
                    f"{name}, {flows} + {flows} flows: {arm}, round {number}: measured again, as it was {verdict}",
                    highlight=False,
                )
    console.print(
        f"verdict of a step: 99.9 % of the events at most {LIMITS.lateness_p999_ns / 1e6:g} ms late, at most "
        f"{100 * LIMITS.late_packets_fraction:g} % of the packets later than their link's delay, no capture drop, no "
        f"second above {100 * MOST_OF_DEMAND:g} % of the demand or below {100 * HOLE:g} % of the step's mean, else "
        f"broken; the processor at most {100 * LIMITS.processor_busy:g} % busy, else saturated",
        highlight=False,
    )
    console.print(
        f"published: MaxiNet never above {PUBLISHED_MAXINET_BPS / 1e6:g} Mbit/s; hybrid almost 6 times that at 16 "
        "flows (two 16-core machines, 10 Gbit/s network)",
        highlight=False,
    )
    for run in rounds["capacity"][-1]:
        console.print(f"{run.arm}: up in {run.boot_s:.1f} s; {json.dumps(run.settings)}", highlight=False)
        if run.stalls:
            console.print(
                f"{run.arm}: the computer kept instances from running {run.stalls} times, "
                f"{1e3 * run.stalled_s:.0f} ms in all: the verdicts leave out those quarter seconds",
                highlight=False,
            )
    console.print(f"[bold]{sentence_of(comparisons['capacity'])}[/]", highlight=False)
