# SPDX-License-Identifier: MIT
"""A TCP server that plays a hostile OpenFlow controller, another hostility on each of the first connections.

Later connections find a controller that behaves.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence

HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, EXPERIMENTER, FEATURES_REQUEST, FEATURES_REPLY = 0, 1, 2, 3, 4, 5, 6
PACKET_OUT, FLOW_MOD, GROUP_MOD, MULTIPART_REQUEST, BARRIER_REQUEST, BARRIER_REPLY = 13, 14, 15, 18, 20, 21
ANY = 0xFFFFFFFF
PATIENCE_S = 60.0
BUSY_S = 3.0


def message(kind: int, body: bytes = b"", xid: int = 1, version: int = 4, length: int | None = None) -> bytes:
    """A message; `length` is what its header says, if not the truth."""
    return struct.pack("!BBHI", version, kind, 8 + len(body) if length is None else length, xid) + body


def output(port: int) -> bytes:
    return struct.pack("!HHIHxxxxxx", 0, 16, port, 0xFFFF)


def flow(match: bytes, instructions: bytes = b"", command: int = 0) -> bytes:
    """`match`: its fields as on the wire."""
    head = struct.pack("!QQBBHHHIIIHxx", 0, 0, 0, command, 0, 0, 9, ANY, ANY, ANY, 0)
    said = struct.pack("!HH", 1, 4 + len(match)) + match
    return message(FLOW_MOD, head + said + bytes(-len(said) % 8) + instructions)


def apply(actions: bytes) -> bytes:
    return struct.pack("!HHxxxx", 4, 8 + len(actions)) + actions


def to_address(number: int) -> bytes:
    """The match of one Ethernet destination."""
    return struct.pack("!HBB", 0x8000, 3 << 1, 6) + number.to_bytes(6, "big")


def packet_out(actions: bytes, buffer: int = ANY) -> bytes:
    return message(PACKET_OUT, struct.pack("!IIHxxxxxx", buffer, 1, len(actions)) + actions + bytes(60))


def all_flows() -> bytes:
    body = struct.pack("!BxxxIIxxxxQQ", 0xFF, ANY, ANY, 0, 0) + struct.pack("!HHxxxx", 1, 4)
    return message(MULTIPART_REQUEST, struct.pack("!HHxxxx", 1, 0) + body)


MALFORMED: dict[str, tuple[bytes, tuple[int, int]]] = {
    "a type that does not exist": (message(77), (1, 1)),
    "a version that was not agreed upon": (message(FLOW_MOD, bytes(48), version=9), (1, 0)),
    "a modification that ends too soon": (message(FLOW_MOD, bytes(10)), (1, 6)),
    "a match of no kind": (message(FLOW_MOD, flow(b"")[8:48] + struct.pack("!HHxxxx", 7, 4)), (4, 0)),
    "an instruction that does not exist": (flow(b"", struct.pack("!HHxxxx", 99, 8)), (3, 0)),
    "an instruction of no length": (flow(b"", struct.pack("!HHxxxx", 4, 0)), (3, 7)),
    "an action longer than its list": (flow(b"", apply(struct.pack("!HHI", 0, 4000, 1))), (2, 1)),
    "a group that does not exist": (flow(b"", apply(struct.pack("!HHI", 22, 8, 5))), (2, 9)),
    "a command that does not exist": (message(GROUP_MOD, struct.pack("!HBxI", 9, 0, 1)), (6, 11)),
    "a request for nothing": (message(MULTIPART_REQUEST, struct.pack("!HHxxxx", 99, 0)), (1, 2)),
    "a buffer that does not exist": (packet_out(output(1), buffer=5), (1, 8)),
    "nobody's extension": (message(EXPERIMENTER, struct.pack("!II", 0x12345678, 1)), (1, 3)),
    "more actions than a message can tell": (flow(b"", apply(output(1) * 4050)), (2, 7)),
    "a header shorter than a header": (message(ECHO_REQUEST, length=4), (1, 6)),  # and then it closes
}
"""What is sent, and the type and code of the error that OpenFlow 1.3 wants."""


class Stream:
    """A connection of a switch."""

    def __init__(self, made: socket.socket) -> None:
        self.socket = made
        made.settimeout(PATIENCE_S)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self) -> tuple[int, int, bytes]:
        """The next message: type, transaction, body. Raises EOFError where there is none any more."""
        _, kind, length, xid = struct.unpack("!BBHI", self._take(8))
        return kind, xid, self._take(length - 8)

    def _take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def await_(self, wanted: int) -> bytes:
        while True:
            kind, xid, body = self.read()
            if kind == ECHO_REQUEST:
                self.socket.sendall(message(ECHO_REPLY, body, xid))
            elif kind == wanted:
                return body


class Hostile:
    """The server, and what came of its hostilities.

    Attributes:
        port: where it listens.
        errors: by the name in `MALFORMED` what the switch answered.
        closed_after_s: how long a switch waited for a greeting.
        sent_unread: bytes that a switch took from a controller that does not read, until it took no more.
        dpids: the switches that a controller that behaves has seen.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("0.0.0.0", 0))
        self.port: int = self._listener.getsockname()[1]
        self.errors: dict[str, tuple[int, int]] = {}
        self.closed_after_s = 0.0
        self.sent_unread = 0
        self.dpids: set[int] = set()
        self.failures: list[BaseException] = []
        self._changed = threading.Condition()
        self._over = threading.Event()
        self._streams: list[Stream] = []
        self.hostilities: Sequence[Callable[[Stream], None]] = (
            self._malformed,
            self._oversized,
            self._endless,
            self._never_reads,
            self._half_open,
            self._drips,
        )
        self._busy = len(self.hostilities)
        threading.Thread(target=self._serve, daemon=True).start()

    def await_end(self) -> None:
        """Wait until each hostility has been played; then let go of what the switches still hold."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._busy == 0, timeout=PATIENCE_S)
        self._over.set()
        assert not self.failures, self.failures

    def await_switches(self, count: int) -> None:
        """Wait until so many have found a controller that behaves."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.dpids) >= count, timeout=PATIENCE_S), self.dpids

    def close(self) -> None:
        self._over.set()
        self._listener.close()
        for stream in self._streams:
            stream.socket.close()

    def _serve(self) -> None:
        plays = iter(self.hostilities)
        while True:
            try:
                made, _ = self._listener.accept()
            except OSError:
                return
            stream = Stream(made)
            try:
                stream.read()  # its hello
            except EOFError:
                continue  # the look whether somebody listens
            self._streams.append(stream)
            play = next(plays, None)
            target = self._behave if play is None else self._play
            threading.Thread(
                target=target, args=(stream,) if play is None else (play, stream), daemon=True
            ).start()

    def _play(self, play: Callable[[Stream], None], stream: Stream) -> None:
        try:
            play(stream)
        except (OSError, EOFError, AssertionError, struct.error) as failure:
            self.failures.append(failure)
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()
        self._over.wait()
        stream.socket.close()

    def _behave(self, stream: Stream) -> None:
        try:
            stream.socket.sendall(message(HELLO) + message(FEATURES_REQUEST))
            [dpid] = struct.unpack_from("!Q", stream.await_(FEATURES_REPLY))
            with self._changed:
                self.dpids.add(dpid)
                self._changed.notify_all()
            stream.await_(-1)  # and answers its probes
        except (OSError, EOFError):
            pass

    def _malformed(self, stream: Stream) -> None:
        stream.socket.sendall(message(HELLO))
        for name, (said, _) in MALFORMED.items():
            stream.socket.sendall(said)
            kind, code = struct.unpack_from("!HH", stream.await_(ERROR))
            self.errors[name] = (kind, code)
        try:
            stream.read()
        except EOFError:
            return
        raise AssertionError("the connection stays after a header that cannot be")

    def _oversized(self, stream: Stream) -> None:
        """Messages as long as can be, which a switch does or echoes."""
        stream.socket.sendall(message(HELLO))
        longest = bytes(65_535 - 8)
        until = time.monotonic() + BUSY_S
        while time.monotonic() < until:
            stream.socket.sendall(packet_out(output(1) * 4050) * 8 + message(ECHO_REQUEST, longest))
            assert stream.await_(ECHO_REPLY) == longest

    def _endless(self, stream: Stream) -> None:
        """Thousands of modifications, each with errors or answers between; it reads what comes."""
        stream.socket.sendall(message(HELLO))
        number, until = 0, time.monotonic() + BUSY_S
        while time.monotonic() < until:
            said = b""
            for _ in range(1000):
                number += 1
                said += flow(to_address(number % 50_000), apply(output(1)))
            said += message(77) + flow(b"", command=3) + message(BARRIER_REQUEST)
            stream.socket.sendall(said)
            stream.await_(ERROR)
            stream.await_(BARRIER_REPLY)

    def _never_reads(self, stream: Stream) -> None:
        """Asks for all of many flows, again and again, until the switch takes no more."""
        stream.socket.sendall(message(HELLO))
        stream.socket.sendall(
            b"".join(flow(to_address(number), apply(output(1))) for number in range(20_000))
        )
        stream.socket.settimeout(BUSY_S)
        asked = all_flows() * 100
        try:
            while self.sent_unread < 1 << 28:
                self.sent_unread += stream.socket.send(asked)
        except TimeoutError:
            return
        raise AssertionError(f"a switch took {self.sent_unread} bytes of requests whose answers nobody reads")

    def _half_open(self, stream: Stream) -> None:
        began = time.monotonic()
        try:
            stream.read()
        except (EOFError, ConnectionError):
            self.closed_after_s = time.monotonic() - began
            return
        raise AssertionError("a switch says something before its controller has greeted")

    def _drips(self, stream: Stream) -> None:
        """A message of 65,535 bytes, a few at a time."""
        stream.socket.sendall(message(HELLO) + message(ECHO_REQUEST, length=65_535))
        until = time.monotonic() + BUSY_S
        while time.monotonic() < until:
            stream.socket.sendall(bytes(1))
            time.sleep(0.01)  # that it comes bit by bit is the hostility
