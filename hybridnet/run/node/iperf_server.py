# SPDX-License-Identifier: MIT
"""An iperf3 server: started until it listens, and for how long data came to it.

It divides what it received by the time from its being ready until the client has told it, over TCP, that
the flow is over. Over a link with a long delay, or that loses packets, this is seconds longer than the flow. So the
server prints its figures often, and the rate is that of the time in which something came.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Sequence

from hybridnet.errors import ExperimentError
from hybridnet.run.node.node import Node
from hybridnet.run.node.popen import Popen

__all__ = ["LASTED", "interval_words", "read_until", "serve", "without_idle_ends"]

SERVER_SECONDS = 5.0  # the longest that the server prints its last lines after the client has ended

LASTED = re.compile(r"-([\d.]+) +sec .*receiver")
"""In the line of iperf3 that has the receiver's figures: for how many seconds it received."""

_CAME = re.compile(r"([\d.]+)-([\d.]+) +sec +([\d.]+) [KMGT]?Bytes")


def serve(host: Node, port: int, options: Sequence[str] = ()) -> Popen:
    """Start a server for one flow, and wait until it listens.

    Raises:
        ExperimentError: it does not; the message quotes it.
    """
    command = ["iperf3", "-s", "-1", "-p", str(port), *options, "--forceflush"]
    server = host.popen(command, stderr=subprocess.STDOUT)
    assert server.stdout is not None
    read: Callable[[], str] = server.stdout.readline
    said = ""
    try:
        while line := read():
            said += line
            if "Server listening" in line:
                return server
        raise ExperimentError(
            f"iperf: the server on {host} did not start: {said.strip() or 'it printed nothing'}"
        )
    except BaseException:
        server.close()
        raise


def interval_words(seconds: float) -> list[str]:
    """The options of a server for a flow of so many seconds: at most about a hundred lines."""
    return ["-i", f"{min(max(seconds / 100, 0.1), 60.0):g}"]  # what iperf3 takes


def read_until(program: Popen, wanted: re.Pattern[str], seconds: float) -> str:
    """What it prints until something matches, or the time is up, or it ends."""
    assert program.stdout is not None
    said, deadline = "", time.monotonic() + seconds
    while not wanted.search(said) and (left := deadline - time.monotonic()) > 0:
        piece = program.stdout.read_available(left)
        if piece is None:
            break
        said += piece.decode(errors="replace")
    return said


def without_idle_ends(lasted_s: float, seconds: float, server: Popen) -> float:
    """By what factor the rate over the time of the flow itself is above that over `lasted_s`.

    Args:
        lasted_s: what the server divided by.
        seconds: how long the client sent.
        server: has ended, or is about to; what it printed is read.
    """
    said = read_until(server, LASTED, SERVER_SECONDS)
    rows = [row for row in said.splitlines() if "receiver" not in row and "sender" not in row]
    came = [found for found in map(_CAME.search, rows) if found and float(found[3]) > 0]
    if not came or lasted_s <= 0:
        return 1.0
    came_for_s = float(came[-1][2]) - float(came[0][1])
    return lasted_s / min(lasted_s, max(seconds, came_for_s))
