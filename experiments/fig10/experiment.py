# SPDX-License-Identifier: MIT
"""Figure 10 of Obaida and Liu 2017: as many UDP flows at constant bit rates as TCP flows, over figure 6's dumbbell.

The paper shows peering portals alone; here the other two arrangements run beside them.
"""

from __future__ import annotations

import argparse

from hybridnet.experiments.common.three_ways_report import (
    LABELS,
    Rounds,
    add_scale_arguments,
    plot,
    run_rounds,
    table_of,
)
from hybridnet.observe.results import Check

SUMMARY = (
    "TCP and UDP in real time, over peering, pcap portals and MPI, as in figure 10 of Obaida and Liu 2017"
)
TAKES_S = 180
VIRTUAL_TIME = None
MACHINES = 2
ARMS = ("mpi", "pcap", "peering")
KINDS = ("udp", "tcp")
AHEAD_FROM = 8
PUBLISHED = {"peering": "TCP's share drops at 64 flows"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_scale_arguments(parser, "fig10", ARMS)


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run all arms, in turns.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    experiment, found = run_rounds(arguments, KINDS, ARMS)
    plot(experiment.directory.path / "fig10.png", SUMMARY, found)
    return experiment.finish([] if arguments.quick else checks_of(found), table_of(found, PUBLISHED))


def checks_of(found: Rounds) -> list[Check]:
    """That peering is ahead of each other arm in every step with many flows."""
    if "peering" not in found.arms:
        return []
    checks = []
    for other in [arm for arm in found.arms if arm != "peering"]:
        for place, flows in enumerate(found.scale.steps):
            if flows >= AHEAD_FROM:
                ratio = found.ratio(place, other)
                what = f"{flows} flows, half of them UDP: peering portals beside {LABELS[other]}"
                checks.append(Check(what, f"{ratio:.2f} times", None, "above 1", ratio > 1))
    return checks
