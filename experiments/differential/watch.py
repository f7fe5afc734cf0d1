# SPDX-License-Identifier: MIT
"""The columns of differential run: every pairing of each, as often as it takes to know Linux's own spread."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from math import ceil

from rich.table import Table

from hybridnet.experiments.common.linux_flows import require_algorithms
from hybridnet.experiments.common.replicate import run_all
from hybridnet.experiments.differential.columns import COLUMNS, Bulk, Column
from hybridnet.experiments.differential.pairings import (
    LINUX,
    MIXED,
    SIMULATED,
    Figures,
    Pair,
    Pairing,
    RealBatch,
    run_pairs,
    simulate,
)
from hybridnet.experiments.differential.plot import plot_columns
from hybridnet.experiments.differential.ranges import (
    LEAST,
    Cell,
    Recorded,
    cells_of,
    checks_of,
    sum_line,
    table_of,
)
from hybridnet.observe.results import Check, Experiment, Word

REPETITIONS = {LINUX: 6, MIXED[0]: 3, MIXED[1]: 3}
"""Of each column in a round; of simulated to simulated there are SEEDS."""
SEEDS = 5
MOST_AT_ONCE = 24

# A batch with a saturated computer counts: Linux's own range is of the same computer.
Found = dict[tuple[str, Pairing], list[Figures]]


def run_watch(
    experiment: Experiment, arguments: argparse.Namespace, rounds: int
) -> tuple[list[Check], Table]:
    """Run the chosen columns with the pairings of the chosen arms; write what was found.

    Returns:
        The checks and the table.

    Raises:
        EnvironmentLackError: the machine's kernel lacks a congestion control.
    """
    columns = [column for column in COLUMNS if not arguments.column or column.name in arguments.column]
    found: Found = {}
    if "simulated" in arguments.arms:
        pairs = [(Pair(column, SIMULATED), seed) for column in columns for seed in range(1, SEEDS + 1)]
        results = run_all(lambda each: simulate(*each), pairs, experiment.console)
        _add(found, [pair for pair, _ in pairs], results)
    kernel = ""
    batches: list[RealBatch] = []
    if "linux" in arguments.arms:
        kernel, batches = _run_real(experiment, arguments, columns, found, rounds)
    for batch in batches:
        if batch.verdict.word is not Word.BROKEN:
            _add(found, batch.pairs, batch.figures)
    cells = cells_of(columns, found, None if batches else Recorded())
    _write(experiment, cells, kernel, batches)
    checks = checks_of(columns, cells)
    if batches:
        checks.insert(0, _enough(columns, found, batches))
    experiment.console.print(sum_line(cells), highlight=False)
    return checks, table_of(cells)


def _add(found: Found, pairs: Sequence[Pair], figures: Sequence[Figures]) -> None:
    for pair, each in zip(pairs, figures, strict=True):
        found.setdefault((pair.column.name, pair.pairing), []).append(each)


def _run_real(
    experiment: Experiment,
    arguments: argparse.Namespace,
    columns: Sequence[Column],
    simulated: Found,
    rounds: int,
) -> tuple[str, list[RealBatch]]:
    """Every column in each round, with each pairing that has a Linux end, in as few batches as the budget allows."""
    pairings = [LINUX, *(MIXED if "simulated" in arguments.arms else ())]
    batches: list[list[Pair]] = []
    # What takes equally long runs together.
    for _, alike in itertools.groupby(
        sorted(columns, key=lambda column: column.does.seconds), lambda column: column.does.seconds > 15
    ):
        offered = [
            (Pair(column, pairing), _offered_bps(column, simulated))
            for column in alike
            for pairing in pairings
            for _ in range(REPETITIONS[pairing])
        ]
        batches += dealt(offered, 1e6 * arguments.at_once, MOST_AT_ONCE)
    done: list[RealBatch] = []
    with arguments.cluster(["m1"]) as cluster, experiment.steps(rounds * len(batches)) as steps:
        require_algorithms(cluster, "m1", sorted({column.tcp.congestion for column in columns}))
        kernel = cluster.call("m1", "exec", argv=["uname", "-r"])["stdout"].decode().strip()
        for number, (place, pairs) in itertools.product(range(1, rounds + 1), enumerate(batches, start=1)):
            with steps.step(f"columns, round {number}: {len(pairs)} paths at once"):
                done.append(run_pairs(cluster, "m1", pairs, len(done) + 1))
                experiment.directory.write_json(
                    f"columns/round-{number}-batch-{place}.json", done[-1].to_json()
                )
            experiment.console.print(f"{len(pairs)} paths: {done[-1].verdict}", highlight=False)
    return kernel, done


def dealt(offered: Sequence[tuple[Pair, float]], budget_bps: float, most: int) -> list[list[Pair]]:
    """Batches of about equal load. The repetitions of a column are in different ones, so a broken batch costs each few.

    Args:
        offered: each pair and what it sends.
        budget_bps: what those of a batch may send together.
        most: pairs in a batch.
    """
    load = sum(bps for _, bps in offered)
    batches = max(ceil(load / budget_bps), ceil(len(offered) / most))
    inorder = [pair for pair, _ in sorted(offered, key=lambda each: -each[1])]
    return [inorder[place::batches] for place in range(batches)]


def _offered_bps(column: Column, simulated: Found) -> float:
    """What a pair of this column sends, judging by the simulated ones."""
    does = column.does
    if not isinstance(does, Bulk):
        return 8 * does.response / (does.think_s + 0.1)
    found = [each.get("throughput_mbps") for each in simulated.get((column.name, SIMULATED), [])]
    return 1e6 * max([rate for rate in found if rate is not None], default=float(column.way["bw"]))


def _enough(columns: Sequence[Column], found: Found, batches: Sequence[RealBatch]) -> Check:
    """Whether Linux's own spread is known of every column, and each pairing was measured."""
    least = {LINUX: LEAST, **dict.fromkeys(MIXED, 1)}
    asked = {pair.pairing for batch in batches for pair in batch.pairs}
    short = [
        f"{column.name}, {pairing}: {len(found.get((column.name, pairing), []))}"
        for column in columns
        for pairing in asked
        if len(found.get((column.name, pairing), [])) < least[pairing]
    ]
    kept = sum(batch.verdict.word is not Word.BROKEN for batch in batches)
    return Check(
        "repetitions of every column",
        "; ".join(short) or f"enough: {kept} of {len(batches)} batches kept real time",
        None,
        f"{LEAST} of Linux to Linux and 1 of each other pairing; broken batches are left out",
        not short,
    )


def _write(experiment: Experiment, cells: Sequence[Cell], kernel: str, batches: Sequence[RealBatch]) -> None:
    directory = experiment.directory
    rows = [cell.to_json() for cell in cells]
    directory.write_json(
        "columns.json", {"cells": rows, "verdicts": [batch.verdict.to_json() for batch in batches]}
    )
    directory.write_csv("columns.csv", list(rows[0]), [list(row.values()) for row in rows])
    if batches:
        directory.write_json("linux.json", Recorded.to_json(kernel, cells))
    plot_columns(directory.path / "columns.png", cells)
