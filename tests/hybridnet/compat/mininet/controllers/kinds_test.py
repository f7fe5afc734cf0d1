# SPDX-License-Identifier: MIT
"""Which controller a script gets, and at which port."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridnet.compat.mininet.controllers.kinds import (
    Controller,
    DefaultController,
    OVSController,
    RemoteController,
    findController,
)
from hybridnet.errors import ControllerError
from hybridnet.run.controllers import kinds


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, program: str) -> None:
    (folder / program).write_text("#!/bin/sh\n")
    (folder / program).chmod(0o755)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


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
        monkeypatch.setattr("hybridnet.compat.mininet.controllers.kinds.USUAL_PORT", first)
        remote = RemoteController("c3")
        some = [Controller("c0"), Controller("c1", port=first + 1), Controller("c2"), remote]
        for each in some:
            each.choose_port(some)
    ports = [each.port for each in some]
    assert ports[1] == first + 1
    assert ports[0] is not None
    assert ports[2] is not None
    assert first < ports[0] < ports[2]
    assert ports[0] != first + 1
    assert remote.port is None  # whichever of the two usual ones answers


def test_an_address_may_come_with_its_port() -> None:
    for made in (RemoteController("c0", ip="10.1.2.3:6655"), Controller("c0", ip="10.1.2.3:6655")):
        assert (made.ip, made.port) == ("10.1.2.3", 6655)


def test_a_shell_reads_the_program_that_a_script_names_and_its_log_is_where_mininet_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hybridnet.compat.mininet.controllers.kinds.LOGS", str(tmp_path))
    port = free_port()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "own.py").write_text(
        "import os, socket, sys\n"
        "print(os.environ['MODE'], os.getcwd(), flush=True)\n"
        "socket.create_server(('127.0.0.1', int(sys.argv[1]))).accept()\n"
    )
    behind = Controller(
        "c0", command=f"MODE=quiet {sys.executable} own.py", cargs="%s", cdir=f"{tmp_path}/sub", port=port
    ).behind()
    behind.begin("127.0.0.1")
    behind.ready()
    behind.end()
    assert (tmp_path / "c0.log").read_text() == f"quiet {tmp_path}/sub\n"


def test_a_network_goes_on_without_a_controller_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hybridnet.compat.mininet.controllers.kinds.LOGS", str(tmp_path))
    behind = Controller(f"c{free_port()}", command="ls /no-such-file #", port=free_port()).behind()
    behind.begin("127.0.0.1")
    behind.ready()
    behind.check()
    behind.end()
    assert "switches go on without it" in capsys.readouterr().err
    absent = Controller("c1", command="no-such-program", port=free_port()).behind()
    absent.begin("127.0.0.1")
    with pytest.raises(ControllerError, match="there is no such program"):
        absent.ready()
    absent.end()


def test_what_a_controller_has_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridnet.compat.mininet.controllers.kinds.LOGS", str(tmp_path))
    port = free_port()
    listen = f"import socket; socket.create_server(('127.0.0.1', {port})).accept()"
    behind = Controller("c0", command=f'{sys.executable} -c "{listen}" & wait #', port=port).behind()
    behind.begin("127.0.0.1")
    behind.ready()
    behind.end()
    socket.create_server(("127.0.0.1", port)).close()  # nobody is there any more


def test_a_controller_that_a_class_of_the_scripts_starts_is_not_started_twice() -> None:
    class Own(Controller):
        def start(self) -> None:
            self.cmd("true")

    own: Any = Own("c0")
    own.port = 6653
    behind = own.behind()
    assert not isinstance(behind, kinds.Ryu)
    assert behind.target("127.0.0.1") == "tcp:127.0.0.1:6653"
