# SPDX-License-Identifier: MIT
from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from hybridnet.agent.machine import vswitch_watch
from hybridnet.agent.machine.vswitch_watch import VSwitchWatch

SILENT_S = 0.05


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VSwitchWatch]:
    """A watch of two daemons that take connections and have not answered the watch's question for `SILENT_S`."""
    monkeypatch.setattr(vswitch_watch, "SILENT_SECONDS", SILENT_S)
    with ExitStack() as listening:
        for name in ("control", "database"):
            daemon = listening.enter_context(socket.socket(socket.AF_UNIX))
            daemon.bind(str(tmp_path / name))
            daemon.listen()
        with closing(VSwitchWatch(tmp_path / "control", tmp_path / "database")) as watch:
            watch.ask()
            assert watch.silent({}) == {}
            time.sleep(2 * SILENT_S)
            yield watch


def test_a_daemon_that_does_not_answer_is_silent_since_it_was_asked(silent: VSwitchWatch):
    found = silent.silent({})
    assert set(found) == {"ovsdb-server", "ovs-vswitchd"}
    assert all(time.monotonic_ns() - since_ns >= 2 * SILENT_S * 1e9 for since_ns in found.values())


def test_one_that_cannot_answer_for_a_reason_that_is_known_is_not(silent: VSwitchWatch):
    assert set(silent.silent({"ovs-vswitchd": None})) == {"ovsdb-server"}


def test_one_that_could_not_has_its_time_to_answer_afterwards(silent: VSwitchWatch):
    until_ns = time.monotonic_ns()
    excused = {"ovs-vswitchd": until_ns, "ovsdb-server": until_ns}
    assert silent.silent(excused) == {}
    time.sleep(2 * SILENT_S)
    assert silent.silent(excused) == dict.fromkeys(excused, until_ns)
