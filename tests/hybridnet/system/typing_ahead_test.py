# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time

from hybridnet.system.typing_ahead import prepare, type_into

# It says when it runs, and reads when it is told to.
LATE_READER = (
    "import sys, signal\nprint('here', flush=True)\nsignal.pause() if len(sys.argv) > 1 else None\n"
    "print(len(sys.stdin.readline()), flush=True)"
)


def started(*words: str) -> tuple[subprocess.Popen[bytes], int]:
    master, slave = pty.openpty()
    prepare(master)
    program = subprocess.Popen(
        ["setsid", "--ctty", sys.executable, "-c", LATE_READER, *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    return program, master


def said_until(master: int, wanted: bytes) -> bytes:
    said, deadline = b"", time.monotonic() + 20
    while wanted not in said:
        assert time.monotonic() < deadline, said
        try:
            said += os.read(master, 4096)
        except BlockingIOError:
            time.sleep(0.01)
    return said


def test_what_fits_arrives() -> None:
    program, master = started()
    said_until(master, b"here")
    assert type_into(master, b"hello\n") == 6
    said_until(master, b"\r\n6\r\n")
    assert program.wait(20) == 0
    os.close(master)


def test_what_does_not_fit_is_dropped_at_once_and_control_c_still_means_its_signal() -> None:
    program, master = started("pause")
    said_until(master, b"here")
    line = b"a" * 100 + b"\n"
    assert type_into(master, line * 2000) < 202_000  # returns, though nobody reads
    while type_into(master, b"b"):
        pass
    assert type_into(master, b"\x03") == 0
    assert program.wait(20) == -signal.SIGINT
    os.close(master)
