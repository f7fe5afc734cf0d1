# SPDX-License-Identifier: MIT
"""A controller of OpenFlow 1.3 that is a hub: it has every packet sent to it, and floods it. It sets up no flow."""

from __future__ import annotations

import selectors
import socket
import struct
import threading

from hybridnet.tools.explore.messages import (
    ECHO_REQUEST,
    FLOW_MOD,
    HELLO,
    PACKET_IN,
    PACKET_OUT,
    Message,
    frame_of_packet_in,
    hello,
    message,
    split,
)
from hybridnet.tools.explore.tables import ANY, CONTROLLER, FLOOD

_ECHO_REPLY = 3


def _output(port: int) -> bytes:
    return struct.pack("!HHIHxxxxxx", 0, 16, port, 0xFFFF)


def table_miss() -> bytes:
    """A flow of priority 0 that sends every packet to the controller."""
    match = struct.pack("!HHxxxx", 1, 4)
    apply = struct.pack("!HHxxxx", 4, 24) + _output(CONTROLLER)
    head = struct.pack("!QQBBHHHIIIHxx", 0, 0, 0, 0, 0, 0, 0, ANY, ANY, ANY, 0)
    return message(FLOW_MOD, head + match + apply)


def flood(packet_in: Message) -> bytes:
    """The packet-out that floods what a packet-in has: from the port at which it came (the match's first field)."""
    [port] = struct.unpack_from("!I", packet_in.data, 32)
    actions = _output(FLOOD)
    head = struct.pack("!IIHxxxxxx", 0xFFFFFFFF, port, len(actions))
    return message(PACKET_OUT, head + actions + frame_of_packet_in(packet_in))


class Hub:
    """It listens at `port` from the start on. A context manager.

    Args:
        answers: whether it floods at all.
        most: so many switches it has at a time; when one more connects it ends the oldest connection.
    """

    def __init__(self, *, answers: bool = True, most: int = 1000) -> None:
        self._answers = answers
        self._most = most
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.asked = 0
        self._ours, self._theirs = socket.socketpair()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Hub:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._thread.join()
        self._theirs.close()
        self._listener.close()

    def _serve(self) -> None:
        with selectors.DefaultSelector() as watch:
            watch.register(self._theirs, selectors.EVENT_READ)
            watch.register(self._listener, selectors.EVENT_READ)
            rests: dict[socket.socket, bytes] = {}
            while True:
                for key, _ in watch.select():
                    if key.fileobj is self._theirs:
                        for each in rests:
                            each.close()
                        return
                    if key.fileobj is self._listener:
                        if len(rests) >= self._most:
                            oldest = next(iter(rests))
                            watch.unregister(oldest)
                            rests.pop(oldest)
                            oldest.close()
                        switch, _ = self._listener.accept()
                        rests[switch] = b""
                        switch.sendall(hello())
                        watch.register(switch, selectors.EVENT_READ)
                        continue
                    said = key.fileobj
                    assert isinstance(said, socket.socket)
                    if said not in rests:  # it was the oldest
                        continue
                    try:
                        data = said.recv(65536)
                    except ConnectionResetError:  # the switch has gone, with something unread
                        data = b""
                    if not data:
                        watch.unregister(said)
                        rests.pop(said)
                        said.close()
                        continue
                    whole, rests[said] = split(rests[said] + data)
                    answer = b"".join(map(self._answer, whole))
                    if answer:
                        said.sendall(answer)

    def _answer(self, to: Message) -> bytes:
        if to.type == HELLO:
            return table_miss()
        if to.type == ECHO_REQUEST:
            return message(_ECHO_REPLY, to.body, to.xid)
        if to.type == PACKET_IN:
            self.asked += 1
            return flood(to) if self._answers else b""
        return b""
