# SPDX-License-Identifier: MIT
"""The kernel's grace periods hurry only while something is made or removed, and somebody else's choice stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.system.grace_periods import hurried_grace_periods
from hybridnet.system.journal import Journal, read_entries


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    return Journal.create()


def settings(journal: Journal) -> list[str]:
    return [entry["path"] for entry in read_entries(journal.directory) if entry["kind"] == "setting"]


def test_the_setting_is_on_meanwhile_and_journaled_and_off_afterwards(
    journal: Journal, tmp_path: Path
) -> None:
    setting = tmp_path / "rcu_expedited"
    setting.write_text("0\n")
    with hurried_grace_periods(journal, setting):
        assert (setting.read_text(), settings(journal)) == ("1", [str(setting)])
    assert (setting.read_text(), settings(journal)) == ("0", [])


def test_it_is_off_again_after_an_error(journal: Journal, tmp_path: Path) -> None:
    setting = tmp_path / "rcu_expedited"
    setting.write_text("0\n")
    with pytest.raises(KeyError), hurried_grace_periods(journal, setting):
        raise KeyError
    assert (setting.read_text(), settings(journal)) == ("0", [])


def test_where_somebody_else_has_it_on_it_stays_on(journal: Journal, tmp_path: Path) -> None:
    setting = tmp_path / "rcu_expedited"
    setting.write_text("1\n")
    with hurried_grace_periods(journal, setting):
        assert settings(journal) == []
    assert setting.read_text() == "1\n"


def test_where_there_is_no_such_setting_nothing_hurries(journal: Journal, tmp_path: Path) -> None:
    with hurried_grace_periods(journal, tmp_path / "none"):
        assert settings(journal) == []
