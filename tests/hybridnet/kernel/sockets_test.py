# SPDX-License-Identifier: MIT
"""Unix sockets without names: who has inherited them reaches them, and nothing is in the file system."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.kernel.sockets import nameless_sockets

MADE_BY_ONE_THAT_IS_KILLED = """
import os, signal
from hybridnet.kernel import sockets
give_name = sockets._name
def after_the_end_of_who_waits(listening, to):
    done = os.pidfd_open(os.getppid())
    os.kill(os.getppid(), signal.SIGKILL)
    import select
    select.select([done], [], [])
    try:
        give_name(listening, to)
    finally:
        os.write(1, b"left: " + " ".join(os.listdir(folder)).encode())
folder = os.environ["TMPDIR"]
sockets._name = after_the_end_of_who_waits
sockets.nameless_sockets(3)
"""


def test_each_is_reached_by_its_descriptor_and_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = nameless_sockets(3)
    assert list(tmp_path.iterdir()) == []
    for each in made:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"/proc/self/fd/{each.way}")
            accepted, _ = each.socket.accept()
            with accepted:
                client.sendall(b"x")
                assert accepted.recv(1) == b"x"
    for each in made:
        each.close()


def test_whoever_is_killed_meanwhile_nothing_is_left(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", MADE_BY_ONE_THAT_IS_KILLED],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (-signal.SIGKILL, "left: ")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_socket_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(EnvironmentLackError, match=r"sockets for kernels: .*none.*; TMPDIR names a folder"):
        nameless_sockets(1)
