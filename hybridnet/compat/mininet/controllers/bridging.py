# SPDX-License-Identifier: MIT
"""A controller that has every switch forward as a bridge does: what scripts expect of the reference controller, in a
process that listens as soon as Python has started.

    switch ── HELLO ──▶ the highest version that both speak ──▶ empty it, one flow: NORMAL ──▶ answer its echoes

It is the program `controller` of Mininet's scripts, which start it by hand: ``c0.cmd("controller -v ptcp:6653 &")``.
Stanford's reference controller had this name; its options are taken and have no effect.

The switches learn by themselves, so that no packet comes here, and go on when this ends. Whoever empties a switch
(``ovs-ofctl del-flows``) finds the flow there again: the switch tells when it is deleted.

OpenFlow 1.0 and 1.2 to 1.5; 1.1 has a match of its own, and nothing that speaks it alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Sequence

from hybridnet.errors import UsageError
from hybridnet.system.journal import network_namespace

__all__ = ["Bridging", "main", "place_of"]

USUAL_PORT = 6633
"""Of the reference controller, where ``ptcp:`` names none."""
_LISTENING = re.compile(r"ptcp:(\d*)(?::(.*))?")

VERSIONS = (0x01, 0x03, 0x04, 0x05, 0x06)  # on the wire: 1.0, 1.2, 1.3, 1.4, 1.5
_OPENFLOW_10, _OPENFLOW_15 = 0x01, 0x06

_HELLO, _ERROR, _ECHO_REQUEST, _ECHO_REPLY, _FLOW_REMOVED, _FLOW_MOD = 0, 1, 2, 3, 11, 14
_HEADER = struct.Struct("!BBHI")  # version, type, length, transaction
_VERSION_BITMAP = 1  # the element of HELLO that says which versions there are
_ADD, _DELETE = 0, 3
_NORMAL_10, _NONE_10, _EVERY_FIELD_10 = 0xFFFA, 0xFFFF, 0x3FFFFF
_NORMAL, _ANY, _ALL_TABLES, _NO_BUFFER = 0xFFFFFFFA, 0xFFFFFFFF, 0xFF, 0xFFFFFFFF
_TELL_WHEN_REMOVED, _WAS_DELETED = 1, 2
_APPLY_ACTIONS = 4


def message(version: int, kind: int, body: bytes = b"", transaction: int = 0) -> bytes:
    """A message of OpenFlow."""
    return _HEADER.pack(version, kind, _HEADER.size + len(body), transaction) + body


def hello() -> bytes:
    """What each side says first: the versions that it speaks."""
    bitmap = sum(1 << version for version in VERSIONS)
    return message(max(VERSIONS), _HELLO, struct.pack("!HHI", _VERSION_BITMAP, 8, bitmap))


def common_version(version: int, body: bytes) -> int | None:
    """The version to speak with who said this HELLO; None if there is none."""
    at = 0
    while at + 8 <= len(body):
        kind, length = struct.unpack_from("!HH", body, at)
        if kind == _VERSION_BITMAP:
            (theirs,) = struct.unpack_from("!I", body, at + 4)
            return max((own for own in VERSIONS if theirs >> own & 1), default=None)
        at += max(8, (length + 7) // 8 * 8)
    least = min(version, max(VERSIONS))  # one that says no more speaks every version up to this
    return least if least in VERSIONS else None


def flow_mod(version: int, command: int) -> bytes:
    """Add the flow by which everything is forwarded as a bridge does, or delete every flow."""
    adds = command == _ADD
    flags = _TELL_WHEN_REMOVED if adds else 0
    if version == _OPENFLOW_10:
        match = struct.pack("!I36x", _EVERY_FIELD_10)
        body = struct.pack("!QHHHHIHH", 0, command, 0, 0, 0, _NO_BUFFER, _NONE_10, flags)
        actions = struct.pack("!HHHH", 0, 8, _NORMAL_10, 0) if adds else b""
        return message(version, _FLOW_MOD, match + body + actions)
    table = 0 if adds else _ALL_TABLES
    body = struct.pack("!QQBBHHHIIIHH", 0, 0, table, command, 0, 0, 0, _NO_BUFFER, _ANY, _ANY, flags, 0)
    match = struct.pack("!HH4x", 1, 4)  # no field
    instructions = struct.pack("!HH4xHHIH6x", _APPLY_ACTIONS, 24, 0, 16, _NORMAL, 0) if adds else b""
    return message(version, _FLOW_MOD, body + match + instructions)


def was_deleted(version: int, body: bytes) -> bool:
    """Whether a switch says that somebody has deleted its flow, as against it being replaced by another one."""
    at = 50 if version == _OPENFLOW_10 else 1 if version == _OPENFLOW_15 else 10
    return len(body) > at and body[at] == _WAS_DELETED


class _Switch:
    """A connection of a switch."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._version: int | None = None
        self._unread = bytearray()
        self._send(hello())

    def read(self) -> bool:
        """Take what has come. Returns whether the connection lives on."""
        try:
            came = self.connection.recv(1 << 16)
            self._unread += came
            while len(self._unread) >= _HEADER.size:
                version, kind, length, transaction = _HEADER.unpack_from(self._unread)
                if length < _HEADER.size:
                    return False
                if len(self._unread) < length:
                    break
                body = bytes(self._unread[_HEADER.size : length])
                del self._unread[:length]
                if not self._heed(version, kind, body, transaction):
                    return False
        except OSError:
            return False
        return bool(came)

    def _heed(self, version: int, kind: int, body: bytes, transaction: int) -> bool:
        if kind == _HELLO:
            self._version = common_version(version, body)
            if self._version is None:
                why = struct.pack("!HH", 0, 0)  # HELLO failed: incompatible
                self._send(message(min(version, max(VERSIONS)), _ERROR, why, transaction))
                return False
            self._send(flow_mod(self._version, _DELETE) + flow_mod(self._version, _ADD))
        elif kind == _ECHO_REQUEST:
            self._send(message(version, _ECHO_REPLY, body, transaction))
        elif kind == _FLOW_REMOVED and self._version is not None and was_deleted(self._version, body):
            self._send(flow_mod(self._version, _ADD))
        return True

    def _send(self, data: bytes) -> None:
        self.connection.sendall(data)


class Bridging:
    """The controller, which listens as soon as it is made.

    Args:
        address, port: where.

    Raises:
        OSError: it cannot listen there.
    """

    def __init__(self, address: str, port: int) -> None:
        self._listener = socket.create_server((address, port), backlog=1024)
        self.port: int = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve switches until an exception ends it, such as a signal's."""
        while True:
            self.serve_once(None)

    def serve_once(self, timeout: float | None) -> None:
        """Serve those who have said something within `timeout` seconds."""
        for key, _ in self._selector.select(timeout):
            if key.fileobj is self._listener:
                with contextlib.suppress(OSError):  # one that has left already
                    connection, _ = self._listener.accept()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    connection.settimeout(5.0)  # for one that does not read
                    self._selector.register(connection, selectors.EVENT_READ, _Switch(connection))
            elif not key.data.read():
                self._selector.unregister(key.data.connection)
                key.data.connection.close()

    def close(self) -> None:
        """Close every connection, and the port."""
        for key in list(self._selector.get_map().values()):
            self._selector.unregister(key.fileobj)
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()


def place_of(words: Sequence[str]) -> tuple[str, int]:
    """The address and TCP port that the program's arguments ask for.

    Args:
        words: such as ``["-v", "ptcp:6653"]``; ``ptcp:`` alone means port 6633. Without an address, it is the
            computer's loopback; in a host's namespace, where nobody else comes, every address.

    Raises:
        UsageError: none of them says where to listen.
    """
    for word in words:
        if said := _LISTENING.fullmatch(word):
            return said[2] or _usual_address(), int(said[1]) if said[1] else USUAL_PORT
    raise UsageError(
        f"controller {' '.join(words)}: it does not say where to listen; write controller ptcp:6653"
    )


def _usual_address() -> str:
    of_the_script = os.environ.get("HYBRIDNET_NETWORK", str(network_namespace()))
    return "127.0.0.1" if of_the_script == str(network_namespace()) else "0.0.0.0"


def main(words: Sequence[str]) -> int:
    """Serve until a signal ends it. Returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        address, port = place_of(words)
        controller = Bridging(address, port)
    except UsageError as problem:
        print(problem, file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"controller {' '.join(words)}: cannot listen there: {problem}", file=sys.stderr)
        return 1
    controller.serve()
    return 0


def _end(_number: int, _frame: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
