# SPDX-License-Identifier: MIT
"""The comparison with MaxiNet: figures 2, 3 and 11 of Obaida and Liu 2017.

Two machines, a binary tree of switches on each, flows from one machine's hosts to the other's that double at each step,
and four ways of building that: hybridnet with its simulator between the roots, the same switches with a kernel tunnel
between the roots, Mininet with that tunnel, which is what MaxiNet builds, and the fastest setting of that. See
docs/maxinet.md.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from hybridnet.cli.tables import wide_console
from hybridnet.cluster import Cluster
from hybridnet.experiments.maxinet.arms import (
    RECEIVERS,
    SENDERS,
    HybridArm,
    MaxinetArm,
    MaxinetPatchArm,
    TunnelArm,
)
from hybridnet.experiments.maxinet.capacity import measure_source_capacity
from hybridnet.experiments.maxinet.measure import GRACE_S, LIMITS, climb
from hybridnet.experiments.maxinet.plot import plot
from hybridnet.experiments.maxinet.report import (
    PUBLISHED_MAXINET_BPS,
    ArmRound,
    StepComparison,
    checks_of,
    compare,
    table_of,
    to_json,
)
from hybridnet.experiments.maxinet.scale import PAPER, Scale, auto_scale
from hybridnet.quantities import parse_delay, parse_rate
from hybridnet.results import Check, RunDirectory

SUMMARY = "hybridnet beside MaxiNet's way, as in figures 2, 3 and 11 of Obaida and Liu 2017"

ARMS = {arm.name: arm for arm in (HybridArm, MaxinetArm, MaxinetPatchArm, TunnelArm)}
BUILD_S = 30.0
"""About what building and removing an arm takes, for the progress bar."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--scale",
        choices=("auto", "paper"),
        default="auto",
        help="rates that this machine can source, or the paper's (default: auto)",
    )
    parser.add_argument(
        "--seconds-per-step", type=int, metavar="N", help="seconds, at least 3 (default: 5, paper: 30)"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of all arms in turn (default: 3)")
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
        help="of the simulated link between the roots, hybrid arm (default: %(default)s)",
    )
    parser.add_argument(
        "--link-delay",
        default="5 ms",
        metavar="DELAY",
        help="one way, of that link; what the real network needs is hidden in it (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs/maxinet"),
        metavar="DIR",
        help="run directory (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Runs the comparison.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    console = wide_console(stderr=arguments.json)
    directory = RunDirectory(arguments.out)
    with Cluster.local([SENDERS, RECEIVERS]) as cluster:
        scale = _choose_scale(arguments, cluster, console)
        console.print(str(scale), highlight=False)
        directory.write_manifest(seed=1, facts={"scale": scale.to_json(), "rounds": arguments.rounds})
        rounds = _run_rounds(arguments, cluster, scale, directory, console)
    comparisons = compare(scale, rounds)
    checks = checks_of(scale, comparisons)
    _write(directory, scale, rounds, comparisons, checks)
    _tell(console, scale, rounds, comparisons)
    console.print(f"run directory: {directory.path}", highlight=False)
    return checks


def _choose_scale(arguments: argparse.Namespace, cluster: Cluster, console: Console) -> Scale:
    seconds: int | None = arguments.seconds_per_step
    with console.status("measuring what this machine can source"):
        capacity_bps = measure_source_capacity(cluster, arguments.port_type)
    console.print(
        f"this machine sources {capacity_bps / 1e6:.0f} Mbit/s from one machine to the other", highlight=False
    )
    if arguments.scale == "paper":
        scale = replace(
            PAPER, seconds_per_step=seconds or PAPER.seconds_per_step, source_capacity_bps=capacity_bps
        )
    else:
        scale = auto_scale(capacity_bps, seconds or 5)
    return replace(
        scale,
        link_rate_bps=parse_rate(arguments.link_rate, "--link-rate"),
        link_delay_ns=parse_delay(arguments.link_delay, "--link-delay"),
    )


def _run_rounds(
    arguments: argparse.Namespace, cluster: Cluster, scale: Scale, directory: RunDirectory, console: Console
) -> list[list[ArmRound]]:
    arm_s = BUILD_S + GRACE_S + len(scale.steps) * scale.seconds_per_step
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    rounds: list[list[ArmRound]] = []
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=arguments.rounds * len(ARMS) * arm_s)
        done_s = 0.0
        for number in range(1, arguments.rounds + 1):
            runs = []
            for name, kind in ARMS.items():
                progress.update(task, description=f"round {number}: building {name}")
                with kind(cluster, scale, arguments.port_type, directory.path) as arm:
                    progress.update(task, completed=done_s + BUILD_S)
                    runs.append(
                        climb(arm, scale, lambda what, s: progress.update(task, description=what, advance=s))
                    )
                done_s += arm_s
                progress.update(task, completed=done_s)
                _keep(directory, number, runs[-1])
            rounds.append(runs)
    return rounds


def _keep(directory: RunDirectory, number: int, run: ArmRound) -> None:
    """Writes down what was measured, as soon as it is: a later failure loses nothing."""
    folder = f"round-{number}/{run.arm}"
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
        },
    )
    directory.write_csv(
        f"{folder}/seconds.csv",
        ["at_s", "tcp_bps", "udp_bps", "processor_busy"],
        [(second.at_s, second.tcp_bps, second.udp_bps, second.processor_busy) for second in run.seconds],
    )


def _write(
    directory: RunDirectory,
    scale: Scale,
    rounds: list[list[ArmRound]],
    comparisons: list[StepComparison],
    checks: list[Check],
) -> None:
    directory.write_json(
        "comparison.json",
        {
            "scale": scale.to_json(),
            "published": {"maxinet_peak_bps": PUBLISHED_MAXINET_BPS, "factor_at_16_flows": "almost 6"},
            "steps": to_json(comparisons),
            "checks": [check.to_json() for check in checks],
        },
    )
    arms = list(comparisons[0].total_bps)
    directory.write_csv(
        "comparison.csv",
        [
            "flows",
            "demand_bps",
            *(f"{arm}_{kind}_bps" for arm in arms for kind in ("tcp", "udp")),
            "overloaded",
        ],
        [
            (
                step.flows,
                step.demand_bps,
                *(value for arm in arms for value in (step.tcp_bps[arm], step.udp_bps[arm])),
                step.overloaded or "",
            )
            for step in comparisons
        ],
    )
    plot(directory.path / "comparison.png", scale, rounds[-1], comparisons)


def _tell(
    console: Console, scale: Scale, rounds: list[list[ArmRound]], comparisons: list[StepComparison]
) -> None:
    console.print(table_of(comparisons))
    for step in comparisons:
        if step.overloaded is not None:
            console.print(f"{step.flows} + {step.flows} flows: {step.overloaded}", highlight=False)
    console.print(
        f"verdict of a step: 99.9 % of the events at most {LIMITS.lateness_p999_ns / 1e6:g} ms late, at most "
        f"{100 * LIMITS.late_packets_fraction:g} % of the packets later than their link's delay, no capture drop, the "
        f"processor at most {100 * LIMITS.processor_busy:g} % busy",
        highlight=False,
    )
    console.print(
        f"published: MaxiNet never above {PUBLISHED_MAXINET_BPS / 1e6:g} Mbit/s; hybrid almost 6 times that at 16 "
        "flows (two 16-core machines, 10 Gbit/s network)",
        highlight=False,
    )
    for run in rounds[-1]:
        console.print(f"{run.arm}: up in {run.boot_s:.1f} s; {json.dumps(run.settings)}", highlight=False)
        if run.stalls:
            console.print(
                f"{run.arm}: the computer kept instances from running {run.stalls} times, "
                f"{1e3 * run.stalled_s:.0f} ms in all: the verdicts leave out those quarter seconds",
                highlight=False,
            )
