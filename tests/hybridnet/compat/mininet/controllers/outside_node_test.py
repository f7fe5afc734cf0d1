# SPDX-License-Identifier: MIT
"""A controller's commands run on this computer, in one shell."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.compat.mininet.controllers.outside_node import OutsideNode


@pytest.fixture
def node() -> Iterator[OutsideNode]:
    made = OutsideNode("c0")
    yield made
    made.close_shell()


def test_its_shell_keeps_its_folder_and_its_variables(node: OutsideNode, tmp_path: Path) -> None:
    assert node.cmd(f"cd {tmp_path}; number=7; printf %s", "$((number))") == "7"
    assert node.cmd("pwd") == f"{tmp_path}\r\n"


def test_a_program_in_the_background_holds_no_command_up_and_is_killed_by_its_name(node: OutsideNode) -> None:
    began = time.monotonic()
    node.cmd("/bin/sleep 100 &")
    assert node.lastPid is not None
    running = Path(f"/proc/{node.lastPid}")
    assert running.exists()
    node.cmd("kill %/bin/sleep; wait")
    assert not running.exists()
    assert time.monotonic() - began < 50


def test_closing_its_shell_ends_what_runs_there(node: OutsideNode) -> None:
    program = int(node.cmd("sleep 100 &").split()[1])
    node.close_shell()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _runs(program):
        time.sleep(0.01)
    assert not _runs(program)


def test_what_a_command_prints_comes_while_it_runs(node: OutsideNode) -> None:
    node.sendCmd("echo first; read answer < <(sleep 0.3; echo second); echo $answer")
    assert node.waiting
    assert node.monitor(timeoutms=10_000) == "first\r\n"
    assert node.waitOutput() == "second\r\n"
    assert not node.waiting


def test_a_program_beside_the_shell_gives_what_subprocess_gives(node: OutsideNode) -> None:
    out, err = node.popen("echo", "two  words").communicate()
    assert (out, err) == (b"two  words\n", b"")
    assert node.popen("echo $((6 * 7))", shell=True, stderr=subprocess.STDOUT).communicate()[0] == b"42\n"
    assert node.pexec("sh -c false") == ("", "", 1)


def test_it_has_no_interfaces_unless_it_is_linked(node: OutsideNode) -> None:
    assert node.intfList() == node.intfNames() == []
    assert node.defaultIntf() is None
    assert str(node) == "c0"


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
