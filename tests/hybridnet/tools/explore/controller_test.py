# SPDX-License-Identifier: MIT
"""A controller that has ended, and a computer that lets none begin."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest

from hybridnet.errors import ControllerError, MachineError
from hybridnet.run.controllers.frameworks import RYU
from hybridnet.tools.explore.controller import ControllerFactory, SteppedController

NO_MORE = """#!{python}
import socket, sys
control = socket.socket(fileno=int(sys.argv[2]))
control.send(b"ready")
control.recv(4096)
sys.exit("BlockingIOError: [Errno 11] Resource temporarily unavailable")
"""


def test_one_that_has_ended_says_so_at_the_next_step_and_nobody_else_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append(pid))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    controller = SteppedController(ours, tempfile.TemporaryFile(), "controller app.py", RYU)  # noqa: SIM115
    controller.pid = os.getpid()  # by now the number of somebody else
    theirs.close()
    controller.connect()
    with pytest.raises(ControllerError, match=r"^controller app\.py ended"):
        controller.step(0)
    controller.end()
    assert killed == []
    assert controller.memory() == 0


def test_a_computer_that_lets_no_controller_begin_is_no_mistake_of_the_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text(NO_MORE.format(python=sys.executable))
    python.chmod(0o755)
    monkeypatch.setenv(RYU.variable, str(python))
    app = tmp_path / "app.py"
    app.touch()
    with ControllerFactory([app]) as factory:
        for said in ("Resource temporarily unavailable", "ulimit -u"):
            with pytest.raises(MachineError, match=said):
                factory.make(1)
