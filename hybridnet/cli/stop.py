# SPDX-License-Identifier: MIT
"""``hybridnet stop``: end a detached run, as ^C does."""

from __future__ import annotations

import argparse
import time

from hybridnet.cli.detach_options import add_detached_run_argument
from hybridnet.errors import MachineError

SUMMARY = "End a detached run as ^C does: its network is removed, its results stay. Remove the entry of an ended run."
EXAMPLES = """  hybridnet stop
  hybridnet stop d1
"""
PATIENCE_S = 120.0
_POLL_S = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RUN."""
    add_detached_run_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """End it, wait for its end, and forget it.

    Raises:
        MachineError: it does not end within PATIENCE_S.
    """
    from hybridnet.cli.progress import tell
    from hybridnet.system.detached import find_detached

    found = find_detached(arguments.run_name)
    if found.running:
        tell(f"ending run {found.name}")
        found.ask_to_end()
        deadline = time.monotonic() + PATIENCE_S
        while find_detached(found.name).running:
            if time.monotonic() > deadline:
                raise MachineError(
                    f"run {found.name} has not ended within {PATIENCE_S:g} s; look at it with "
                    f"`hybridnet attach {found.name}`"
                )
            time.sleep(_POLL_S)
        found = find_detached(found.name)
    print(f"run {found.name} has ended" + ("" if found.status is None else f" with status {found.status}"))
    found.forget()
    return 0
