# SPDX-License-Identifier: MIT
"""The command's own output when nobody reads it any more, as after ``| head -3``.

A BrokenPipeError does not say which pipe broke. It may be one to a program that died, which is a failure. So the
command's own descriptors are asked: the end of a pipe that is written reports an error once no reader is left.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import TextIO

__all__ = ["OUTPUT_CLOSED", "mute", "unread_outputs"]

OUTPUT_CLOSED = 128 + signal.SIGPIPE
"""The exit code: what a shell says of a program that SIGPIPE has ended, as it ends most."""


def unread_outputs() -> list[TextIO]:
    """Of standard output and standard error, those whose readers are gone."""
    return [stream for stream in (sys.stdout, sys.stderr) if _is_unread(stream)]


def mute(stream: TextIO) -> None:
    """Send what is still written there nowhere; Python would complain when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _is_unread(stream: TextIO | None) -> bool:
    try:
        descriptor = -1 if stream is None else stream.fileno()
    except (OSError, ValueError):  # it is no file, or closed
        return False
    if descriptor < 0:
        return False
    poll = select.poll()
    poll.register(descriptor, 0)  # errors and hang-ups are told of in any case
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
