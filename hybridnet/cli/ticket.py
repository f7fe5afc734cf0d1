# SPDX-License-Identifier: MIT
"""``hybridnet ticket``: print what a guest's computer needs to join a run of this computer."""

from __future__ import annotations

import argparse

from hybridnet.errors import EnvironmentLackError, UsageError

SUMMARY = "Print the ticket with which another computer joins a network that runs here (hybridnet join)."
EXAMPLES = """  ssh SERVER sudo hybridnet ticket | sudo hybridnet join SERVER   on the guest's computer
  sudo hybridnet ticket laptop > laptop.ticket                    a file, to be taken there
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """GUEST and --run."""
    parser.add_argument(
        "guest",
        nargs="?",
        metavar="GUEST",
        help="the guest's name in the topology (default: the only one there is)",
    )
    parser.add_argument(
        "--run", dest="run_name", metavar="RUN", help="the run that has the guest (default: the only one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print it. Whoever has it can join as that guest until the run ends.

    Raises:
        UsageError: there is no such guest, or several.
        EnvironmentLackError: there is none that this user may see, and root has runs.
    """
    from hybridnet.run.net.guests import TICKETS
    from hybridnet.system.journal import root_runs_something, state_directory

    found = {
        (file.parents[1].name, file.stem): file
        for file in sorted(state_directory().glob(f"*/{TICKETS}/*.json"))
    }
    there = ", ".join(f"{guest} of run {run_name}" for run_name, guest in found) or "none"
    chosen = [
        file
        for (run_name, guest), file in found.items()
        if arguments.guest in (None, guest) and arguments.run_name in (None, run_name)
    ]
    if not chosen and root_runs_something():
        raise EnvironmentLackError("ticket: the networks that run here belong to root; run with sudo")
    if len(chosen) != 1:
        wanted = "guest" if arguments.guest is None else f"guest {arguments.guest}"
        told = (
            f"there is no {wanted}" if not chosen else f"there are several; name the {wanted} and the --run"
        )
        raise UsageError(f"ticket: {told}; the guests here are: {there}")
    print(chosen[0].read_text(), end="")
    return 0
