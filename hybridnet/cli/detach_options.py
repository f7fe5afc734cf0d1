# SPDX-License-Identifier: MIT
"""Detached runs: the option with which a command goes on in a process of its own, and the argument that names one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hybridnet.system.python_command import python_module

__all__ = ["add_detach_argument", "add_detached_run_argument", "run_detached"]

_DETACH = "--detach"


def add_detach_argument(parser: argparse.ArgumentParser) -> None:
    """Add --detach."""
    parser.add_argument(
        _DETACH,
        action="store_true",
        help="run independently of this terminal; see `hybridnet attach`, `status` and `stop`",
    )


def add_detached_run_argument(parser: argparse.ArgumentParser) -> None:
    """Add RUN."""
    parser.add_argument(
        "run_name",
        nargs="?",
        metavar="RUN",
        help="a detached run, such as d1 (default: the only one that runs)",
    )


def run_detached(command_line: Sequence[str]) -> int:
    """Run the same command line without --detach under a keeper, and say how to get to it."""
    from hybridnet.system.detached import detach

    words = list(command_line)
    words.remove(_DETACH)  # the first; one after -- is the script's
    run = detach([*python_module("hybridnet.cli"), *words])
    print(
        f"detached as {run.name}: `hybridnet attach {run.name}`, `hybridnet status`, `hybridnet stop {run.name}`"
    )
    return 0
