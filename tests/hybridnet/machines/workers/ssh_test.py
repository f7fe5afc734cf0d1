# SPDX-License-Identifier: MIT
from __future__ import annotations

import shutil

import pytest

from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.machines.workers.ssh import SshMachine


@pytest.fixture(autouse=True)
def ssh_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda command: f"/usr/bin/{command}")


def test_options_come_before_the_target_and_the_command_last() -> None:
    argv = SshMachine("me@there", port=2222, identity="/k", options=("-o", "A=b")).command("true")
    assert argv[-3:] == ["--", "me@there", "true"]
    for pair in (["-p", "2222"], ["-i", "/k"], ["-o", "A=b"]):
        assert any(argv[at : at + 2] == pair for at in range(len(argv) - 3))


def test_the_start_names_the_run_and_becomes_root() -> None:
    remote = SshMachine("me@there", python="/opt/my env/python").start_command("run-1", "m1")[-1]
    assert '"HYBRIDNET_RUN=run-1" "HYBRIDNET_MACHINE=m1"' in remote
    assert "sudo -n env" in remote
    assert remote.startswith("python='/opt/my env/python'; ")
    assert '"$python" -m hybridnet.machines.workers.init' in remote


def test_cleaning_there_names_only_the_run_and_its_state() -> None:
    remote = SshMachine("there", state="/var/hn").clean_command("run-1")[-1]
    assert "HYBRIDNET_STATE_DIR=/var/hn" in remote
    assert "-m hybridnet.system.cleaning run-1;" in remote
    of_machine = SshMachine("there", state="/var/hn").clean_command("run-1", "m1")[-1]
    assert "-m hybridnet.system.cleaning run-1 m1;" in of_machine


@pytest.mark.parametrize("target", ["", "-oProxyCommand=x", "a b"])
def test_a_target_that_is_no_host_is_refused(target: str) -> None:
    with pytest.raises(UsageError, match="user@host"):
        SshMachine(target)


def test_without_ssh_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda command: None)
    with pytest.raises(EnvironmentLackError, match="openssh-client"):
        SshMachine("there").command("true")
