# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from hybridnet.agent.counters.socket_diag import SocketDiagnosis

SENT = 5000


@pytest.fixture(params=[(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")], ids=["IPv4", "IPv6"])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client and what its server has accepted."""
    family, address = request.param
    with contextlib.ExitStack() as open_sockets:
        server = open_sockets.enter_context(socket.socket(family))
        server.bind((address, 0))
        server.listen()
        client = open_sockets.enter_context(socket.create_connection(server.getsockname()[:2]))
        accepted, _ = server.accept()
        open_sockets.enter_context(accepted)
        yield client, accepted


def ends_of(one: socket.socket) -> str:
    (here, port, *_), (there, other, *_) = one.getsockname(), one.getpeername()
    return f"{here}:{port}>{there}:{other}"


def test_a_connection_is_found_with_its_window_and_what_it_moved(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    client, accepted = pair
    client.sendall(b"x" * SENT)
    received = 0
    while received < SENT:
        received += len(accepted.recv(SENT))
    with contextlib.closing(SocketDiagnosis()) as diagnosis:
        found = dict(diagnosis.connections(10_000))
        again = dict(diagnosis.connections(10_000))
    sender, receiver = found[ends_of(client)], found[ends_of(accepted)]
    assert sender["acknowledged_bytes"] == SENT + 1  # and the SYN
    assert sender["delivered_bytes"] == SENT + 1  # nothing behind a hole
    assert receiver["received_bytes"] == SENT
    assert sender["cwnd_bytes"] >= SENT
    assert 0 < sender["srtt_ns"] < 1e9
    assert sender["retransmitted_segments"] == 0
    assert "ssthresh_bytes" not in sender  # nothing was lost yet
    assert ends_of(client) in again


def test_no_more_than_so_many_connections_are_told(pair: tuple[socket.socket, socket.socket]) -> None:
    with contextlib.closing(SocketDiagnosis()) as diagnosis:
        assert len(list(diagnosis.connections(1))) == 1
        assert list(diagnosis.connections(0)) == []
