# SPDX-License-Identifier: MIT
"""The controller that is measured: apps that hybridnet starts, or one that runs somewhere already."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from hybridnet.errors import ControllerError, UsageError
from hybridnet.run.controllers import OsKen, RemoteController, Ryu

__all__ = ["controller_of"]

_TCP, _OSKEN = "tcp:", "osken:"


def controller_of(text: str, arguments: Sequence[str] = ()) -> RemoteController:
    """What a text names.

    Args:
        text: ``tcp:HOST:PORT``; or Ryu apps joined by commas, files or modules; after ``osken:`` such that run under
            os-ken.
        arguments: of the apps' framework.

    Raises:
        UsageError: there is no such app, or the address is none.
        ControllerError: nobody knows the name of the host.
    """
    if text.startswith(_TCP):
        if arguments:
            raise UsageError(f"controller {text}: somebody else runs it; give it its arguments there")
        host, _, port = text.removeprefix(_TCP).rpartition(":")
        if not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
            raise UsageError(f"controller {text}: write tcp:HOST:PORT, such as tcp:10.0.0.5:6653")
        return RemoteController("c0", _address_of(host.strip("[]"), text), int(port))
    kind = OsKen if text.startswith(_OSKEN) else Ryu
    return kind("c0", *text.removeprefix(_OSKEN).split(","), arguments=arguments)


def _address_of(host: str, text: str) -> str:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # the second: no name of a computer has this form
        raise ControllerError(
            f"controller {text}: the address of {host} is not known ({error}); write the address itself"
        ) from None
    return str(found[0][4][0])
