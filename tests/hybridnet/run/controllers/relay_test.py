# SPDX-License-Identifier: MIT
"""The relay passes bytes both ways, finds a controller that starts later, and leaves nothing open."""

from __future__ import annotations

import socket

import pytest

from hybridnet.run.controllers.relay import Relay


def test_what_either_end_sends_comes_out_at_the_other() -> None:
    with socket.create_server(("127.0.0.1", 0)) as controller:
        relay = Relay("127.0.0.1", controller.getsockname())
        with socket.create_connection(("127.0.0.1", relay.port)) as switch:
            passed, _ = controller.accept()
            with passed:
                switch.sendall(b"hello")
                assert passed.recv(5) == b"hello"
                passed.sendall(b"features")
                assert switch.recv(8) == b"features"
                relay.close()
                assert switch.recv(1) == b""
                assert passed.recv(1) == b""


def test_a_controller_that_is_not_there_yet_is_found_by_the_next_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        address = reserved.getsockname()
    relay = Relay("127.0.0.1", address)
    with socket.create_connection(("127.0.0.1", relay.port)) as early:
        assert early.recv(1) == b""  # refused there, so closed here
    with socket.create_server(address) as controller, socket.create_connection(("127.0.0.1", relay.port)):
        controller.settimeout(5)
        controller.accept()[0].close()
    relay.close()
    relay.close()


def test_an_address_that_is_not_this_computer_s_is_refused() -> None:
    with pytest.raises(OSError, match="assign"):
        Relay("192.0.2.1", ("127.0.0.1", 6653))
