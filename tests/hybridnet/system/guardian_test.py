# SPDX-License-Identifier: MIT
"""The guardian as a program, with a process in place of its head: it waits for that, and removes what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hybridnet.system import guardian
from hybridnet.system.guardian import Guardian

PACKAGE = Path(guardian.__file__).parents[2]
PATIENCE_S = 20


@contextmanager
def ending(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A program that ends with the test, also with one that fails."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a run."""
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    directory = tmp_path / f"guarded-{os.getpid()}"
    directory.mkdir(mode=0o700)
    return directory


@pytest.fixture
def head() -> Iterator[subprocess.Popen[bytes]]:
    with ending(["sleep", "1000"]) as process:
        yield process


def network_of(pid: int | str) -> int:
    return os.stat(f"/proc/{pid}/ns/net").st_ino


def ignored_by(pid: int) -> set[int]:
    [mask] = [
        line.split()[1] for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "SigIgn" in line
    ]
    return {number for number in range(1, 65) if int(mask, 16) >> (number - 1) & 1}


@contextmanager
def guarding(run: Path, head: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The guardian of another process than this one, as its head starts it."""
    descriptor = os.pidfd_open(head.pid)
    command = [sys.executable, guardian.__file__, str(descriptor), run.name, str(run.parent), str(PACKAGE)]
    try:
        with ending(command, pass_fds=[descriptor], stdout=subprocess.PIPE) as process:
            yield process
    finally:
        os.close(descriptor)


def write_journal(run: Path, head: subprocess.Popen[bytes], *entries: dict[str, object]) -> None:
    began = Path(f"/proc/{head.pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    first = {"make": "run", "pid": head.pid, "start": int(began)}
    (run / "journal.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in (first, *entries)))


def test_it_waits_for_its_head_and_removes_its_run(run: Path, head: subprocess.Popen[bytes]) -> None:
    write_journal(run, head)
    with guarding(run, head) as guard:
        time.sleep(0.2)
        assert guard.poll() is None
        head.kill()
        assert guard.wait(PATIENCE_S) == 0
    assert not run.exists()


def test_a_run_that_ended_well_leaves_it_nothing_to_do(run: Path, head: subprocess.Popen[bytes]) -> None:
    run.rmdir()
    with guarding(run, head) as guard:
        head.kill()
        assert guard.wait(PATIENCE_S) == 0
        assert guard.stdout is not None
        assert guard.stdout.read() == b"", "nothing was cleaned"


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a network namespace")
def test_a_run_that_is_left_to_its_programs_goes_when_the_last_of_them_has_ended(
    run: Path, head: subprocess.Popen[bytes]
) -> None:
    ours = network_of("self")
    with ending(["unshare", "--net", "sleep", "1000"]) as program:
        while network_of(program.pid) == ours:
            time.sleep(0.01)
        namespace = {"make": "namespace", "inode": network_of(program.pid), "path": str(run / "gone")}
        write_journal(run, head, {"make": "left"}, namespace)
        with guarding(run, head) as guard:
            head.kill()
            time.sleep(0.5)
            assert guard.poll() is None
            assert run.exists()
            program.kill()
            program.wait()
            assert guard.wait(PATIENCE_S) == 0
    assert not run.exists()


def test_it_does_not_see_the_end_of_its_terminal(run: Path, head: subprocess.Popen[bytes]) -> None:
    write_journal(run, head)
    with guarding(run, head) as guard:
        deadline = time.monotonic() + PATIENCE_S
        while not {signal.SIGHUP, signal.SIGINT} <= ignored_by(guard.pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        guard.send_signal(signal.SIGHUP)
        guard.send_signal(signal.SIGINT)
        assert guard.poll() is None
        head.kill()
        assert guard.wait(PATIENCE_S) == 0


def test_a_head_ends_its_guardian_when_nothing_is_left_to_guard(run: Path) -> None:
    own = Guardian(run)
    own.end()  # nothing has started
    own.start()
    own.end()
    own.end()
    assert run.exists()
