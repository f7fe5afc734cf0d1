# SPDX-License-Identifier: MIT
"""The thread that answers `tc` in the script's process."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from hybridnet.compat.mininet.tc.server import PASS, SOCKET, TcServer


def asked(folder: Path, said: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(5.0)
        asking.connect(str(folder / SOCKET))
        asking.sendall(said)
        asking.shutdown(socket.SHUT_WR)
        with asking.makefile("rb") as answering:
            return answering.read()


def test_a_command_at_which_it_fails_is_told_so_and_the_next_one_is_answered(tmp_path: Path) -> None:
    def no_interface(device: str) -> Any:
        raise TypeError(f"{device} cannot be looked for")

    server = TcServer(no_interface, lambda device: None, tmp_path)
    try:
        for said in (b"qdisc\0show\0dev\0s1-eth1\0", b"\xff\0"):
            assert asked(tmp_path, said).startswith(
                b"1 - 0\nError: hybridnet cannot answer this command of tc: "
            )
        assert asked(tmp_path, b"qdisc\0show\0") == PASS
    finally:
        server.close()
    with pytest.raises(OSError, match="No such file"):
        asked(tmp_path, b"")
