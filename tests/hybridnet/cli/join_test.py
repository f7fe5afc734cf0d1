# SPDX-License-Identifier: MIT
"""`hybridnet ticket` and `hybridnet join`, as far as no network is needed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hybridnet.cli.main import main


def offered(state: Path, run: str, guest: str) -> None:
    folder = state / run / "tickets"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{guest}.json").write_text(f"ticket of {guest} in {run}\n")


def test_the_only_ticket_needs_no_name_and_of_several_one_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    assert main(["ticket"]) == 2
    assert "there is no guest; the guests here are: none" in capsys.readouterr().err
    offered(tmp_path, "run1", "laptop")
    assert main(["ticket"]) == 0
    assert capsys.readouterr().out == "ticket of laptop in run1\n"
    offered(tmp_path, "run1", "phone")
    offered(tmp_path, "run2", "laptop")
    assert main(["ticket", "laptop"]) == 2
    assert "laptop of run run1, phone of run run1, laptop of run run2" in capsys.readouterr().err
    assert main(["ticket", "laptop", "--run", "run2"]) == 0
    assert main(["ticket", "phone"]) == 0
    assert capsys.readouterr().out == "ticket of laptop in run2\nticket of phone in run1\n"


def test_who_may_not_see_what_root_runs_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    monkeypatch.setattr("hybridnet.system.journal.root_runs_something", lambda: True)
    assert main(["ticket"]) == 3
    assert "the networks that run here belong to root; run with sudo" in capsys.readouterr().err


def test_without_a_ticket_that_makes_sense_nobody_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["join", "192.0.2.1", "--ticket", str(tmp_path / "none")]) == 2
    assert "join: the ticket cannot be read" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("secret"))
    assert main(["join", "192.0.2.1"]) == 2
    said = capsys.readouterr().err
    assert "ticket: this is not one" in said
    assert "secret" not in said
