# SPDX-License-Identifier: MIT
"""A person's terminal, on this computer itself."""

from __future__ import annotations

import os
import time

import pytest

from hybridnet.agent.programs.terminals import Terminals
from hybridnet.errors import UsageError
from hybridnet.system.ways import Way


def open_one(terminals: Terminals) -> int:
    return terminals.open("h1", Way(), dict(os.environ), (24, 80), lambda pid: None)


def read_until(terminals: Terminals, number: int, wanted: bytes) -> bytes:
    said, deadline = b"", time.monotonic() + 20
    while wanted not in said and time.monotonic() < deadline:
        said += terminals[number].read(1.0) or b""
    return said


def test_it_echoes_has_a_size_and_heeds_control_c() -> None:
    terminals = Terminals()
    number = open_one(terminals)
    terminals[number].write(b"stty size; echo $((6*7))\n")
    assert b"24 80\r\n42\r\n" in read_until(terminals, number, b"42\r\n")
    terminals[number].resize(50, 120)
    terminals[number].write(b"stty size\n")
    assert b"50 120" in read_until(terminals, number, b"50 120\r\n")
    terminals[number].write(b"sleep 100\n")
    read_until(terminals, number, b"sleep 100\r\n")
    terminals[number].write(b"\x03echo after\n")
    assert b"after\r\n" in read_until(terminals, number, b"after\r\n")
    terminals.close(number)
    with pytest.raises(UsageError, match=f"no terminal number {number}"):
        terminals[number]
    terminals.close(number)


def test_its_end_is_told_and_all_of_a_node_close() -> None:
    terminals = Terminals()
    number = open_one(terminals)
    terminals[number].write(b"exit\n")
    deadline = time.monotonic() + 20
    while terminals[number].read(1.0) is not None:
        assert time.monotonic() < deadline
    other = open_one(terminals)
    terminals.close_of({"h2"})
    assert terminals[other].read(0) is not None
    terminals.close_of({"h1"})
    with pytest.raises(UsageError):
        terminals[other]


@pytest.mark.parametrize("size", [(0, 80), (24, 1001), (24, True)])
def test_a_size_that_is_none_is_refused(size: tuple[int, int]) -> None:
    terminals = Terminals()
    number = open_one(terminals)
    with pytest.raises(UsageError, match="is not a size"):
        terminals[number].resize(*size)
    terminals.close_of()
