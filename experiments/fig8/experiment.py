# SPDX-License-Identifier: MIT
"""Figure 8 of Obaida and Liu 2017: TCP over figure 6's dumbbell in real time, in the arrangements of section 5.2."""

from __future__ import annotations

import argparse

from hybridnet.experiments.common.three_ways_report import (
    add_scale_arguments,
    plot,
    ratio_check,
    run_rounds,
    table_of,
)
from hybridnet.observe.results import Check

SUMMARY = "TCP in real time, over peering, pcap portals and MPI, as in figure 8 of Obaida and Liu 2017"
TAKES_S = 180
VIRTUAL_TIME = None
MACHINES = 2
ARMS = ("mpi", "pcap", "peering")
KINDS = ("tcp",)
LEAST_RATIO = 3.0
PUBLISHED = {"mpi": "below 1 in all", "peering": "in some cases more than twice that"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_scale_arguments(parser, "fig8", ARMS)


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run all arms, in turns.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    experiment, found = run_rounds(arguments, KINDS, ARMS)
    plot(experiment.directory.path / "fig8.png", SUMMARY, found)
    checks = [] if arguments.quick else ratio_check(found, "mpi", LEAST_RATIO, "in some cases more than 2")
    return experiment.finish(checks, table_of(found, PUBLISHED))
