# SPDX-License-Identifier: MIT
"""Figure 7 of Obaida and Liu 2017: the dumbbell as fast as it can be simulated, in one part, threads and processes.

The paper's simulator ran it under MPI on two machines, as conservative parallel simulations do: 1500 s for 210 s.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet.experiments.common.figure6 import Figure6, limit_bps, received
from hybridnet.experiments.common.options import (
    add_arms_argument,
    add_rounds_argument,
    add_seconds_argument,
    add_step_argument,
)
from hybridnet.experiments.fig7.plot import plot
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments
from hybridnet.simulate.offline import Replication, simulate

SUMMARY = "parallel simulation in one part, threads and MPI, as in figure 7 of Obaida and Liu 2017"
TAKES_S = 120
VIRTUAL_TIME = ("--traces",)
VIRTUAL_TAKES_S = 60
WITHOUT_MACHINES = "everything is simulated in processes of this computer"

STEPS = (1, 2, 4, 8, 16, 32, 64)
PUBLISHED_SLOWDOWN = 1500 / 210
PUBLISHED_MBPS = 1000
"""Below which the paper's goodput stayed, had its time been real."""
LEAST_SPEEDUP = 1.6
ARMS: dict[str, dict[str, Any]] = {"one part": {}, "two threads": {"parallel": 2}, "MPI": {"mpi": 2}}


@dataclass
class Arm:
    """What one way of simulating gave: the staircase once, and 64 flows in every round."""

    staircase: Replication
    rounds: list[Replication] = field(default_factory=list)

    @property
    def wall_s(self) -> float:
        """Of 64 flows, the median."""
        return median(each.wall_s for each in self.rounds)

    @property
    def waited_share(self) -> float | None:
        shares = [each.waited_share for each in self.rounds if each.waited_share is not None]
        return median(shares) if shares else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_step_argument(parser, 0.5, "simulated seconds of each step of the staircase", published=30)
    add_seconds_argument(parser, 2.0, "simulated seconds with 64 flows")
    add_rounds_argument(parser, 3, "rounds with 64 flows")
    add_arms_argument(parser, [name.split()[-1] for name in ARMS])
    parser.add_argument(
        "--traces",
        action="store_true",
        help="only the staircase, whose traces are compared: no speed is judged",
    )
    add_experiment_arguments(
        parser, "fig7", quick="steps of 50 ms up to 8 flows, 0.1 s of 64 flows, one round"
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run all arms, in turns.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    steps = STEPS[:4] if arguments.quick else STEPS
    step_s = 0.05 if arguments.quick else arguments.seconds_per_step
    seconds = 0.1 if arguments.quick else arguments.seconds
    rounds = 0 if arguments.traces else 1 if arguments.quick else arguments.rounds
    asked = {"part", *arguments.arms}  # the others are compared with one part
    chosen = {name: how for name, how in ARMS.items() if name.split()[-1] in asked}
    experiment = Experiment(
        arguments,
        {
            "steps": steps,
            "step_s": step_s,
            "seconds": seconds,
            "rounds": rounds,
            "processors": os.cpu_count(),
        },
    )
    arms: dict[str, Arm] = {}
    with experiment.steps(len(chosen) * (1 + rounds)) as progress:
        starts = tuple(step_s * sum(flow >= flows for flows in steps) for flow in range(steps[-1]))
        for name, how in chosen.items():
            with progress.step(f"{name}: staircase"):
                [staircase] = simulate(
                    Figure6(starts=starts), step_s * len(steps), trace_hash=True, series=step_s / 5, **how
                ).replications
                arms[name] = Arm(staircase)
        for number in range(rounds):
            for name, how in chosen.items():
                with progress.step(f"{name}: 64 flows, round {number + 1}"):
                    arms[name].rounds += simulate(Figure6(), seconds, **how).replications
    goodput = staircase_of(arms["one part"].staircase, steps, step_s)
    _write(experiment, arms, goodput, step_s)
    judged = rounds > 0 and not arguments.quick
    table = table_of(arms, seconds) if rounds else None
    return experiment.finish(checks_of(arms, seconds, judged=judged), table)


def staircase_of(replication: Replication, steps: Sequence[int], step_s: float) -> list[tuple[float, float]]:
    """Total goodput over time: (simulated second, bits per second)."""
    totals = [0.0] * len(replication.sampled_ns)
    for flow in range(steps[-1]):
        for place, value in enumerate(replication.series.get(received(flow), ())):
            totals[place] += value
    gained = zip([0.0, *totals], totals, strict=False)
    return [
        (at_ns / 1e9, (after - before) * 8 / (step_s / 5))
        for at_ns, (before, after) in zip(replication.sampled_ns, gained, strict=True)
    ]


def checks_of(arms: dict[str, Arm], seconds: float, *, judged: bool) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    one = arms["one part"]
    checks = [
        Check(
            f"{name}: the trace of the staircase is that of one part",
            f"{(arm.staircase.trace_hash or '')[:16]}, {arm.staircase.events} events",
            None,
            f"{(one.staircase.trace_hash or '')[:16]}, {one.staircase.events} events",
            (arm.staircase.trace_hash, arm.staircase.events)
            == (one.staircase.trace_hash, one.staircase.events),
        )
        for name, arm in arms.items()
        if arm is not one
    ]
    if "two threads" in arms and judged:
        speedup = one.wall_s / arms["two threads"].wall_s
        checks.append(
            Check(
                "two threads beside one part: 64 flows, on two idle cores",
                f"{speedup:.2f} times as fast",
                None,
                f"at least {LEAST_SPEEDUP:g} times",
                speedup >= LEAST_SPEEDUP,
            )
        )
    if "MPI" in arms and judged:
        slowdown = arms["MPI"].wall_s / seconds
        checks.append(
            Check(
                "MPI: seconds of wall time for a simulated one, 64 flows",
                f"{slowdown:.2f}",
                f"{PUBLISHED_SLOWDOWN:.1f}, of 1 to 64 flows",
                "below the paper's",
                slowdown < PUBLISHED_SLOWDOWN,
            )
        )
    return checks


def real_mbps(arm: Arm) -> float:
    """Goodput of 64 flows, had the wall time been the simulated one, Mbit/s: what the paper calls real time."""
    return median(
        sum(each.figures[received(flow)] for flow in range(STEPS[-1])) * 8 / each.wall_s / 1e6
        for each in arm.rounds
    )


def table_of(arms: dict[str, Arm], seconds: float) -> Table:
    """One line for each arm, and the paper's."""
    table = Table()
    for column in (
        "arm",
        "staircase, wall s",
        f"64 flows for {seconds:g} s, wall s",
        "waiting",
        "goodput in wall time, Mbit/s",
        "beside one part",
        "trace",
    ):
        table.add_column(column, justify="left" if column in ("arm", "trace") else "right")
    for name, arm in arms.items():
        share = arm.waited_share
        table.add_row(
            name,
            f"{arm.staircase.wall_s:.2f}",
            f"{arm.wall_s:.2f}",
            "-" if share is None else f"{share:.1%}",
            f"{real_mbps(arm):.0f}",
            f"{arms['one part'].wall_s / arm.wall_s:.2f}",
            (arm.staircase.trace_hash or "")[:16],
        )
    table.add_row("paper, MPI, two machines", "1500 for 210 s", "-", "-", f"below {PUBLISHED_MBPS}", "-", "-")
    return table


def _write(
    experiment: Experiment, arms: dict[str, Arm], goodput: list[tuple[float, float]], step_s: float
) -> None:
    experiment.directory.write_csv(
        "rounds.csv",
        ["arm", "round", "wall_s", "processor_s", "events", "waited_share"],
        [
            (name, number, each.wall_s, each.processor_s, each.events, each.waited_share)
            for name, arm in arms.items()
            for number, each in enumerate(arm.rounds, 1)
        ],
    )
    experiment.directory.write_csv("staircase.csv", ["time_s", "goodput_bps"], goodput)
    experiment.directory.write_json(
        "traces.json",
        {
            name: {"hash": arm.staircase.trace_hash, "events": arm.staircase.events}
            for name, arm in arms.items()
        },
    )
    slowdown = {name: arm.staircase.wall_s / goodput[-1][0] for name, arm in arms.items()}
    limits = [limit_bps(flows) for flows in STEPS[: round(goodput[-1][0] / step_s)]]
    plot(experiment.directory.path / "fig7.png", goodput, slowdown, limits, step_s, PUBLISHED_MBPS)
