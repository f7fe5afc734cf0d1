# SPDX-License-Identifier: MIT
"""``hybridnet attach``: see and use the terminal of a detached run."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridnet.cli.detach_options import add_detached_run_argument

if TYPE_CHECKING:
    import socket

SUMMARY = "See and use the terminal of a detached run; ^] leaves it running."
EXAMPLES = """  hybridnet attach
  hybridnet attach d1
"""
LEAVE = b"\x1d"  # ^]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RUN."""
    add_detached_run_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Attach until the run ends or the user leaves. Returns the run's exit status, or 0.

    Raises:
        UsageError: the run has no terminal for us, or has lost its own.
    """
    from hybridnet.errors import UsageError
    from hybridnet.system.detached import find_detached
    from hybridnet.system.keeper import MOST_CLIENTS

    found = find_detached(arguments.run_name)
    left = False
    with found.connect() as there, _raw_terminal(), contextlib.suppress(ConnectionError):
        left = _relay(there)
    if left:
        print(f"\r\n*** left run {found.name} running", file=sys.stderr)
        return 0
    status = find_detached(found.name).status
    # Which of the two it is cannot be told at once: a process that was killed ends in pieces.
    if status is None:
        raise UsageError(
            f"run {found.name}: its keeper closed the connection before the run ended. See `hybridnet status`: if the "
            f"run goes on, {MOST_CLIENTS} others are attached to it, and ^] at one of them makes room. If it does not, "
            f"the keeper was killed, and the run's output is in {found.directory / 'output'}"
        )
    return status


def _relay(there: socket.socket) -> bool:
    """Show what the run says and type what the user types. Returns whether the user left."""
    from hybridnet.system.keeper import FRAME, WINDOW

    keyboard = sys.stdin.fileno() if sys.stdin.isatty() else None
    if keyboard is not None:
        columns, lines = shutil.get_terminal_size()
        there.sendall(FRAME.pack(b"w", WINDOW.size) + WINDOW.pack(lines, columns))
    watched = [there.fileno(), *([] if keyboard is None else [keyboard])]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if there.fileno() in ready:
            if not (said := there.recv(1 << 16)):
                return False
            os.write(sys.stdout.fileno(), said)
        if keyboard in ready:
            typed, leaving, _ = (came := os.read(sys.stdin.fileno(), 1024)).partition(LEAVE)
            if typed:
                there.sendall(FRAME.pack(b"i", len(typed)) + typed)
            if leaving or not came:
                return True


@contextlib.contextmanager
def _raw_terminal() -> Iterator[None]:
    """Every key goes to the run, ^C among them."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
