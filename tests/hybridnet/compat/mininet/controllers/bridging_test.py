# SPDX-License-Identifier: MIT
"""The controller of `controller ptcp:6653`, as a switch meets it on a socket."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from hybridnet.compat.mininet.controllers.bridging import Bridging, common_version, flow_mod, message

HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, FLOW_REMOVED, FLOW_MOD = 0, 1, 2, 3, 11, 14


def bitmap(*versions: int) -> bytes:
    return struct.pack("!HHI", 1, 8, sum(1 << version for version in versions))


@pytest.fixture
def controller() -> Iterator[Bridging]:
    made = Bridging("127.0.0.1", 0)
    yield made
    made.close()


class Switch:
    """One that connects, and reads what it is told."""

    def __init__(self, controller: Bridging, version: int, body: bytes = b"") -> None:
        self._controller = controller
        self._socket = socket.create_connection(("127.0.0.1", controller.port), timeout=5)
        self.say(version, HELLO, body)

    def say(self, version: int, kind: int, body: bytes = b"", transaction: int = 7) -> None:
        self._socket.sendall(message(version, kind, body, transaction))

    def told(self) -> tuple[int, int, int, bytes]:
        """The next message: version, kind, transaction, body."""
        version, kind, length, transaction = struct.unpack("!BBHI", self._read(8))
        return version, kind, transaction, self._read(length - 8)

    def _read(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            self._socket.settimeout(0.02)
            try:
                came = self._socket.recv(length - len(data))
            except TimeoutError:
                self._controller.serve_once(1.0)
                continue
            assert came, "the controller has closed the connection"
            data += came
        return data

    def is_left(self) -> bool:
        self._controller.serve_once(0.1)
        self._socket.settimeout(5)
        return self._socket.recv(1) == b""


@pytest.mark.parametrize(
    ("said", "body", "spoken"),
    [
        (1, b"", 1),
        (4, b"", 4),
        (6, bitmap(1, 2, 3, 4, 5, 6), 6),
        (5, bitmap(1, 4), 4),
        (2, b"", None),
        (6, bitmap(2), None),
        (9, b"", 6),
    ],
)
def test_the_highest_version_that_both_have_is_spoken(said: int, body: bytes, spoken: int | None) -> None:
    assert common_version(said, body) == spoken


@pytest.mark.parametrize("version", [1, 4, 6])
def test_a_switch_is_emptied_and_forwards_as_a_bridge_does(controller: Bridging, version: int) -> None:
    switch = Switch(controller, version, bitmap(version))
    assert switch.told()[1] == HELLO
    emptied, filled = switch.told(), switch.told()
    assert (emptied[:2], filled[:2]) == ((version, FLOW_MOD), (version, FLOW_MOD))
    normal = struct.pack("!HHHH", 0, 8, 0xFFFA, 0) if version == 1 else struct.pack("!HHI", 0, 16, 0xFFFFFFFA)
    assert normal in filled[3]
    assert normal not in emptied[3]


def test_a_message_says_its_own_length() -> None:
    for version in (1, 3, 4, 5, 6):
        for command in (0, 3):
            made = flow_mod(version, command)
            assert struct.unpack_from("!BBH", made) == (version, FLOW_MOD, len(made))
    assert len(flow_mod(1, 0)) == 80
    assert len(flow_mod(4, 0)) == 80


@pytest.mark.parametrize(("version", "at"), [(1, 50), (4, 10), (6, 1)])
def test_a_flow_that_somebody_deletes_comes_back(controller: Bridging, version: int, at: int) -> None:
    switch = Switch(controller, version, bitmap(version))
    for _ in range(3):
        switch.told()
    switch.say(version, FLOW_REMOVED, bytes(at) + b"\x00" + bytes(40))  # it has idled out: nobody's deed
    switch.say(version, FLOW_REMOVED, bytes(at) + b"\x02" + bytes(40))
    switch.say(version, ECHO_REQUEST, b"alive?", transaction=99)
    assert switch.told()[1] == FLOW_MOD
    assert switch.told() == (version, ECHO_REPLY, 99, b"alive?")


def test_one_that_speaks_no_common_version_is_told_and_left(controller: Bridging) -> None:
    switch = Switch(controller, 2)
    assert switch.told()[1] == HELLO
    assert switch.told()[1:] == (ERROR, 7, bytes(4))
    assert switch.is_left()


def test_nonsense_ends_its_own_connection_only(controller: Bridging) -> None:
    other = Switch(controller, 4)
    other.told()
    nonsense = Switch(controller, 4)
    nonsense.told(), nonsense.told(), nonsense.told()
    nonsense._socket.sendall(struct.pack("!BBHI", 4, 2, 3, 0))  # shorter than its header
    assert nonsense.is_left()
    other.say(4, ECHO_REQUEST, b"still there?")
    assert [other.told()[1] for _ in range(3)] == [FLOW_MOD, FLOW_MOD, ECHO_REPLY]
