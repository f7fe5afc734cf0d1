# SPDX-License-Identifier: MIT
"""The same flow three times: by formula, with simulated TCP, and with this computer's own TCP.

One flow for a minute over 100 Mbit/s, with a queue of one bandwidth-delay product. The formula is PFTK's or CUBIC's
response function; the simulated arm runs simcore's TCP over its link in virtual time; the real arm runs Linux's TCP in
namespaces over the same link in real time. Where simulated and real differ, one of them is wrong, and it is not Linux.

The columns look at what a long flow does not show: marks, reordering, idle times, lost SYNs, errors. Each has Linux and
simulated TCP at either end of the same link, and is held against the spread that Linux to Linux has.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.table import Table

from hybridnet.errors import UsageError
from hybridnet.experiments.common.linux_flows import LinuxFlow, require_algorithms
from hybridnet.experiments.common.options import add_arms_argument, add_rounds_argument, add_seconds_argument
from hybridnet.experiments.common.path import PathResult, run_path
from hybridnet.experiments.common.replicate import run_all
from hybridnet.experiments.differential.cells import (
    ALGORITHMS,
    LOSSES,
    RTTS_S,
    Cell,
    Measured,
    all_cells,
    batches_of,
    tcp_options,
)
from hybridnet.experiments.differential.columns import COLUMNS
from hybridnet.experiments.differential.plot import plot_throughputs, plot_windows
from hybridnet.experiments.differential.real import Batch, run_batch
from hybridnet.experiments.differential.watch import run_watch
from hybridnet.observe.results import Check, Experiment, Word, add_experiment_arguments, positive

SUMMARY = "the same TCP flow by formula, simulated, and by Linux's own TCP, side by side"
TAKES_S = 1800
VIRTUAL_TIME = ("--arms", "simulated")
VIRTUAL_TAKES_S = 60

SECONDS = 60.0
MACHINES = 1
ROUNDS = 5
FURTHER = 2
"""Times the rounds that further ones may be, of cells that have too few."""
DRAWS = 100
"""Simulated flows of each cell with loss: beside eight real ones they add 4 % to the error of the difference."""
COLUMN_ROUNDS = 2
"""Of the columns: a round has each pairing several times."""
ARMS = ("linux", "simulated")
PARTS = ("flows", "columns")
EVERY_S = 0.1
BOUNDS = {False: 0.10, True: 0.15}
"""How far simulated and real may lie apart: of single segments, and of trains."""
MODES = {"single": (False,), "trains": (True,), "both": (False, True)}
BUDGET_MBPS = 200.0
MOST_AT_ONCE = 8
QUICK_CELLS = [Cell(False, "reno", 0.01, 0.01), Cell(False, "cubic", 0.01, 0.01)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seconds_argument(parser, SECONDS, "seconds of each flow", least=5)
    add_rounds_argument(parser, ROUNDS, "rounds of all flows")
    add_arms_argument(parser, ARMS)
    parser.add_argument(
        "--only", choices=PARTS, help="only the long flows, or only the columns (default: both)"
    )
    parser.add_argument(
        "--column", choices=[column.name for column in COLUMNS], action="append", metavar="NAME",
        help="only this column: " + ", ".join(column.name for column in COLUMNS).replace("%", "%%")
        + "; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--mode", choices=tuple(MODES), default="both", help="how segments travel (default: %(default)s)"
    )
    parser.add_argument(
        "--algorithm",
        choices=ALGORITHMS,
        action="append",
        help="only this congestion control; may be repeated",
    )
    parser.add_argument(
        "--rtt", type=float, choices=[1e3 * rtt for rtt in RTTS_S], action="append", metavar="MS",
        help="only this round trip in ms, 10 or 60; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--loss", type=float, choices=[100 * loss for loss in LOSSES], action="append", metavar="PERCENT",
        help="only this loss in percent, 0, 0.1, 1 or 2; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--at-once",
        type=positive,
        default=BUDGET_MBPS,
        metavar="MBIT/S",
        help="how much the real flows that run at once may send together, judging by the simulated ones, in Mbit/s "
        "(default: %(default)g)",
    )
    add_experiment_arguments(
        parser, "differential", quick="two flows of 10 s, single segments, and each column in one round"
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the flows and the columns. Without Linux the flows have nothing beside them, and only the columns run.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        EnvironmentLackError: the machine's kernel lacks a congestion control.
        UsageError: the options leave nothing to run.
    """
    if arguments.only == "flows" and set(arguments.arms) != set(ARMS):
        raise UsageError(
            f"differential --only flows --arms {' '.join(arguments.arms)}: flows are compared, and need both arms; "
            "leave --arms or --only out"
        )
    seconds, rounds = (10.0, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    cells = _chosen(arguments)
    experiment = Experiment(
        arguments,
        {
            "seconds": seconds,
            "rounds": rounds,
            "at_once_mbps": arguments.at_once,
            "arms": arguments.arms,
            "tcp": tcp_options(cells[0]),
        },
    )
    checks: list[Check] = []
    tables: list[Table] = []
    if arguments.only != "columns" and set(arguments.arms) == set(ARMS):
        found, table = _run_flows(experiment, arguments, cells, rounds, seconds)
        checks += found
        tables.append(table)
    if arguments.only != "flows":
        found, table = run_watch(experiment, arguments, 1 if arguments.quick else COLUMN_ROUNDS)
        checks += found
        tables.append(table)
    for table in tables[:-1]:
        experiment.console.print(table)
    return experiment.finish(checks, tables[-1])


def _run_flows(
    experiment: Experiment, arguments: argparse.Namespace, cells: list[Cell], rounds: int, seconds: float
) -> tuple[list[Check], Table]:
    """The same flow by formula, simulated, and real, in each cell."""
    cases = [
        cell.case(number, seconds, EVERY_S)
        for cell in cells
        for number in range(1, (DRAWS if cell.loss and rounds > 1 else rounds) + 1)
    ]
    simulated = run_all(run_path, cases, experiment.console)
    measured = [
        Measured(cell, [bits_per_second(each, seconds) for each in simulated if each.case.label == str(cell)])
        for cell in cells
    ]
    batches = _run_real(experiment, arguments, measured, rounds, seconds)
    traces = {each.case.label: each for each in simulated if each.case.keep_samples}
    _write(experiment, measured, traces, batches)
    return checks_of(measured, rounds), table_of(measured)


def bits_per_second(result: PathResult, seconds: float) -> float:
    """Of the payload that came in the whole time, the opening included."""
    return 8 * float(result.outcome["received_bytes"]) / seconds


def _chosen(arguments: argparse.Namespace) -> list[Cell]:
    if arguments.quick:
        return QUICK_CELLS
    return [
        cell
        for trains in MODES[arguments.mode]
        for cell in all_cells(trains)
        if (not arguments.algorithm or cell.algorithm in arguments.algorithm)
        and (not arguments.rtt or 1e3 * cell.rtt_s in arguments.rtt)
        and (not arguments.loss or 100 * cell.loss in arguments.loss)
    ]


def _run_real(
    experiment: Experiment,
    arguments: argparse.Namespace,
    measured: Sequence[Measured],
    rounds: int,
    seconds: float,
) -> list[Batch]:
    """Every cell once in each round, in as few batches as the budget allows. What has too few trusted rounds after that
    runs in further ones.
    """
    done: list[Batch] = []
    with arguments.cluster(["m1"]) as cluster:
        require_algorithms(cluster, "m1", ALGORITHMS)
        for number in range(1, (1 + FURTHER) * rounds + 1):
            chosen = measured if number <= rounds else short_of_rounds(measured, rounds)
            offered = [(each.cell, each.simulated_bps) for each in chosen]
            batches = batches_of(offered, 1e6 * arguments.at_once, MOST_AT_ONCE)
            if not batches:
                break
            what = (
                f"round {number} of {rounds}"
                if number <= rounds
                else f"round {number}, of flows that have too few"
            )
            with experiment.steps(len(batches)) as steps:
                for index, cells in enumerate(batches, start=1):
                    with steps.step(f"{what}: {len(cells)} real flows at once"):
                        done.append(run_batch(cluster, cells, number, seconds, EVERY_S))
                    experiment.directory.write_json(f"round-{number}/batch-{index}.json", done[-1].to_json())
                    _take(measured, done[-1])
    return done


def rounds_due(measured: Measured, rounds: int) -> int:
    """The trusted rounds that a cell must have: more than half of ``rounds``, and as many as tell its bound from
    chance. A single round is a look, and tells nothing.
    """
    if rounds == 1:
        return 1
    return max(rounds // 2 + 1, measured.rounds_that_tell(BOUNDS[measured.cell.trains]))


def short_of_rounds(measured: Sequence[Measured], rounds: int) -> list[Measured]:
    """Those that have fewer trusted rounds than are due."""
    return [each for each in measured if len(each.real) < rounds_due(each, rounds)]


def _take(measured: Sequence[Measured], batch: Batch) -> None:
    of_cell = {each.cell: each for each in measured}
    trusted = batch.verdict.word is Word.TRUSTED
    for cell, flow in zip(batch.cells, batch.flows, strict=True):
        mine = of_cell[cell]
        (mine.real if trusted else mine.untrusted).append(flow.throughput_bps)


def checks_of(measured: Sequence[Measured], rounds: int) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    short = [
        f"{each.cell}: {len(each.real)} of {rounds_due(each, rounds)}"
        for each in short_of_rounds(measured, rounds)
    ]
    checks = [
        Check(
            "trusted rounds of each real flow",
            "; ".join(short) or f"{min(len(each.real) for each in measured)} at least",
            None,
            "more than half, and as many as tell the bound from chance",
            not short,
        )
    ]
    for trains, bound in BOUNDS.items():
        mine = [each for each in measured if each.cell.trains == trains]
        for algorithm in ALGORITHMS:
            if chosen := [each for each in mine if each.cell.algorithm == algorithm]:
                checks.append(_within(algorithm, chosen, bound))
    return checks


def _within(algorithm: str, measured: Sequence[Measured], bound: float) -> Check:
    judged = [each for each in measured if each.real]
    outside = [each for each in judged if abs(each.deviation) > bound]
    mode = "trains" if measured[0].cell.trains else "single segments"
    figures = [
        f"{each.cell}: {each.simulated_bps / 1e6:.2f} for {each.real_bps / 1e6:.2f} Mbit/s, {each.deviation:+.1%}"
        for each in outside
    ]
    apart = max((abs(each.deviation) for each in judged), default=float("nan"))
    return Check(
        f"{mode}, {algorithm}: simulated beside Linux, means",
        "; ".join([f"{apart:.1%} apart at most", *figures]),
        None,
        f"within {bound:.0%}",
        bool(judged) and not outside,
    )


def table_of(measured: Sequence[Measured]) -> Table:
    """One line for each cell: the three arms, in Mbit/s."""
    table = Table(title="Throughput, Mbit/s, means", title_justify="left")
    for column in ("cell", "formula", "simulated", "Linux", "simulated beside formula", "beside Linux"):
        table.add_column(column, justify="left" if column == "cell" else "right")
    for each in measured:
        table.add_row(
            str(each.cell),
            f"{each.cell.formula_bps / 1e6:.2f}",
            f"{each.simulated_bps / 1e6:.2f}",
            f"{each.real_bps / 1e6:.2f}",
            f"{each.from_formula:+.1%}",
            f"{each.deviation:+.1%}",
        )
    return table


def _write(
    experiment: Experiment,
    measured: Sequence[Measured],
    simulated: dict[str, PathResult],
    batches: Sequence[Batch],
) -> None:
    directory = experiment.directory
    directory.write_json(
        "differential.json",
        {
            "cells": [each.to_json() for each in measured],
            "batches": [batch.to_json() for batch in batches],
        },
    )
    rows = [each.to_json() for each in measured]
    for row, each in zip(rows, measured, strict=True):
        row |= {"simulated_bps": each.simulated_bps, "real_bps": each.real_bps}
        row["untrusted_bps"] = len(each.untrusted)
    directory.write_csv("differential.csv", list(rows[0]), [list(row.values()) for row in rows])
    real: dict[str, LinuxFlow] = {}
    for batch in batches:
        for cell, flow in zip(batch.cells, batch.flows, strict=True):
            real.setdefault(str(cell), flow)
    for name, flow in real.items():
        file = name.replace(" ", "-").replace("%", "")
        directory.write_csv(f"traces/{file}-linux.csv", flow.columns, flow.samples)
        samples = simulated[name].samples
        directory.write_csv(
            f"traces/{file}-simulated.csv", list(samples), zip(*samples.values(), strict=True)
        )
    plot_throughputs(directory.path / "throughput.png", measured)
    plot_windows(directory.path / "cwnd.png", [each.cell for each in measured], simulated, real)
