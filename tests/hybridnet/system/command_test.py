# SPDX-License-Identifier: MIT
"""What is said of a command that fails, does not end, or is not there."""

from __future__ import annotations

import sys

import pytest

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system import command
from hybridnet.system.command import PACKAGES, ip_batch, lacking, run


def test_what_a_command_printed_is_returned() -> None:
    assert run(["cat"], input="text\n") == "text\n"


def test_a_failure_has_the_commands_first_words_and_without_any_its_status() -> None:
    with pytest.raises(MachineError, match=r"^`sh -c .*` failed: line 1 / line 2 / .* / line 6$"):
        run(["sh", "-c", "seq --format='line %g' 9 >&2; exit 1"])
    with pytest.raises(MachineError, match=r"failed: to standard output$"):
        run(["sh", "-c", "echo to standard output; exit 1"])
    with pytest.raises(MachineError, match=r"^`sh -c exit 7` failed: exit status 7$"):
        run(["sh", "-c", "exit 7"])


def test_a_long_command_line_is_cut() -> None:
    with pytest.raises(MachineError) as raised:
        run(["false", "x" * 300])
    assert str(raised.value) == f"`false {'x' * 194} …` failed: exit status 1"


def test_a_command_that_does_not_end_is_given_up() -> None:
    with pytest.raises(MachineError, match=r"^`sleep 60` did not end within 0\.05 s"):
        run(["sleep", "60"], timeout=0.05)


def test_a_command_gets_all_its_input_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte is more than a pipe holds, and Python takes longer than this to begin to read."""
    monkeypatch.setattr(command, "LOOK_S", 0.005)
    counting = [sys.executable, "-c", "import sys; print(len(sys.stdin.read()))"]
    assert run(counting, input="x" * 1_000_000, timeout=20.0) == "1000000\n"


def test_a_command_that_reads_nothing_of_its_input_ends() -> None:
    assert run(["true"], input="x" * 1_000_000) == ""


def test_a_command_that_is_not_there_has_the_package_as_its_cure() -> None:
    with pytest.raises(EnvironmentLackError, match=r"^the command no-such-command is not there; install it$"):
        run(["no-such-command"])
    assert str(lacking("ip")) == f"the command ip is not there; apt-get install {PACKAGES['ip']}"


def test_the_line_of_a_batch_that_failed_is_quoted() -> None:
    ip_batch([])  # nothing to do
    with pytest.raises(MachineError, match=r"\(line 2: ip link show dev no-such-device\)$"):
        ip_batch(["link show dev lo", "link show dev no-such-device"])
