# SPDX-License-Identifier: MIT
"""Unix sockets that have no name in the file system, so that none is left there, whatever is killed.

One that is connected to needs a name for a moment (unix(7)). A process of its own gives it, opens it, and takes it away
again. Whoever is killed meanwhile, that process goes on for a millisecond. Afterwards a socket is reached by the
descriptor with which its name was opened, as /proc/self/fd/N.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from hybridnet.errors import EnvironmentLackError

__all__ = ["Nameless", "nameless_sockets"]

_NAME = "socket"


@dataclass(frozen=True)
class Nameless:
    """One of them.

    Args:
        socket: listens.
        way: the descriptor by which it is reached, for who has inherited it.
    """

    socket: socket.socket
    way: int

    def close(self) -> None:
        """Close both, here."""
        self.socket.close()
        os.close(self.way)


def nameless_sockets(count: int) -> list[Nameless]:
    """Make this many.

    Raises:
        EnvironmentLackError: no folder for temporary files takes a socket.
    """
    listening = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(count)]
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()  # ^C is for who waits
            ours.close()
            _name(listening, theirs)
        finally:
            os._exit(0)
    theirs.close()
    try:
        with ours:
            return [Nameless(each, _receive(ours)) for each in listening]
    finally:
        os.waitpid(pid, 0)


def _name(listening: Sequence[socket.socket], to: socket.socket) -> None:
    """In a process of its own: let them listen, and send how they are reached."""
    try:
        with tempfile.TemporaryDirectory(prefix="hybridnet-") as folder:
            os.chdir(folder)  # a socket's name has 107 characters at most
            for each in listening:
                each.bind(_NAME)
                each.listen(1)
                way = os.open(_NAME, os.O_PATH)
                os.unlink(_NAME)
                socket.send_fds(to, [b"."], [way], socket.MSG_NOSIGNAL)
                os.close(way)
    except OSError as error:
        to.send(str(error).encode(), socket.MSG_NOSIGNAL)


def _receive(where: socket.socket) -> int:
    said, ways, _, _ = socket.recv_fds(where, 4096, 1, socket.MSG_CMSG_CLOEXEC)
    if not ways:
        raise EnvironmentLackError(
            f"sockets for kernels: {said.decode(errors='replace') or 'the process that makes them has ended'}; TMPDIR "
            "names a folder that takes them"
        )
    return ways[0]
