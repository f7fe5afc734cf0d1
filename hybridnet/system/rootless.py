# SPDX-License-Identifier: MIT
"""What holds within a run that `hybridnet run --rootless` started: see `hybridnet.machines.workers.user_namespace`.

It is root of a user namespace only, and has a network of its own. The process that started it is outside: it makes
listening sockets on the computer's network when it is asked to, and hands them over.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path

from hybridnet.errors import EnvironmentLackError

__all__ = [
    "VARIABLE",
    "in_user_namespace",
    "is_rootless",
    "lend_sockets",
    "listen_outside",
    "refuse_rootless",
    "unseen",
]

VARIABLE = "HYBRIDNET_ROOTLESS"
"""Set in such a run: the descriptor by which its first process asks for sockets."""

_ALL_USERS = ["0", "0", "4294967295"]  # user_namespaces(7): the map of the first namespace
_MOST_BYTES = 4096
_asking = threading.Lock()


def is_rootless() -> bool:
    """Whether this process belongs to a run with --rootless."""
    return VARIABLE in os.environ


def in_user_namespace() -> bool:
    """Whether this process's root is not the computer's: within --rootless, or in a container without privileges."""
    return Path("/proc/self/uid_map").read_text().split() != _ALL_USERS


def refuse_rootless(what: str) -> None:
    """Raise EnvironmentLackError within a run with --rootless: it cannot have this."""
    if is_rootless():
        raise EnvironmentLackError(
            f"{what}: a run with --rootless has a network of its own, from which nothing leads to the computer's; run "
            "it as root, without --rootless"
        )


def unseen() -> str:
    """What to add where something of the computer's network is not found; empty outside of --rootless."""
    return " (of the computer's network a run with --rootless sees nothing)" if is_rootless() else ""


def listen_outside(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens on the computer's own network, from within a run with --rootless.

    Raises:
        OSError: nobody can listen there.
    """
    with _asking, socket.socket(fileno=os.dup(int(os.environ[VARIABLE]))) as helper:
        helper.send(json.dumps([host, port, backlog]).encode())
        answer, descriptors, _, _ = socket.recv_fds(helper, _MOST_BYTES, 1)
    if not descriptors:
        raise OSError(answer.decode() or "the process outside has ended")
    return socket.socket(fileno=descriptors[0])


def lend_sockets(helper: socket.socket) -> None:
    """Answer what `listen_outside` asks at the other end, until that is closed."""
    while asked := helper.recv(_MOST_BYTES):
        host, port, backlog = json.loads(asked)
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with socket.create_server((host, port), family=family, backlog=backlog) as made:
                socket.send_fds(helper, [b"made"], [made.fileno()])
        except OSError as error:
            helper.send(str(error).encode())
