# SPDX-License-Identifier: MIT
"""Sweeps on a Dask cluster: a scheduler and two workers, each a process of its own, as a user has them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from distributed import Client

from hybridnet.cli.main import main
from hybridnet.errors import EnvironmentLackError
from hybridnet.tools.sweep import dask_workers
from hybridnet.tools.sweep.dask_workers import run_there

pytestmark = pytest.mark.thorough

SCRIPT = """
from beside import HOSTS
from hybridnet import Topo, value

class Pinged(Topo):
    def build(self, count=5):
        for host in HOSTS:
            self.addSimHost(host)
        self.addSimHost("c", applications=[
            {"kind": "ping", "destination": "a", "count": count, "interval": value("interval", "100ms")}])
        self.addSimSwitch("s")
        for host in (*HOSTS, "c"):
            self.addLink(host, "s", delay="1ms", loss=value("loss", 20.0))
"""
PATIENCE_S = 120


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address; two workers with a thread each are on their way to it."""
    folder = tmp_path_factory.mktemp("dask")
    told, alone = ("--scheduler-file", "scheduler.json"), "--no-dashboard"
    words = (
        ("scheduler", "--host", "127.0.0.1", "--port", "0", *told, alone),
        ("worker", *told, "--nworkers", "2", "--nthreads", "1", alone),
    )
    programs = []
    try:
        for verb, *rest in words:
            argv = [sys.executable, "-m", f"distributed.cli.dask_{verb}", *rest]
            programs.append(subprocess.Popen(argv, cwd=folder, stderr=subprocess.DEVNULL))
        until((folder / "scheduler.json").exists)
        yield json.loads((folder / "scheduler.json").read_text())["address"]
    finally:
        for program in reversed(programs):
            program.terminate()
            program.wait(PATIENCE_S)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pinged.py").write_text(SCRIPT)
    Path("beside.py").write_text('HOSTS = ("a", "b")\n')


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def whole() -> list[str]:
    return sorted(
        path.name for path in Path("s/points").iterdir() if path.suffix not in (".unfinished", ".log")
    )


WORDS = ["sweep", "pinged.py", "--until", "5s", "--set", "count=5,10", "--seeds", "1"]


def test_it_gives_what_the_same_sweep_gives_here(scheduler: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--dask", scheduler, "--out", "s"]) == 0
    assert "2 runs: s" in capsys.readouterr().out
    assert main([*WORDS, "--out", "here"]) == 0
    assert Path("s/sweep.json").read_bytes() == Path("here/sweep.json").read_bytes()
    assert Path("s/points", whole()[0], "files/beside.py").is_file()  # so that `rerun` repeats it anywhere


def test_killed_in_the_middle_it_goes_on_where_it_was(
    scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*WORDS[:-2], "--set", "loss=1,20", "--seeds", "2", "--out", "s"]  # 2 · 2 · 2 points
    argv = [sys.executable, "-m", "hybridnet.cli", *words, "--dask", scheduler]
    process = subprocess.Popen(argv, stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline() == f"*** asking the scheduler at {scheduler}\n".encode()
    for _ in range(2):  # so many lines, so many points
        assert b" of 8: " in process.stderr.readline()
    process.kill()
    process.communicate()
    before = whole()
    assert 2 <= len(before) < 8
    assert main([*words, "--dask", scheduler]) == 0
    assert f"8 runs, {len(before)} of them from before: s" in capsys.readouterr().out
    assert len(whole()) == 8


def test_the_programs_of_a_sweep_that_was_killed_end(scheduler: str) -> None:
    words = ["sweep", "pinged.py", "--until", "3600s", "--set", "count=1000000", "--set", "interval=100us"]
    argv = [sys.executable, "-m", "hybridnet.cli", *words, "--seeds", "2", "--dask", scheduler, "--out", "s"]
    with Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE_S)
        workers = client.run(os.getpid).values()

        def programs() -> list[psutil.Process]:
            return [
                child
                for worker in workers
                for child in psutil.Process(worker).children()
                if child.status() != psutil.STATUS_ZOMBIE and "hybridnet.cli" in child.cmdline()
            ]

        process = subprocess.Popen(argv)
        until(lambda: len(programs()) == 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        until(lambda: not programs())


def test_a_point_that_fails_is_named_with_what_it_said(
    scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*WORDS[:4], "--set", "count=some", "--dask", scheduler, "--out", "s"]) == 1
    said = capsys.readouterr().err
    assert "sweep: count some, seed 1: its run ended with status 2" in said
    assert "has all that it printed" in said
    assert "count" in next(Path("s/points").glob("*.log")).read_text()


def test_a_worker_with_another_hybridnet_is_refused(scheduler: str) -> None:
    with (
        Client(scheduler, set_as_default=False) as client,
        pytest.raises(EnvironmentLackError, match="and this computer another-day; start it in"),
    ):
        client.submit(run_there, ["version"], {}, "another-day", pure=False).result()


def test_a_scheduler_that_is_not_there_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_workers, "ANSWER_S", 0.5)
    assert main([*WORDS, "--dask", "127.0.0.1:1", "--out", "s"]) == 1
    assert "--dask 127.0.0.1:1: the scheduler does not answer" in capsys.readouterr().err


def test_files_that_are_too_large_to_send_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_workers, "FILES_LIMIT", 100)
    assert main([*WORDS, "--dask", "127.0.0.1:1", "--out", "s"]) == 2
    assert "at most 100 are sent with each point" in capsys.readouterr().err
