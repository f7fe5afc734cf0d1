# SPDX-License-Identifier: MIT
"""hybridnet calibrate --show: what is known of this computer, without measuring."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from hybridnet.agent.machine.facts import facts
from hybridnet.cli.main import main
from hybridnet.tools.forecast.cost_files import costs_file, facts_of, keep_costs
from tests.hybridnet.tools.forecast.support import costs

NAME = socket.gethostname()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_the_costs_of_this_computer_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    kept = costs(NAME, facts=facts_of(facts()), idle_cores=0.25, quick=True)
    keep_costs(kept)
    assert main(["calibrate", "--show"]) == 0
    said = capsys.readouterr().out
    assert f"{NAME}: measured {kept.measured_at}, quickly; {costs_file(NAME)}\n" in said
    assert "a network without traffic keeps 0.25 processors busy\n" in said


def test_as_json_they_are_what_the_file_has(capsys: pytest.CaptureFixture[str]) -> None:
    keep_costs(costs(NAME, facts=facts_of(facts())))
    assert main(["calibrate", "--show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [json.loads(costs_file(NAME).read_text())]


def test_a_computer_that_was_never_measured_is_told_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--show"]) == 2
    assert "hybridnet calibrate" in capsys.readouterr().err
