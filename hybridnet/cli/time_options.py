# SPDX-License-Identifier: MIT
"""--time: whether a command runs in real time, or in a kernel of its own whose time is simulated."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from hybridnet.cli.progress import tell
from hybridnet.errors import UsageError
from hybridnet.plan.choices.options import MOST_SLOW
from hybridnet.system.python_command import python_module
from hybridnet.system.simulated_time import REAL, SIMULATED, TIMES, time_is_simulated

__all__ = [
    "SIMULATED",
    "add_slow_argument",
    "add_time_argument",
    "begins_in_real_time",
    "run_in_simulated_time",
    "slow_asked",
]

_ELSEWHERE = {
    "ssh": "--ssh",
    "dask": "--dask",
    "cloudlab": "--cloudlab",
    "manifest": "--manifest",
    "cluster": "--cluster",
}
_SLOW = {"slow": "--slow"}
_REACHED_FROM_HERE = {"live": "--live", "live_address": "--live-address"}


def add_time_argument(parser: argparse._ActionsContainer, default: str = REAL) -> None:
    """Add --time."""
    parser.add_argument(
        "--time",
        choices=TIMES,
        default=default,
        help="simulated: run in a kernel of its own whose clocks stand still while programs compute, so that "
        "results do not depend on this computer; needs no root (default: %(default)s)",
    )


def add_slow_argument(parser: argparse._ActionsContainer) -> None:
    """Add --slow, which `slow_asked` reads."""
    parser.add_argument(
        "--slow",
        metavar="N",
        help="run in real time, N times slower than what is described: links have an Nth of their rates and N times "
        "their delays, and what hybridnet reports is as described; see docs/time.md",
    )


def slow_asked(arguments: argparse.Namespace) -> int | None:
    """What --slow asks, where the command has it; None: nothing. Raises UsageError."""
    text = getattr(arguments, "slow", None)
    if text is None:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SLOW:
        raise UsageError(f"--slow {text}: write a whole number from 1 to {MOST_SLOW}")
    return int(text)


def begins_in_real_time(arguments: argparse.Namespace) -> bool:
    """Whether the command wants simulated time and is not in it yet.

    Raises:
        UsageError: it also wants what there is in real time only.
    """
    if arguments.time != SIMULATED or time_is_simulated():
        return False
    for names, why in (
        (_ELSEWHERE, "other computers keep real time"),
        (_SLOW, "simulated time is as slow as its programs need"),
        (_REACHED_FROM_HERE, "its network cannot be reached from this computer"),
    ):
        for name, option in names.items():
            if getattr(arguments, name, None):
                raise UsageError(f"{option} is for real time: {why}; leave it out, or --time {SIMULATED}")
    return True


def run_in_simulated_time(
    arguments: argparse.Namespace, out: Path | None, machines: Sequence[str] = ()
) -> int:
    """Run the command line again, in a kernel in simulated time, and each of these machines in one of its own. See
    `hybridnet.kernel.whole_run.run_again`.
    """
    from hybridnet.kernel.whole_run import run_again  # only who asks for it waits for it

    words = [*python_module("hybridnet.cli"), *arguments.command_line]
    return run_again(words, out, getattr(arguments, "seed", 1), tell, machines)
