# SPDX-License-Identifier: MIT
"""Figure 9 of Obaida and Liu 2017: UDP at constant bit rates over figure 6's dumbbell, by peering and by pcap."""

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

SUMMARY = (
    "UDP at constant bit rates in real time, over peering and pcap, as in figure 9 of Obaida and Liu 2017"
)
TAKES_S = 180
VIRTUAL_TIME = None
MACHINES = 2
ARMS = ("pcap", "peering")
KINDS = ("udp",)
LEAST_RATIO = 2.0
PUBLISHED = {"peering": "almost twice the pcap portals' in heavy traffic"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_scale_arguments(parser, "fig9", ARMS)


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run all arms, in turns.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    experiment, found = run_rounds(arguments, KINDS, ARMS)
    plot(experiment.directory.path / "fig9.png", SUMMARY, found)
    checks = [] if arguments.quick else ratio_check(found, "pcap", LEAST_RATIO, "almost 2")
    return experiment.finish(checks, table_of(found, PUBLISHED))
