# SPDX-License-Identifier: MIT
"""The option --detach: the command goes on in a process of its own, and this one returns."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

__all__ = ["add_detach_argument", "run_detached"]

_DETACH = "--detach"


def add_detach_argument(parser: argparse.ArgumentParser) -> None:
    """Add --detach."""
    parser.add_argument(
        _DETACH,
        action="store_true",
        help="run independently of this terminal; see `hybridnet attach`, `status` and `stop`",
    )


def run_detached(command_line: Sequence[str]) -> int:
    """Run the same command line without --detach under a keeper, and say how to get to it."""
    from hybridnet.system.detached import detach

    words = list(command_line)
    words.remove(_DETACH)  # the first; one after -- is the script's
    run = detach([sys.executable, "-m", "hybridnet.cli", *words])
    print(
        f"detached as {run.name}: `hybridnet attach {run.name}`, `hybridnet status`, `hybridnet stop {run.name}`"
    )
    return 0
