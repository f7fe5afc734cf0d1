# SPDX-License-Identifier: MIT
"""What is heard of a kernel, with a socket in its place."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from hybridnet.errors import ExperimentError
from hybridnet.kernel import process as tested
from hybridnet.kernel.process import KernelProcess


@pytest.fixture
def ends() -> Iterator[tuple[KernelProcess, socket.socket]]:
    """A kernel that somebody else plays, and where he speaks."""
    made = KernelProcess.__new__(KernelProcess)
    made.name, made._lines, made._begins = "the kernel", b"", False
    made.control, theirs = socket.socketpair()
    yield made, theirs
    made.control.close()
    theirs.close()


def test_the_first_process_is_heard_line_by_line(ends: tuple[KernelProcess, socket.socket]) -> None:
    kernel, theirs = ends
    theirs.sendall(b'{"begins": true}\n{"exit": 3, "brought": []')
    assert kernel.answer() is None
    assert kernel._begins
    theirs.sendall(b', "left": {}}\n')
    assert kernel.answer() == {"exit": 3, "brought": [], "left": {}}


@pytest.mark.parametrize("said", [b"hello\n", b"5\n", b"{}\n", b"[" * 50_000 + b"\n", b"\xff\n", b"endless"])
def test_a_program_that_writes_in_its_place_is_an_error_with_words(
    ends: tuple[KernelProcess, socket.socket], monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(tested, "MOST_SAID_BYTES", 6)
    kernel, theirs = ends
    theirs.sendall(said)
    with pytest.raises(ExperimentError, match="the kernel: a program in it has written to /dev/host6"):
        kernel.answer()
