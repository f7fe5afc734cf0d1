# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hybridnet.system.incidents import Incidents
from hybridnet.system.process_watch import LOOK_SECONDS, STOOD_STILL_SECONDS, Part, ProcessWatch
from tests.system.daemons_harmed import can_freeze, frozen

PATIENCE_S = 20.0


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def until(holds: Callable[[], Any]) -> Any:
    """What `holds` returns once it is true, which it is within moments."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.01)
    return found


def test_the_end_of_a_process_is_noted_with_how_it_ended(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch:
        watch.watch("ovsdb-server", sleeper.pid)
        sleeper.kill()
        [row] = until(incidents.open)
    assert (row["part"], row["how"]) == ("ovsdb-server", "was killed by SIGKILL")
    assert sleeper.wait() == -signal.SIGKILL  # its parent can still wait for it


def test_a_stop_is_noted_from_its_beginning_to_its_end(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch:
        watch.watch("ovs-vswitchd", sleeper.pid)
        sleeper.send_signal(signal.SIGSTOP)
        [row] = until(incidents.open)
        assert row["how"].startswith("was stopped")
        sleeper.send_signal(signal.SIGCONT)
        until(lambda: not incidents.open())


def test_a_stop_of_three_looks_is_never_missed(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch:
        watch.watch("ovs-vswitchd", sleeper.pid)
        for _ in range(5):
            sleeper.send_signal(signal.SIGSTOP)
            time.sleep(3 * LOOK_SECONDS)
            sleeper.send_signal(signal.SIGCONT)
            until(lambda: not incidents.open())
    assert len(incidents.rows()) == 5


def test_an_end_that_is_wanted_or_forgotten_is_no_incident(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch, subprocess.Popen(["sleep", "60"]) as other:
        watch.watch("the guardian", sleeper.pid)
        watch.watch("controller c0", other.pid, lambda: False)
        watch.forget("the guardian")
        sleeper.kill()
        other.kill()
        other.wait()
        with subprocess.Popen(["sleep", "60"]) as last:
            watch.watch("ovsdb-server", last.pid)
            last.kill()
            until(incidents.open)
    assert [row["part"] for row in incidents.rows()] == ["ovsdb-server"]


def test_a_process_that_is_gone_already_is_an_incident():
    with subprocess.Popen(["true"]) as process:
        process.wait()
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch:
        watch.watch("ovs-vswitchd", process.pid)
    assert [row["how"] for row in incidents.rows()] == ["has ended"]


def test_an_end_is_seen_by_who_looks_at_once(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch:
        watch.watch("controller c0", sleeper.pid)
        sleeper.kill()
        os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
        watch.look()
        assert [row["how"] for row in incidents.rows()] == ["was killed by SIGKILL"]


@pytest.mark.skipif(not can_freeze(), reason="needs control groups of version 2, and root")
def test_a_process_that_its_control_group_freezes_is_stopped(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch:
        watch.watch("the guardian", sleeper.pid)
        with frozen(sleeper.pid):
            [row] = until(incidents.open)
            assert row["how"] == "was frozen by its control group"
        until(lambda: not incidents.open())


def test_what_is_expected_is_watched_and_nothing_else(sleeper: subprocess.Popen[bytes]):
    incidents = Incidents()
    with closing(ProcessWatch(incidents)) as watch, subprocess.Popen(["sleep", "60"]) as other:
        watch.expect({"a": Part(sleeper.pid), "b": Part(other.pid)})
        other.kill()
        [row] = until(incidents.open)
        watch.expect({"a": Part(sleeper.pid), "b": Part(other.pid)})  # its end is not told twice
        watch.expect({"b": Part(other.pid)})
        sleeper.kill()
        sleeper.wait()
        watch.look()
    assert row["part"] == "b"
    assert len(incidents.rows()) == 1


WATCHER = """
import json, sys, time
from hybridnet.system.incidents import Incidents
from hybridnet.system.process_watch import ProcessWatch

incidents = Incidents()
watch = ProcessWatch(incidents, "the script")
watch.watch("its parent", int(sys.argv[1]))
print("watching", flush=True)
exec(sys.stdin.read())
time.sleep(0.3)  # three looks
watch.close()
print(json.dumps(incidents.rows()))
"""
# One instruction that works for so long, in which no other thread of Python gets its turn.
COMPUTES = f"""
began = time.process_time()
sum(range(10_000_000))
sum(range(int(10_000_000 * {1.5 * STOOD_STILL_SECONDS} / (time.process_time() - began))))
"""


@contextlib.contextmanager
def watcher() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WATCHER, str(os.getpid())]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "watching\n"
        yield process
        process.kill()


def test_who_watches_notices_that_he_was_stopped_himself():
    stopped_s = STOOD_STILL_SECONDS + 0.5
    with watcher() as process:
        process.send_signal(signal.SIGSTOP)
        time.sleep(stopped_s)
        process.send_signal(signal.SIGCONT)
        [row] = json.loads(process.communicate("")[0])
    assert (row["part"], row["how"]) == ("the script", "stood still")
    assert (row["to_ns"] - row["from_ns"]) / 1e9 >= stopped_s - LOOK_SECONDS


def test_a_script_that_computes_does_not_stand_still():
    with watcher() as process:
        assert json.loads(process.communicate(COMPUTES)[0]) == []
