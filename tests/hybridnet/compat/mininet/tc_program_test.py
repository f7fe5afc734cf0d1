# SPDX-License-Identifier: MIT
"""The program `tc` between a script's process and the kernel's tc: who answers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hybridnet.compat.mininet import tc_program
from hybridnet.compat.mininet.tc_program import ANYWAY, SOCKET, kernels_tc, main

SHOW = ["qdisc", "show", "dev", "lo"]
"""The kernel has no queue there."""
ADD = ["qdisc", "add", "dev", "none-such", "root", "netem", "delay", "1ms"]

pytestmark = pytest.mark.skipif(kernels_tc() is None, reason="tc is not installed; apt-get install iproute2")


def told(out: str = "", err: str = "", status: int = 0, kernel: str = "") -> dict[str, Any]:
    return {"out": out, "err": err, "status": status, "kernel": kernel}


@contextmanager
def run_of(state: Path, name: str, *answers: Any) -> Iterator[list[list[str]]]:
    """A run whose script gives these answers; the words that it was asked."""
    path = state / name / SOCKET
    path.parent.mkdir(parents=True, exist_ok=True)
    asked: list[list[str]] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def serve() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection, connection.makefile("rb") as asking:
                    asked.append(json.loads(asking.read()))
                    connection.sendall(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

        serving = threading.Thread(target=serve)
        serving.start()
        yield asked
        serving.join(10)
        assert not serving.is_alive(), "not every answer was asked for"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    return tmp_path


def kernels(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(kernels_tc()), *words], capture_output=True, text=True, check=False)


def test_the_script_answers_with_words_complaints_and_a_status(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_of(state, "r1", told("shown\n", "complaint\n", 2)) as asked:
        assert main(SHOW) == 2
    assert asked == [SHOW]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("shown\n", "complaint\n")


def test_of_several_runs_the_one_answers_that_has_the_device(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "without"):
        (state / name).mkdir()
    first, second = (name for name in os.listdir(state) if name != "without")
    with run_of(state, first, None) as other, run_of(state, second, told("mine\n")):
        assert main(SHOW) == 0
    assert other == [SHOW]
    assert capsys.readouterr().out == "mine\n"


def test_what_the_kernel_has_nothing_of_is_shown_as_the_script_says(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_of(state, "r1", told("qdisc netem\n", kernel="has its own")):
        assert main(SHOW) == 0
    assert kernels(SHOW).stdout.startswith("qdisc noqueue")
    assert capsys.readouterr().out == "qdisc netem\n"


def test_a_change_that_the_kernel_cannot_make_is_the_scripts(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_of(state, "r1", told(kernel="does it"), told("done\n")) as asked:
        assert main(ADD) == 0
    assert asked == [ADD, [ANYWAY, *ADD]]
    assert capsys.readouterr().out == "done\n"


def test_a_change_that_neither_makes_ends_with_the_kernels_words(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_of(state, "r1", told(kernel="does it"), None):
        status = main(ADD)
    own = kernels(ADD)
    assert (status, capsys.readouterr().err) == (own.returncode, own.stderr)
    assert "Cannot find device" in own.stderr


@pytest.mark.parametrize("answer", [None, b"", b"no JSON"], ids=["not its device", "it ends", "no answer"])
def test_what_no_script_answers_is_all_the_kernels(state: Path, answer: Any) -> None:
    with run_of(state, "r1", answer):
        done = subprocess.run(
            [sys.executable, "-I", "-S", tc_program.__file__, *SHOW],
            capture_output=True,
            text=True,
            check=False,
        )
    own = kernels(SHOW)
    assert (done.returncode, done.stdout) == (own.returncode, own.stdout)


def test_a_computer_without_runs_has_the_kernels(state: Path) -> None:
    state.rmdir()
    done = subprocess.run(
        [sys.executable, tc_program.__file__, *SHOW], capture_output=True, text=True, check=False
    )
    assert done.stdout == kernels(SHOW).stdout


def test_the_program_is_sought_where_the_script_would_have_found_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "tc"
    program.write_text("")
    monkeypatch.setenv("HYBRIDNET_PATH", os.pathsep.join([str(tmp_path / "none"), str(tmp_path)]))
    assert kernels_tc() != str(program)  # nobody may run it
    program.chmod(0o755)
    assert kernels_tc() == str(program)
