# SPDX-License-Identifier: MIT
"""Daemons on which somebody relies: their ends, their stops, and their silence, with real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.errors import MachineError
from hybridnet.system.command import run
from hybridnet.system.daemon import IDLE_S, LOOK_S, STOPPED_S, Daemon, Vigil, how_ended
from hybridnet.system.interruption import Interruption, heed

# Answers as Open vSwitch's daemons do, after so many seconds.
ANSWERING = """
import json, socket, sys, time
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
print("ready", flush=True)
while True:
    connection, _ = listening.accept()
    connection.recv(4096)
    time.sleep(float(sys.argv[2]))
    connection.sendall(json.dumps({"id": 0, "result": "1.0", "error": None}).encode())
"""


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    made: list[subprocess.Popen[bytes]] = []
    yield made
    for process in made:
        process.kill()
        process.wait()


def answering(processes: list[subprocess.Popen[bytes]], path: Path, after_s: float) -> Daemon:
    argv = [sys.executable, "-c", ANSWERING, str(path), str(after_s)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE)
    processes.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.stdout.close()
    return Daemon("adaemon", process.pid, control=path, status=process.poll)


def watched(daemon: Daemon, seconds: float) -> float:
    """For how long whoever waits for it does so; raises as the vigil."""
    vigil, began = Vigil([daemon]), time.monotonic()
    try:
        while time.monotonic() < began + seconds:
            time.sleep(LOOK_S)
            vigil.look()
    finally:
        vigil.close()
    return time.monotonic() - began


def test_one_that_answers_is_waited_for(processes: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    watched(answering(processes, tmp_path / "control", 0.0), 2.0)


def test_one_that_answers_late_is_waited_for(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    watched(answering(processes, tmp_path / "control", 2.0), 4.5)


def test_one_that_sleeps_and_does_not_answer_is_given_up(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    daemon = answering(processes, tmp_path / "control", 3600.0)
    began = time.monotonic()
    with pytest.raises(
        MachineError, match=r"adaemon \(process \d+\) has not answered for 5 s and does nothing"
    ):
        watched(daemon, 60.0)
    assert IDLE_S <= time.monotonic() - began < 4 * IDLE_S


def test_one_that_is_stopped_is_given_up(processes: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    daemon = answering(processes, tmp_path / "control", 0.0)
    os.kill(daemon.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(MachineError, match=r"adaemon \(process \d+\) is stopped"):
        watched(daemon, 60.0)
    assert STOPPED_S <= time.monotonic() - began < 4 * STOPPED_S
    assert daemon.alive
    assert daemon.stopped


def test_a_command_ends_with_the_daemon_on_which_it_relies(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text("2026|00001|vlog|INFO|opened\n2026|00002|x|EMER|out of memory\n")
    process = subprocess.Popen(["sleep", "60"])
    processes.append(process)
    daemon = Daemon("adaemon", process.pid, [log], status=process.poll)
    threading.Timer(0.3, process.kill).start()
    began = time.monotonic()
    with pytest.raises(MachineError) as failed:
        run(["sleep", "59"], relying_on=[daemon])
    assert time.monotonic() - began < 5
    said = "adaemon was killed by signal 9; the end of its log: 2026|00002|x|EMER|out of memory"
    assert str(failed.value) == said


def test_one_that_is_no_child_is_watched_as_well(processes: list[subprocess.Popen[bytes]]) -> None:
    process = subprocess.Popen(["sleep", "60"])
    processes.append(process)
    daemon = Daemon("adaemon", process.pid)
    assert daemon.alive
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert daemon.ended() == "adaemon has ended"


def test_an_interruption_ends_the_command_of_the_thread_that_heeds_it(tmp_path: Path) -> None:
    interruption, raised = Interruption(), []

    def build() -> None:
        with interruption.heeded():
            try:
                run(["sleep", "58"])
            except MachineError as error:
                raised.append(str(error))
        assert run(["echo", "removed"]) == "removed\n"  # what removes is not interrupted
        raised.append("removed")

    building = threading.Thread(target=build)
    building.start()
    began = time.monotonic()
    interruption.ask()
    building.join(10)
    assert time.monotonic() - began < 2
    assert raised == ["interrupted: the network is being removed", "removed"]
    heed()  # another thread is not concerned


def test_an_end_is_told_in_words() -> None:
    assert how_ended(-9) == "was killed by signal 9"
    assert how_ended(3) == "ended with status 3"


def test_the_question_is_one_that_open_vswitch_understands(tmp_path: Path) -> None:
    """ovs-appctl(8): JSON-RPC 1.0, the command's name as the method, its arguments as parameters."""
    path = tmp_path / "control"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        vigil = Vigil([Daemon("ourselves", os.getpid(), control=path)])
        vigil.look()
        connection, _ = listening.accept()
        with connection:
            assert json.loads(connection.recv(4096)) == {"id": 0, "method": "version", "params": []}
        vigil.close()
