# SPDX-License-Identifier: MIT
"""Typing into a program's terminal, which may not read: whoever types never waits for it."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import termios

__all__ = ["prepare", "press_interrupt", "type_into"]

_TIOCSIG = 0x40045436  # of <asm-generic/ioctls.h>; termios has it from Python 3.14 on
_KEYS = ((termios.VINTR, signal.SIGINT), (termios.VQUIT, signal.SIGQUIT))


def prepare(master: int) -> None:
    """Make a pseudo-terminal's master ready for `type_into`: no call waits at it."""
    os.set_blocking(master, False)


def type_into(master: int, data: bytes) -> int:
    """Type at the master of a pseudo-terminal, which `prepare` has seen.

    A terminal's driver keeps a few kilobytes that the program has not read; what does not fit is dropped, as it is at a
    real one. A ^C and a quit character get through even then, if they mean a signal there.

    Returns:
        How many bytes of `data` were taken.
    """
    taken = 0
    while taken < len(data):
        try:
            taken += os.write(master, data[taken:])
        except BlockingIOError:
            break
        except OSError:  # EIO: nobody has the terminal open any more
            return taken
    if dropped := data[taken:]:
        _signal(master, dropped)
    return taken


def press_interrupt(master: int) -> None:
    """Type ^C at a master that need not be prepared; it passes what was typed before, as it does at a real terminal."""
    room = select.poll()
    room.register(master, select.POLLOUT)
    if not _signal(master, b"\x03") and room.poll(0):
        os.write(master, b"\x03")


def _signal(master: int, keys: bytes) -> bool:
    """Send the signals that keys mean at this terminal. Returns whether there is one."""
    settings = termios.tcgetattr(master)
    numbers = [number for key, number in _KEYS if settings[3] & termios.ISIG and settings[6][key] in keys]
    for number in numbers:
        fcntl.ioctl(master, _TIOCSIG, int(number))
    return bool(numbers)
