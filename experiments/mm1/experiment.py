# SPDX-License-Identifier: MIT
"""Queueing systems beside their closed forms, as in section 2.2 of Idserda 2004.

An M/M/1 system with 1/3 jobs per second coming and 1/2 served, 10,000 jobs a run, 50 runs: the mean response time with
its 95 % interval beside theory's 6 seconds, and the distribution of the number of jobs beside (1 - ρ) ρⁿ. With the same
rates M/M/2, M/D/1 and M/M/1/5. Runs are replicated in threads, and a seed gives the same figures on any number of them.
"""

from __future__ import annotations

import argparse
import os
from statistics import fmean

from rich.table import Table

from hybridnet._simcore import KendallRun
from hybridnet.errors import UsageError
from hybridnet.experiments.common.options import SEEDS_LIMIT, add_seed_argument, add_seeds_argument
from hybridnet.experiments.mm1.plot import plot
from hybridnet.experiments.mm1.systems import ARRIVALS, SERVICE, SYSTEMS, Estimate
from hybridnet.experiments.mm1.theory import mm1_share
from hybridnet.observe.results import Check, Experiment, RunDirectory, add_experiment_arguments

SUMMARY = "M/M/1, M/M/2, M/D/1 and M/M/1/K compared with theory, as in section 2.2 of Idserda 2004"
TAKES_S = 20
VIRTUAL_TIME = ()
WITHOUT_MACHINES = "everything is simulated in processes of this computer"

PUBLISHED = Estimate(6.0414262, 5.9667702, 6.1160822)
"""Section 2.2.2: the mean response time of 50 runs of 10,000 packets in OMNeT++, and its 95 % interval."""

LEVEL = 0.95
CAREFUL_LEVEL = 0.99
"""Of the other systems: with five intervals, one of 95 % would fail too often by chance."""

JOBS_LIMIT = 10**9
THREADS_LIMIT = 4096

LEVELS = 16
"""How many numbers of jobs are compared."""

SHARE_BOUND = 0.01


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seeds_argument(parser, 50)
    parser.add_argument(
        "--jobs", type=int, default=10_000, metavar="N", help="jobs in a run (default: %(default)s)"
    )
    add_seed_argument(parser, 1, "run")
    parser.add_argument(
        "--threads",
        type=int,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="how many runs run at a time (default: one per processor, %(default)s)",
    )
    add_experiment_arguments(parser, "mm1")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: too few or too many runs, jobs or threads.
    """
    for name, least, most in (
        ("seeds", 2, SEEDS_LIMIT),
        ("jobs", 1, JOBS_LIMIT),
        ("threads", 1, THREADS_LIMIT),
    ):
        if not least <= getattr(arguments, name) <= most:
            raise UsageError(
                f"--{name} {getattr(arguments, name)}: it is not a whole number from {least} to {most}"
            )
    facts = {"replications": arguments.seeds, "jobs": arguments.jobs}
    experiment = Experiment(arguments, facts, seed=arguments.seed)
    runs = {
        system.name: system.replicate(arguments.jobs, arguments.seeds, arguments.seed, arguments.threads)
        for system in SYSTEMS
    }
    shares = [fmean(run.share_of_time[jobs] for run in runs["M/M/1"]) for jobs in range(LEVELS)]
    theory = [mm1_share(ARRIVALS, SERVICE, jobs) for jobs in range(LEVELS)]
    _write(experiment.directory, arguments, runs, shares, theory)
    return experiment.finish(_checks(runs, shares, theory), _table(runs, shares, theory))


def _responses(runs: list[KendallRun], level: float) -> Estimate:
    return Estimate.of([run.mean_response_s for run in runs], level)


def _checks(runs: dict[str, list[KendallRun]], shares: list[float], theory: list[float]) -> list[Check]:
    checks = []
    for system in SYSTEMS:
        first = system.name == "M/M/1"
        level = LEVEL if first else CAREFUL_LEVEL
        estimate = _responses(runs[system.name], level)
        checks.append(
            Check(
                what=f"{system.name}: mean response time, s, with its {100 * level:g} % interval",
                measured=str(estimate),
                published=str(PUBLISHED) if first else None,
                bound=f"holds the theoretical {system.response_s:.4f}",
                holds=estimate.holds(system.response_s),
            )
        )
        if system.capacity is not None:
            lost = Estimate.of([run.lost / run.arrived for run in runs[system.name]], CAREFUL_LEVEL)
            checks.append(
                Check(
                    what=f"{system.name}: part of jobs lost, with its {100 * CAREFUL_LEVEL:g} % interval",
                    measured=str(lost),
                    published=None,
                    bound=f"holds the theoretical {system.lost:.4f}",
                    holds=lost.holds(system.lost),
                )
            )
    farthest = max(abs(share - theoretical) for share, theoretical in zip(shares, theory, strict=True))
    checks.append(
        Check(
            what=f"M/M/1: part of the time with 0 to {LEVELS - 1} jobs, farthest from (1 - ρ) ρⁿ",
            measured=f"{farthest:.4f}",
            published="as good as equal",
            bound=f"<= {SHARE_BOUND:g}",
            holds=farthest <= SHARE_BOUND,
        )
    )
    return checks


def _write(
    directory: RunDirectory,
    arguments: argparse.Namespace,
    runs: dict[str, list[KendallRun]],
    shares: list[float],
    theory: list[float],
) -> None:
    columns = ("seed", "mean_response_s", "mean_waiting_s", "mean_jobs", "arrived", "lost", "seconds")
    replications = [
        (name, *(getattr(run, column) for column in columns))
        for name, of_system in runs.items()
        for run in of_system
    ]
    directory.write_csv("replications.csv", ["system", *columns], replications)
    directory.write_parquet("replications.parquet", ["system", *columns], replications)
    directory.write_csv(
        "jobs_in_system.csv",
        ["jobs", "simulated", "theory"],
        list(zip(range(LEVELS), shares, theory, strict=True)),
    )
    directory.write_json(
        "mm1.json",
        {
            "response_s": {
                system.name: {**vars(_responses(runs[system.name], LEVEL)), "theory": system.response_s}
                for system in SYSTEMS
            },
            "published": vars(PUBLISHED),
        },
    )
    for system in SYSTEMS:
        # every response of the first run; the others would say the same, at some 300 KB each
        (first,) = system.replicate(arguments.jobs, 1, arguments.seed, 1, record=True)
        stem = system.name.replace("/", "").lower()
        name = f"{stem}-{first.seed}"
        (directory.path / f"{stem}.sca").write_text(first.omnetpp_sca(name), encoding="utf-8")
        (directory.path / f"{stem}.vec").write_text(first.omnetpp_vec(name), encoding="utf-8")
        directory.write_parquet(f"{stem}.parquet", ["time_ns", "response_s"], first.response_rows())
        (directory.path / f"{stem}.jsonl").write_text(
            "".join(run.json_lines(f"{stem}-{run.seed}") for run in runs[system.name]), encoding="utf-8"
        )
    responses = {system.name: _responses(runs[system.name], LEVEL) for system in SYSTEMS}
    plot(directory.path / "mm1.png", responses, PUBLISHED, shares, theory)


def _table(runs: dict[str, list[KendallRun]], shares: list[float], theory: list[float]) -> Table:
    table = Table(
        title="Mean response time, s, and part of the time with n jobs (M/M/1)", title_justify="left"
    )
    for column in ("system", "simulated [95 % interval]", "theory"):
        table.add_column(column, justify="right")
    for system in SYSTEMS:
        table.add_row(system.name, str(_responses(runs[system.name], LEVEL)), f"{system.response_s:.4f}")
    table.add_section()
    for jobs in range(6):
        table.add_row(f"n = {jobs}", f"{shares[jobs]:.4f}", f"{theory[jobs]:.4f}")
    return table
