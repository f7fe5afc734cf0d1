# SPDX-License-Identifier: MIT
"""Command lines that are forked from a process which has imported what they need."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.system.python_command import python_module


class Warm:
    def __init__(self, line: socket.socket, program: subprocess.Popen[bytes]) -> None:
        self.line, self.program = line, program
        self._answers = line.makefile("rb")

    def ask(self, words: list[str], log: Path) -> None:
        self.line.sendall(json.dumps({"words": words, "log": str(log)}).encode() + b"\n")

    def close(self) -> None:
        self._answers.close()
        self.line.close()

    def answer(self) -> Any:
        return json.loads(self._answers.readline())


@pytest.fixture
def warm() -> Iterator[Warm]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        program = subprocess.Popen(
            [*python_module("hybridnet.cli.warm"), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
        )
        theirs.close()
        yield Warm(ours, program)
    program.kill()
    program.communicate()


def test_each_command_line_has_an_output_and_a_status_of_its_own(warm: Warm, tmp_path: Path) -> None:
    for number, (words, status, said) in enumerate(
        [(["version"], 0, "hybridnet"), (["simulate"], 2, "error: "), (["version"], 0, "hybridnet")]
    ):
        log = tmp_path / str(number)
        warm.ask(words, log)
        assert warm.answer() == {"status": status}
        assert said in log.read_text()


def test_it_ends_when_nobody_asks_any_more(warm: Warm) -> None:
    warm.line.shutdown(socket.SHUT_WR)
    assert warm.program.wait(timeout=30) == 0


def test_it_says_nothing_when_whoever_asked_has_ended(warm: Warm, tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    warm.ask(["version"], fifo)
    until(lambda: children_of(warm.program.pid))
    warm.close()
    assert fifo.read_text()  # until then the command line waits
    assert warm.program.wait(timeout=30) == 0
    assert warm.program.stderr is not None
    assert warm.program.stderr.read() == b""


def children_of(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def until(holds: Callable[[], object]) -> None:
    while not holds():
        os.sched_yield()


def test_told_to_end_it_ends_what_runs_and_says_so_first(warm: Warm, tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        "from hybridnet import Topo\n"
        "class Long(Topo):\n"
        "    def build(self):\n"
        "        ping = {'kind': 'ping', 'destination': 'b', 'count': 10**9, 'interval': '10us'}\n"
        "        self.addSimHost('a', applications=[ping])\n"
        "        self.addLink('a', self.addSimHost('b'), delay='1ms')\n"
        "topos = {'long': Long}\n"
    )
    warm.ask(["simulate", str(script), "--topo", "long", "--until", "3600s"], tmp_path / "log")
    until(lambda: children_of(warm.program.pid))
    [child] = children_of(warm.program.pid)
    warm.program.terminate()
    assert warm.answer()["status"] in (
        -signal.SIGTERM,
        128 + signal.SIGTERM,
    )  # before it has a handler, or with it
    assert warm.program.wait(timeout=30) == 0
    assert not Path(f"/proc/{child}").exists()


def test_what_runs_ends_with_it(warm: Warm, tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)  # the command line waits in it for whoever reads what it says
    warm.ask(["version"], fifo)
    until(lambda: children_of(warm.program.pid))
    [child] = children_of(warm.program.pid)
    warm.program.kill()
    warm.program.wait()
    until(lambda: not Path(f"/proc/{child}").exists())
