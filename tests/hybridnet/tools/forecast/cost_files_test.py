# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import pwd
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.tools.forecast.cost_files import (
    MOST_AGE_DAYS,
    costs_file,
    facts_of,
    keep_costs,
    read_costs,
    stale_because,
)
from tests.hybridnet.tools.forecast.support import FACTS, costs


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def test_costs_are_read_as_they_were_kept(state: Path) -> None:
    path = keep_costs(costs("one"))
    assert path == state / "hybridnet" / "costs" / "one.json"
    assert read_costs("one", FACTS).elements == costs().elements
    keep_costs(costs("one", quick=True))  # in place of the first
    assert read_costs("one", FACTS).quick
    assert [each.name for each in path.parent.iterdir()] == ["one.json"]


def test_a_computer_that_was_never_measured_has_a_cure() -> None:
    with pytest.raises(
        UsageError, match="what things cost on other is not known; run `sudo hybridnet calibrate`"
    ):
        read_costs("other", FACTS)


def test_a_damaged_file_has_a_cure() -> None:
    keep_costs(costs("one")).write_text("{")
    with pytest.raises(UsageError, match=r"one\.json: it cannot be read.*calibrate"):
        read_costs("one", FACTS)


@pytest.mark.parametrize("fact", sorted(FACTS))
def test_another_fact_makes_costs_stale(fact: str) -> None:
    keep_costs(costs("one"))
    with pytest.raises(UsageError, match=f"the costs of one are stale: {fact} was .* and is 'other'"):
        read_costs("one", {**FACTS, fact: "'other'"})


def test_costs_hold_for_a_while() -> None:
    known = costs()
    measured = datetime.fromisoformat(known.measured_at)
    assert stale_because(known, FACTS, measured + timedelta(days=MOST_AGE_DAYS - 1)) is None
    assert "they were measured 90 days ago" in str(
        stale_because(known, FACTS, measured + timedelta(days=MOST_AGE_DAYS))
    )
    assert stale_because(replace(known, measured_at="soon"), FACTS) == "'soon' is not a time"


def test_of_a_computer_that_cannot_be_asked_the_version_counts() -> None:
    from hybridnet import __version__

    assert stale_because(costs(facts={**FACTS, "hybridnet": __version__}), None) is None
    assert stale_because(costs(), None) == f"hybridnet was 1 and is {__version__}"


def test_of_the_processors_their_number_counts() -> None:
    assert facts_of({**FACTS, "cpus": [4, 5, 6], "load": 3.0}) == {**FACTS, "cpus": 3}


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x"])
def test_a_name_that_is_no_host_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not a host name"):
        costs_file(name)


def test_without_a_folder_of_its_own_state_is_in_the_users_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("SUDO_UID", raising=False)
    home = Path(pwd.getpwuid(os.geteuid()).pw_dir)
    assert costs_file("one") == home / ".local/state/hybridnet/costs/one.json"


@pytest.mark.skipif(os.geteuid() != 0, reason="sudo is of root")
def test_behind_sudo_costs_belong_to_who_asked(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = pwd.getpwnam("nobody")
    monkeypatch.setenv("SUDO_UID", str(nobody.pw_uid))
    monkeypatch.setenv("SUDO_GID", str(nobody.pw_gid))
    made = keep_costs(costs("one"))
    for path in (made, made.parent, made.parent.parent):
        assert (path.stat().st_uid, path.stat().st_gid) == (nobody.pw_uid, nobody.pw_gid)
    monkeypatch.delenv("XDG_STATE_HOME")
    assert costs_file("one").is_relative_to(nobody.pw_dir)


def test_a_folder_that_cannot_be_written_has_a_cure(state: Path) -> None:
    (state / "hybridnet").write_text("a file")
    with pytest.raises(EnvironmentLackError, match=r"cannot be written: .*; set XDG_STATE_HOME to a folder"):
        keep_costs(costs("one"))
