# SPDX-License-Identifier: MIT
"""Standard streams that are closed, as `command <&- >&-` has them."""

from __future__ import annotations

import contextlib
import os

__all__ = ["occupy_closed_streams"]


def occupy_closed_streams() -> None:
    """Open the null device in place of each standard stream that is closed.

    Else the next files that this process opens are its standard streams. One that is passed on to another program, by
    its number, is overwritten there by that program's own standard stream: a guardian that watches descriptor 0 for
    the end of its head finds the null device there, and removes the run.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)  # the lowest free number
            if opened != number:  # of a process with threads: another file has come there meanwhile
                with contextlib.suppress(OSError):
                    os.close(opened)
            else:
                os.set_inheritable(number, True)
