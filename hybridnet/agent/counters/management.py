# SPDX-License-Identifier: MIT
"""A connection to the management socket of a bridge of Open vSwitch, over which it is asked in OpenFlow 1.3.

A request is an OFPT_MULTIPART_REQUEST, an answer one or several OFPT_MULTIPART_REPLY (OpenFlow 1.3.5, section 7.3.5).
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path

__all__ = ["Management"]

PATIENCE_SECONDS = 5.0
_VERSION = 4
_HELLO, _ERROR, _ECHO, _ECHO_REPLY = 0, 1, 2, 3
_REQUEST, _REPLY = 18, 19
_MORE = 1
_HEADER = struct.Struct("!BBHI")
_PART = struct.Struct("!HH4x")


class Management:
    """Connects at once. Each method raises OSError: the bridge is gone, refuses, or speaks no OpenFlow 1.3.

    Args:
        directory: where the sockets are.
        bridge: its name.
    """

    def __init__(self, directory: Path, bridge: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._incoming: BufferedReader = self._socket.makefile("rb")
        try:
            self._socket.settimeout(PATIENCE_SECONDS)
            self._socket.connect(str(directory / f"{bridge}.mgmt"))
            self._socket.sendall(_HEADER.pack(_VERSION, _HELLO, _HEADER.size, 0))
        except OSError:
            self.close()
            raise

    def ask(self, kind: int, bodies: Iterable[bytes]) -> None:
        """Send a request with each body.

        Args:
            kind: the type of multipart message, such as 4 (OFPMP_PORT_STATS).
        """
        self._socket.sendall(
            b"".join(
                _HEADER.pack(_VERSION, _REQUEST, _HEADER.size + _PART.size + len(body), 1)
                + _PART.pack(kind, 0)
                + body
                for body in bodies
            )
        )

    def reply(self) -> tuple[int, bool, bytes]:
        """The next part of an answer: its kind, whether it is the last of its answer, its body."""
        while True:
            version, message, length, number = _HEADER.unpack(self._exactly(_HEADER.size))
            body = self._exactly(max(length - _HEADER.size, 0))
            if message == _ERROR or length < _HEADER.size or (version > _VERSION and message != _HELLO):
                raise OSError("it refuses")
            if message == _ECHO:
                self._socket.sendall(_HEADER.pack(_VERSION, _ECHO_REPLY, length, number) + body)
            if message == _REPLY and len(body) >= _PART.size:
                kind, flags = _PART.unpack_from(body)
                return kind, not flags & _MORE, body[_PART.size :]

    def close(self) -> None:
        """Close the connection."""
        for each in (self._incoming, self._socket):
            with contextlib.suppress(OSError):
                each.close()

    def _exactly(self, size: int) -> bytes:
        data = self._incoming.read(size)
        if len(data) < size:
            raise OSError("it has closed the connection")
        return data
