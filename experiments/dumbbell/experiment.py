# SPDX-License-Identifier: MIT
"""The dumbbell of section 5.1 of Obaida and Liu 2017: TCP flows that double every 30 s, in one process on one core.

128 hosts with 1 Gbit/s and 1 ms of delay each, a bottleneck of 10 Gbit/s, 1 to 64 flows; once with trains of segments
and once with single segments, as fast as they can be simulated.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from hybridnet.experiments.common.options import add_step_argument
from hybridnet.experiments.common.tcp_plot import plot_dumbbell
from hybridnet.experiments.dumbbell.network import Step, climb, tcp_options
from hybridnet.observe.results import Check, Experiment, RunDirectory, add_experiment_arguments

SUMMARY = "64 TCP flows over a simulated dumbbell, as in figures 6 and 7 of Obaida and Liu 2017"
TAKES_S = 320
VIRTUAL_TIME = ()
WITHOUT_MACHINES = "everything is simulated in processes of this computer"

STEPS = (1, 2, 4, 8, 16, 32, 64)
STEP_S = 30.0
PUBLISHED_S = 1500.0
PUBLISHED_SIMULATED_S = 210.0
"""What the paper's simulator took, on two machines, and for how much."""
FASTER_THAN_PUBLISHED = 10.0
LEAST_OF_LIMIT = 0.97
LEAST_FAIRNESS = 0.9
MODES_APART = 0.03


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_step_argument(parser, STEP_S)
    add_experiment_arguments(
        parser, "dumbbell", quick="three steps of 1 s, 1 to 4 flows; neither fairness nor the total is judged"
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run both modes, one after the other, each on one core.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    steps = STEPS[:3] if arguments.quick else STEPS
    step_s = 1.0 if arguments.quick else arguments.seconds_per_step
    experiment = Experiment(
        arguments,
        {
            "steps": steps,
            "step_s": step_s,
            "tcp": {"trains": tcp_options(True), "single segments": tcp_options(False)},
        },
    )
    climbed: dict[str, list[Step]] = {}
    series: dict[str, list[tuple[float, float]]] = {}
    for mode in ("trains", "single segments"):
        with experiment.console.status(f"{mode}: simulating {steps[0]} flow") as status:
            climbed[mode], series[mode] = climb(
                steps,
                step_s,
                mode == "trains",
                lambda step, mode=mode, status=status: status.update(  # type: ignore[misc]
                    f"{mode}: {step.flows} flows ran {step.speed:.1f} times as fast as real time"
                ),
            )
    checks = checks_of(climbed["trains"], climbed["single segments"])
    _write(experiment.directory, climbed, series)
    return experiment.finish(checks, table_of(climbed))


def checks_of(trains: Sequence[Step], singles: Sequence[Step]) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    slowest = min(trains, key=lambda step: step.speed)
    least = min(trains, key=lambda step: step.total_bps / step.limit_bps)
    apart = max(
        abs(train.total_bps / single.total_bps - 1) for train, single in zip(trains, singles, strict=True)
    )
    checks = [
        Check(
            "trains: faster than real time at every step",
            f"{slowest.speed:.1f} times at {slowest.flows} flows",
            "7 times slower",
            "above 1",
            slowest.speed > 1,
        ),
        Check(
            "trains: goodput is the demand, or what the framing lets through",
            f"{least.total_bps / least.limit_bps:.1%} at {least.flows} flows",
            "throttled above 16 flows",
            f"at least {LEAST_OF_LIMIT:.0%} at every step",
            least.total_bps >= LEAST_OF_LIMIT * least.limit_bps,
        ),
        Check(
            "trains beside single segments: total goodput",
            f"{apart:.2%} apart at most",
            None,
            f"at most {MODES_APART:.0%}",
            apart <= MODES_APART,
        ),
    ]
    if trains[-1].flows == STEPS[-1]:
        simulated = sum(step.simulated_s for step in trains)
        took = sum(step.processor_s for step in trains)
        factor = PUBLISHED_S / PUBLISHED_SIMULATED_S * simulated / took
        checks.append(
            Check(
                "trains: the whole, on one core",
                f"{took:.1f} s of processor for {simulated:g} s: {factor:.0f} times as fast",
                "1500 s for 210 s, two machines",
                f"at least {FASTER_THAN_PUBLISHED:g} times as fast",
                factor >= FASTER_THAN_PUBLISHED,
            )
        )
        checks += [
            Check(
                f"{name}: Jain's index at {steps[-1].flows} flows",
                f"{steps[-1].fairness:.3f}",
                None,
                f"at least {LEAST_FAIRNESS}",
                steps[-1].fairness >= LEAST_FAIRNESS,
            )
            for name, steps in (("trains", trains), ("single segments", singles))
        ]
    return checks


def table_of(climbed: dict[str, list[Step]]) -> Table:
    """One line for each mode and step."""
    table = Table()
    for column in (
        "mode",
        "flows",
        "goodput, Mbit/s",
        "of the limit",
        "Jain",
        "times real time",
        "Mevents/s",
    ):
        table.add_column(column, justify="left" if column == "mode" else "right")
    for mode, steps in climbed.items():
        for step in steps:
            table.add_row(
                mode,
                str(step.flows),
                f"{step.total_bps / 1e6:.0f}",
                f"{step.total_bps / step.limit_bps:.1%}",
                f"{step.fairness:.3f}",
                f"{step.speed:.1f}",
                f"{step.events / step.processor_s / 1e6:.1f}",
            )
    return table


def _write(
    directory: RunDirectory,
    climbed: dict[str, list[Step]],
    series: dict[str, list[tuple[float, float]]],
) -> None:
    rows: list[tuple[Any, ...]] = [
        (
            mode, step.flows, step.total_bps, step.limit_bps, step.fairness, step.simulated_s, step.wall_s,
            step.processor_s, step.events,
        )
        for mode, steps in climbed.items()
        for step in steps
    ]  # fmt: skip
    directory.write_csv(
        "steps.csv",
        [
            "mode", "flows", "goodput_bps", "limit_bps", "jain", "simulated_s", "wall_s", "processor_s", "events",
        ],
        rows,
    )  # fmt: skip
    plot_dumbbell(directory.path / "goodput.png", climbed, series)
