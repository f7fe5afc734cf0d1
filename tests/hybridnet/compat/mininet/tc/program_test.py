# SPDX-License-Identifier: MIT
"""The program `tc` (tc.cc) between a script's process and the kernel's tc: who answers."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hybridnet.compat.mininet.loading.importing import PROGRAMS
from hybridnet.compat.mininet.tc.kernel import kernels_tc
from hybridnet.compat.mininet.tc.server import ANYWAY, PASS, SOCKET, Answer

SHOW = ["qdisc", "show", "dev", "lo"]
"""The kernel has no queue there."""
ADD = ["qdisc", "add", "dev", "none-such", "root", "netem", "delay", "1ms"]

pytestmark = pytest.mark.skipif(kernels_tc() is None, reason="tc is not installed; apt-get install iproute2")


@contextmanager
def run_of(state: Path, name: str, *answers: bytes) -> Iterator[list[list[str]]]:
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
                    asked.append(asking.read().decode().split("\0")[:-1])
                    connection.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        yield asked
        serving.join(10)
        assert not serving.is_alive(), "not every answer was asked for"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    return tmp_path


def tc(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAMS / "tc", *words], capture_output=True, text=True, check=False)


def kernels(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(kernels_tc()), *words], capture_output=True, text=True, check=False)


def test_the_script_answers_with_words_complaints_and_a_status(state: Path) -> None:
    with run_of(state, "r1", bytes(Answer("shown\n", "complaint\n", 2))) as asked:
        done = tc(SHOW)
    assert asked == [SHOW]
    assert (done.returncode, done.stdout, done.stderr) == (2, "shown\n", "complaint\n")


def test_of_several_runs_the_one_answers_that_has_the_device(state: Path) -> None:
    for name in ("a", "b", "without"):
        (state / name).mkdir()
    first, second = (name for name in os.listdir(state) if name != "without")
    with run_of(state, first, PASS) as other, run_of(state, second, bytes(Answer("mine\n"))):
        done = tc(SHOW)
    assert other == [SHOW]
    assert (done.returncode, done.stdout) == (0, "mine\n")


def test_what_the_kernel_has_nothing_of_is_shown_as_the_script_says(state: Path) -> None:
    with run_of(state, "r1", bytes(Answer("qdisc netem\n", kernel="own"))):
        done = tc(SHOW)
    assert kernels(SHOW).stdout.startswith("qdisc noqueue")
    assert done.stdout == "qdisc netem\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a device a queue")
def test_a_queue_that_the_kernel_has_is_shown_by_the_kernel(state: Path) -> None:
    """In a network namespace of its own, whose lo gets a queue."""
    enter = ["unshare", "--net", "sh", "-c"]
    with run_of(state, "r1", bytes(Answer("qdisc netem\n", kernel="own"))):
        words = (
            f"{kernels_tc()} qdisc add dev lo root pfifo limit 7 && exec {PROGRAMS / 'tc'} {' '.join(SHOW)}"
        )
        done = subprocess.run([*enter, words], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("qdisc pfifo ")
    assert "limit 7p" in done.stdout


def test_a_change_that_the_kernel_cannot_make_is_the_scripts(state: Path) -> None:
    with run_of(state, "r1", bytes(Answer(kernel="does")), bytes(Answer("done\n"))) as asked:
        done = tc(ADD)
    assert asked == [ADD, [ANYWAY, *ADD]]
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_a_change_that_neither_makes_ends_with_the_kernels_words(state: Path) -> None:
    with run_of(state, "r1", bytes(Answer(kernel="does")), PASS):
        done = tc(ADD)
    own = kernels(ADD)
    assert (done.returncode, done.stderr) == (own.returncode, own.stderr)
    assert "Cannot find device" in own.stderr


@pytest.mark.parametrize(
    "answer",
    [PASS, b"", b"no status\n", b"0 - 100\nshort"],
    ids=["not its device", "it ends", "no answer", "a part of one"],
)
def test_what_no_script_answers_is_all_the_kernels(state: Path, answer: bytes) -> None:
    with run_of(state, "r1", answer):
        done = tc(SHOW)
    own = kernels(SHOW)
    assert (done.returncode, done.stdout) == (own.returncode, own.stdout)


def test_each_line_of_a_batch_is_asked_for_and_the_first_that_fails_ends_it(
    state: Path, tmp_path: Path
) -> None:
    batch = tmp_path / "batch"
    batch.write_text(
        f"# two links\n\n{' '.join(ADD)}\nqdisc show \\\n dev lo # shown\n" + f"{' '.join(ADD)}\n" * 2
    )
    answers = [bytes(Answer("added\n")), bytes(Answer("shown\n")), bytes(Answer(err="no\n", status=2))]
    with run_of(state, "r1", *answers) as asked:
        done = tc(["-s", "-b", str(batch)])
    assert asked == [["-s", *words] for words in (ADD, SHOW, ADD)]
    assert (done.returncode, done.stdout) == (1, "added\nshown\n")
    assert done.stderr == f"no\nCommand failed {batch}:6\n"
    with run_of(state, "r2", *answers, answers[0]):
        done = tc(["-force", "-batch", str(batch)])
    assert (done.returncode, done.stdout) == (1, "added\nshown\nadded\n")


def test_a_queue_that_neither_the_kernel_nor_the_simulator_has_is_refused_with_the_reason(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "folder" / "tc"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho Error: Specified qdisc kind is unknown. >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setenv("HYBRIDNET_PATH", str(program.parent))
    for kind, answers in (("netem", [bytes(Answer(kernel="does")), PASS]), ("prio", [PASS])):
        with run_of(state, kind, *answers):
            done = tc(["qdisc", "add", "dev", "lo", "parent", "1:3", kind])
        assert done.returncode == 2
        unknown, why = done.stderr.splitlines()
        assert unknown == "Error: Specified qdisc kind is unknown."
        assert why.startswith(
            "hybridnet: this kernel has no such queueing discipline, and the simulator has only"
        )


def test_words_of_no_device_are_the_kernels_without_a_question(state: Path) -> None:
    with run_of(state, "r1"):
        done = tc(["-V"])
    assert done.stdout == kernels(["-V"]).stdout


def test_a_computer_without_runs_has_the_kernels(state: Path) -> None:
    state.rmdir()
    assert tc(SHOW).stdout == kernels(SHOW).stdout


def test_the_program_is_sought_where_the_script_would_have_found_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "tc"
    program.write_text("#!/bin/sh\necho mine $*\n")
    monkeypatch.setenv("HYBRIDNET_PATH", os.pathsep.join([str(tmp_path / "none"), str(tmp_path)]))
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "none"))
    assert kernels_tc() != str(program)  # nobody may run it
    program.chmod(0o755)
    assert kernels_tc() == str(program)
    assert tc(["qdisc"]).stdout == "mine qdisc\n"
