# SPDX-License-Identifier: MIT
"""Sockets that a process outside lends to a run with --rootless, and what such a run refuses."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.system import rootless


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process asks, and a thread of it lends."""
    helper, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    monkeypatch.setenv(rootless.VARIABLE, str(inside.fileno()))
    lending = threading.Thread(target=rootless.lend_sockets, args=(helper,))
    lending.start()
    with helper:
        with inside:
            yield
        lending.join(timeout=10.0)
    assert not lending.is_alive(), "it ends with the one that asks"


@pytest.mark.usefixtures("asking")
@pytest.mark.parametrize(("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)])
def test_a_lent_socket_takes_connections(host: str, family: socket.AddressFamily) -> None:
    with rootless.listen_outside(host, 0, 5) as listening:
        assert listening.family == family
        with socket.create_connection(listening.getsockname()[:2]), listening.accept()[0]:
            pass


@pytest.mark.usefixtures("asking")
def test_why_nobody_can_listen_is_told_and_the_next_question_is_answered() -> None:
    with rootless.listen_outside("127.0.0.1", 0, 5) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            rootless.listen_outside("127.0.0.1", port, 5)
    with rootless.listen_outside("127.0.0.1", port, 5) as again:
        assert again.getsockname()[1] == port


def test_only_a_run_without_root_is_refused_what_it_cannot_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(rootless.VARIABLE, raising=False)
    rootless.refuse_rootless("host h1: NAT")
    assert rootless.unseen() == ""
    monkeypatch.setenv(rootless.VARIABLE, "3")
    with pytest.raises(EnvironmentLackError, match=r"host h1: NAT: a run with --rootless .*; run it as root"):
        rootless.refuse_rootless("host h1: NAT")
    assert "--rootless" in rootless.unseen()
