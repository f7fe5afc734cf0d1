# SPDX-License-Identifier: MIT
"""The controller of the two switches: it greets them, tells them tables, and reads counters; one thread, no more."""

from __future__ import annotations

import socket
import struct
import time

from hybridnet.errors import ControllerError
from hybridnet.experiments.openflow_differential import wire

__all__ = ["Connection", "Speaker"]

PATIENCE_S = 30.0


class Connection:
    """One switch. Raises ControllerError where it closes, or does not answer in time."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        stream.settimeout(PATIENCE_S)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._xid = 1
        self.errors: list[tuple[int, int]] = []
        """Types and codes of the errors that came since they were last taken."""
        stream.sendall(wire.message(wire.HELLO))
        stream.sendall(wire.message(wire.FEATURES_REQUEST, xid=1))
        self.dpid: int = struct.unpack_from("!Q", self._await(wire.FEATURES_REPLY, 1))[0]

    def tell(self, messages: list[bytes]) -> None:
        """Send messages, and wait until the switch has done them. Errors are in `errors`."""
        self._xid += 1
        self._stream.sendall(b"".join(messages) + wire.barrier(self._xid))
        self._await(wire.BARRIER_REPLY, self._xid)

    def counters(self) -> dict[int, tuple[int, int]]:
        """By cookie the packets and bytes of each flow."""
        self._xid += 1
        self._stream.sendall(wire.flow_statistics(self._xid))
        found: dict[int, tuple[int, int]] = {}
        while True:
            body = self._await(wire.MULTIPART_REPLY, self._xid)
            found |= wire.counters_of(body)
            if not struct.unpack_from("!H", body, 2)[0] & 1:
                return found

    def close(self) -> None:
        self._stream.close()

    def _await(self, kind: int, xid: int) -> bytes:
        while True:
            version, got, length, got_xid = struct.unpack("!BBHI", self._read(8))
            body = self._read(length - 8)
            if got == wire.ECHO_REQUEST:
                try:
                    self._stream.sendall(wire.message(wire.ECHO_REPLY, body, got_xid))
                except BrokenPipeError:
                    raise ControllerError("a switch closed its connection") from None
            elif got == wire.ERROR:
                error, code = struct.unpack_from("!HH", body)
                self.errors.append((error, code))
            elif got == kind and got_xid == xid and version == wire.VERSION:
                return body

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            try:
                piece = self._stream.recv(count - len(data))
            except TimeoutError:
                raise ControllerError(f"a switch did not answer within {PATIENCE_S:g} s") from None
            if not piece:
                raise ControllerError("a switch closed its connection")
            data += piece
        return data


class Speaker:
    """Where switches connect."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("0.0.0.0", 0))
        self._listener.settimeout(PATIENCE_S)
        self.port: int = self._listener.getsockname()[1]
        self._open: dict[int, Connection] = {}

    def await_switches(self, dpids: set[int]) -> dict[int, Connection]:
        """Take connections until these are there.

        Raises:
            ControllerError: they do not all come in time.
        """
        deadline = time.monotonic() + PATIENCE_S
        while not dpids <= self._open.keys():
            try:
                stream, _ = self._listener.accept()
            except TimeoutError:
                stream = None
            if stream is None or time.monotonic() > deadline:
                raise ControllerError(f"only switches {sorted(self._open)} of {sorted(dpids)} connect")
            try:
                made = Connection(stream)
            except (ControllerError, OSError):
                stream.close()  # the look whether somebody listens
                continue
            self._open[made.dpid] = made
        return {dpid: self._open[dpid] for dpid in dpids}

    def close(self) -> None:
        for each in self._open.values():
            each.close()
        self._listener.close()
