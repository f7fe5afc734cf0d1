# SPDX-License-Identifier: MIT
from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from hybridnet.system.incidents import Incidents
from hybridnet.system.process_watch import LOOK_SECONDS, ProcessWatch

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
