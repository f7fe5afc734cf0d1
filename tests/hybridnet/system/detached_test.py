# SPDX-License-Identifier: MIT
"""Keepers and their runs, with programs in place of networks."""

from __future__ import annotations

import os
import resource
import signal
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.system.detached import (
    DetachedRun,
    detached_runs,
    find_detached,
    keeper_of_this_process,
)
from hybridnet.system.journal import start_time
from hybridnet.system.keeper import FRAME, WINDOW
from tests.hybridnet.system.detached_support import runs_of_our_own, started

ECHO = "import sys\nfor line in sys.stdin: print('heard', line, flush=True)"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with runs_of_our_own(tmp_path, monkeypatch):
        yield


def await_that(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def said_until(run: DetachedRun, text: bytes, typed: bytes = b"") -> bytes:
    with run.connect() as there:
        there.settimeout(20)
        there.sendall(typed)
        said = b""
        while text not in said:
            piece = there.recv(4096)
            assert piece, said
            said += piece
        return said


def test_a_run_goes_on_by_itself_and_takes_what_is_typed() -> None:
    run = started(ECHO)
    assert run.running
    window = FRAME.pack(b"w", WINDOW.size) + WINDOW.pack(50, 132)
    said_until(run, b"heard hello", window + FRAME.pack(b"i", 6) + b"hello\n")
    assert os.getsid(run.facts["head"]) == run.facts["head"] != os.getsid(0)
    assert b"heard hello" in said_until(run, b"heard hello")  # who comes later sees the end of it
    assert find_detached(None).name == find_detached("d1").name == "d1"


def test_a_run_knows_its_keeper() -> None:
    tells = "from hybridnet.system.detached import keeper_of_this_process as k; print('keeper', k(), 'it is'); input()"
    run = started(tells)
    said_until(run, f"keeper {run.facts['keeper']} it is".encode())
    assert keeper_of_this_process() is None


def test_its_end_and_its_output_stay_until_it_is_forgotten(capsys: pytest.CaptureFixture[str]) -> None:
    run = started("print('result'); raise SystemExit(4)")
    await_that(lambda: find_detached("d1").status == 4)
    await_that(lambda: not find_detached("d1").running)
    assert b"result" in (run.directory / "output").read_bytes()
    with pytest.raises(UsageError, match=r"run d1 has ended; what it said is in .*output"):
        find_detached("d1").connect()
    assert main(["status"]) == 0
    assert "ended with 4" in capsys.readouterr().out
    assert main(["stop", "d1"]) == 0
    assert detached_runs() == []


def test_stop_ends_it_as_ctrl_c_does(capsys: pytest.CaptureFixture[str]) -> None:
    run = started(
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit('cleaned'))\n"
        "print('up', flush=True)\ntime.sleep(100)"
    )
    said_until(run, b"up")
    assert main(["stop"]) == 0
    assert "run d1 has ended with status 1" in capsys.readouterr().out


@pytest.mark.parametrize("hangup", [signal.SIG_DFL, signal.SIG_IGN], ids=["by itself", "under nohup"])
def test_when_its_keeper_is_killed_the_run_ends(hangup: signal.Handlers) -> None:
    before = signal.signal(signal.SIGHUP, hangup)
    try:
        run = started("import time; print('up', flush=True); time.sleep(100)")
    finally:
        signal.signal(signal.SIGHUP, before)
    said_until(run, b"up")
    os.kill(run.facts["keeper"], signal.SIGKILL)
    await_that(lambda: start_time(run.facts["head"]) != run.facts["head_start"])
    assert find_detached("d1").status is None


def test_a_client_that_does_not_read_holds_nothing_up() -> None:
    run = started("print('x' * 3_000_000); print('end', flush=True); input()")
    with run.connect():
        await_that(lambda: b"end" in (run.directory / "output").read_bytes())


def test_a_run_whose_output_finds_no_room_goes_on() -> None:
    """A full /run must not end a network."""
    room = 1 << 16
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))  # of each file that the keeper writes
    try:
        run = started(
            f"print('x' * {4 * room}, flush=True); input(); print('it goes on', flush=True); input()"
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await_that(lambda: (run.directory / "output").stat().st_size == room)
    assert b"it goes on" in said_until(run, b"it goes on", FRAME.pack(b"i", 1) + b"\n")
    assert run.running


def test_a_run_that_does_not_read_goes_on_however_much_is_typed_and_heeds_control_c() -> None:
    run = started(
        "import time\n"
        "try:\n    for n in range(400): print(n, 'x' * 3000, flush=True); time.sleep(0.01)\n"
        "    print('all', flush=True); time.sleep(100)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)"
    )
    pasted = FRAME.pack(b"i", 30_001) + b"a" * 30_000 + b"\n"
    said_until(run, b"all", pasted * 3)
    with run.connect() as there:
        there.sendall(FRAME.pack(b"i", 1) + b"\x03")
        await_that(lambda: find_detached("d1").status == 0)
    assert b"interrupted" in (run.directory / "output").read_bytes()


def test_what_is_no_frame_ends_the_connection_and_not_the_run() -> None:
    run = started(ECHO)
    with run.connect() as there:
        there.settimeout(20)
        there.sendall(struct.pack("!cH", b"?", 0))
        while there.recv(4096):
            pass
    assert find_detached("d1").running


def test_names_are_small_numbers_and_unknown_ones_are_refused() -> None:
    for _ in range(2):
        started("input()")
    assert [run.name for run in detached_runs()] == ["d1", "d2"]
    with pytest.raises(UsageError, match="there is no detached run d7 of yours; there are: d1, d2"):
        find_detached("d7")
    with pytest.raises(UsageError, match="2 detached runs are running; name one"):
        find_detached(None)


def test_the_command_line_goes_on_without_the_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; print('arguments', sys.argv[1:])\n")
    assert main(["run", "--detach", str(script), "--", "--detach"]) == 0
    assert "detached as d1: `hybridnet attach d1`" in capsys.readouterr().out
    await_that(lambda: find_detached("d1").status == 0)
    output = (find_detached("d1").directory / "output").read_bytes()
    assert b"arguments ['--detach']" in output
    capsys.readouterr()
    assert main(["status"]) == 0
    told = "".join(capsys.readouterr().out.split())  # the table wraps
    assert f"hybridnetrun{script}----detach" in told
