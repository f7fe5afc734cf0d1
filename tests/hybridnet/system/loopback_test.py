# SPDX-License-Identifier: MIT
"""A network namespace whose loopback interface is down is refused with the cure."""

from __future__ import annotations

import errno
import os
import socket

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.system.loopback import require_loopback


def test_where_nothing_reaches_itself_no_network_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    require_loopback()

    class Down(socket.socket):
        def connect(self, address: object) -> None:
            raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))

    monkeypatch.setattr(socket, "socket", Down)
    with pytest.raises(EnvironmentLackError, match=r"Network is unreachable.*; run: ip link set lo up"):
        require_loopback()
