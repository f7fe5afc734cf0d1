# SPDX-License-Identifier: MIT
"""Which controller a script gets, and at which port."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from hybridnet.controllers import kinds
from hybridnet.mininet.controllers import (
    Controller,
    DefaultController,
    OVSController,
    RemoteController,
    findController,
    give_ports,
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, program: str) -> None:
    (folder / program).write_text("#!/bin/sh\n")
    (folder / program).chmod(0o755)


def test_where_no_controller_is_installed_there_is_none_and_the_default_is_ours(installed: Path) -> None:
    assert findController() is None
    made = DefaultController("c0")
    assert type(made) is Controller
    assert "hybridnet's own" in made.behind().what()


def test_ours_is_the_one_that_heeds_loops_where_there_are_some(installed: Path) -> None:
    behind = DefaultController("c0").behind()
    assert "ecmp_switch" in behind.suit(("s1", "s2", "s3"))
    assert "Ryu" in behind.what()
    assert behind.suit(()) == ""
    assert "hybridnet's own" in behind.what()


def test_the_controller_that_is_installed_is_taken(installed: Path) -> None:
    install(installed, "ovs-testcontroller")
    assert findController() is OVSController
    assert isinstance(DefaultController("c0"), OVSController)
    install(installed, "controller")
    assert findController() is Controller


def test_controllers_get_the_usual_port_and_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        first: int = taken.getsockname()[1]
        monkeypatch.setattr("hybridnet.mininet.controllers.USUAL_PORT", first)
        remote = RemoteController("c3")
        some = [Controller("c0"), Controller("c1", port=first + 1), Controller("c2"), remote]
        give_ports(some)
    ports = [each.port for each in some]
    assert ports[1] == first + 1
    assert ports[0] is not None
    assert ports[2] is not None
    assert first < ports[0] < ports[2]
    assert ports[0] != first + 1
    assert remote.port is None  # whichever of the two usual ones answers


def test_a_controller_that_a_class_of_the_scripts_starts_is_not_started_twice() -> None:
    class Own(Controller):
        def start(self) -> None:
            self.cmd("true")

    own: Any = Own("c0")
    own.port = 6653
    behind = own.behind()
    assert not isinstance(behind, kinds.Ryu)
    assert behind.target("127.0.0.1") == "tcp:127.0.0.1:6653"
