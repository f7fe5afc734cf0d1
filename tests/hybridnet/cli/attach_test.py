# SPDX-License-Identifier: MIT
"""hybridnet attach, at a terminal: what is typed, how one leaves, and how the run's end is told."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.system.detached import find_detached
from hybridnet.system.keeper import FRAME, MOST_CLIENTS
from tests.hybridnet.system.detached_support import runs_of_our_own, started

ECHO = "import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('heard', line.strip(), flush=True)\n"
SIZE = (
    "import os\nprint('ready', flush=True)\nwhile True: input(); print(*os.get_terminal_size(), flush=True)"
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with runs_of_our_own(tmp_path, monkeypatch):
        yield


class Attached:
    """`hybridnet attach` at a terminal of 40 lines and 100 columns."""

    def __init__(self) -> None:
        self.master, self.terminal = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.settings = termios.tcgetattr(self.terminal)
        without = {name: value for name, value in os.environ.items() if name not in ("LINES", "COLUMNS")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hybridnet.cli", "attach"],
            stdin=self.terminal, stdout=self.terminal, stderr=subprocess.PIPE, env=without,
        )  # fmt: skip

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def shown(self, text: bytes) -> bytes:
        """What is shown, up to the first time that it has a text."""
        said = b""
        while text not in said:
            ready, _, _ = select.select([self.master], [], [], 20)
            assert ready, said
            said += os.read(self.master, 4096)
        return said

    def end(self) -> tuple[int, str]:
        """Its exit status, and what it said beside the run."""
        _, told = self.process.communicate(timeout=20)
        return self.process.returncode, told.decode()


@pytest.fixture
def attached() -> Iterator[type[Attached]]:
    made: list[Attached] = []

    class Kept(Attached):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    yield Kept
    for each in made:
        each.process.kill()
        each.process.communicate()
        os.close(each.master)
        os.close(each.terminal)


def test_keys_reach_the_run_and_its_terminal_has_the_size_of_ours(attached: type[Attached]) -> None:
    started(SIZE)
    here = attached()
    here.shown(b"ready")  # and so it has the keyboard
    here.type(b"\n")
    here.shown(b"100 40\r\n")


def test_leaving_lets_the_run_go_on_and_puts_the_terminal_back(attached: type[Attached]) -> None:
    run = started(ECHO)
    here = attached()
    here.shown(b"ready")  # and so it has the keyboard
    here.type(b"one\n")
    here.shown(b"heard one")
    assert termios.tcgetattr(here.terminal) != here.settings  # every key goes to the run
    here.type(b"\x1d")
    status, told = here.end()
    assert (status, told.strip()) == (0, f"*** left run {run.name} running")
    assert termios.tcgetattr(here.terminal) == here.settings
    assert find_detached(None).running


def test_what_is_typed_at_once_with_the_key_that_leaves_still_reaches_the_run(
    attached: type[Attached],
) -> None:
    run = started(ECHO)
    here = attached()
    here.shown(b"ready")  # and so it has the keyboard
    here.type(b"\n")
    here.shown(b"heard")
    here.type(b"last\n\x1dnot this\n")
    assert here.end()[0] == 0
    again = attached()
    assert b"not this" not in again.shown(b"heard last")
    assert run.running


def test_the_end_of_the_run_is_that_of_attach(attached: type[Attached]) -> None:
    started("print('ready'); input(); print('result'); raise SystemExit(4)")
    here = attached()
    here.shown(b"ready")  # and so it has the keyboard
    here.type(b"\n")
    here.shown(b"result")
    assert here.end() == (4, "")


def test_without_a_terminal_it_shows_what_the_run_says() -> None:
    run = started("print('ready', flush=True); input(); print('result'); raise SystemExit(3)")
    watching = subprocess.Popen(
        [sys.executable, "-m", "hybridnet.cli", "attach"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    with watching, run.connect() as other:
        assert watching.stdout is not None
        assert watching.stdout.readline() == b"ready\r\n"
        other.sendall(FRAME.pack(b"i", 1) + b"\n")
        assert b"result" in watching.stdout.read()
    assert watching.returncode == 3


def test_who_is_one_too_many_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    run = started(ECHO)
    with contextlib.ExitStack() as others:
        for _ in range(MOST_CLIENTS):
            there = others.enter_context(run.connect())
            there.settimeout(20)
            assert there.recv(4096)  # it is one of them
        assert main(["attach", run.name]) == UsageError.exit_code
    assert f"{MOST_CLIENTS} others are attached to it" in capsys.readouterr().err


def test_where_the_keeper_was_killed_one_is_told_where_the_output_is(attached: type[Attached]) -> None:
    run = started(ECHO)
    here = attached()
    here.shown(b"ready")
    os.kill(run.facts["keeper"], signal.SIGKILL)
    status, told = here.end()
    assert status == UsageError.exit_code
    assert f"the run's output is in {run.directory / 'output'}" in told
