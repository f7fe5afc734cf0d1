# SPDX-License-Identifier: MIT
from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from hybridnet.system.cleaning import clean_all, remove_run_directory
from hybridnet.system.journal import Journal, new_run_name, read_entries, start_time


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


def test_an_entry_stays_until_it_is_gone() -> None:
    journal = Journal.create()
    journal.record("link", name="a", network=1)
    journal.record("link", name="b", network=1)
    journal.gone("link", name="a")
    assert [entry["name"] for entry in read_entries(journal.directory) if entry["kind"] == "link"] == ["b"]


def test_a_run_is_owned_by_the_process_that_made_it() -> None:
    journal = Journal.create()
    [owner] = read_entries(journal.directory)
    assert (owner["pid"], owner["start"]) == (os.getpid(), start_time(os.getpid()))


def test_a_torn_last_line_hides_nothing_before_it() -> None:
    journal = Journal.create()
    journal.record("directory", path="/a")
    with (journal.directory / "journal.jsonl").open("a") as file:
        file.write('{"make": "directory", "pa')
    assert [entry["kind"] for entry in read_entries(journal.directory)] == ["owner", "directory"]


def test_an_entry_after_a_torn_one_is_read_as_are_those_of_another_process() -> None:
    """A full disk tears a line: the file is at the size that its file system allows."""
    journal = Journal.create()
    file = journal.directory / "journal.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 10, hard))
    try:
        with pytest.raises(OSError, match="only 10 of"):
            journal.record("directory", path="/torn")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    journal.record("namespace", path="/whole", inode=7)
    with file.open("a") as another:
        another.write('{"make": "directory", "pa')
    Journal(journal.directory, journal.run).record("link", name="a", network=1)
    assert [entry["kind"] for entry in read_entries(journal.directory)] == ["owner", "namespace", "link"]


def test_a_thing_goes_by_any_of_its_fields_and_a_second_one_of_its_name_stays() -> None:
    journal = Journal.create()
    for network in (1, 2):
        journal.record("link", name="a", network=network)
    journal.gone("link", name="a", network=1)
    journal.gone("link", name="b")
    assert [entry["network"] for entry in read_entries(journal.directory)[1:]] == [2]
    journal.gone("link", name="a")
    journal.record("link", name="a", network=3)
    assert [entry["network"] for entry in read_entries(journal.directory)[1:]] == [3]


def test_reading_takes_as_long_for_each_thing_however_many_there_were() -> None:
    def seconds(things: int) -> float:
        journal = Journal.create()
        for number in range(things):
            journal.record("link", name=f"l{number}", network=1)
        for number in range(things):
            journal.gone("link", name=f"l{number}", network=1)
        best = math.inf
        for _ in range(3):
            began = time.process_time()
            assert len(read_entries(journal.directory)) == 1
            best = min(best, time.process_time() - began)
        return best

    assert seconds(8000) < 20 * seconds(
        1000
    )  # 8 times as much; a comparison of each with each would be 64 times


def test_the_environment_of_a_runs_processes_has_its_name(state: Path) -> None:
    journal = Journal.create()
    environment = journal.environment()
    assert environment["HYBRIDNET_RUN"] == journal.run
    assert environment["HYBRIDNET_STATE_DIR"] == str(state)


def test_run_names_differ_and_sort_by_time() -> None:
    names = [new_run_name() for _ in range(100)]
    assert len(set(names)) == 100
    assert [name[:15] for name in names] == sorted(name[:15] for name in names)


def test_a_process_that_has_ended_has_no_start_time() -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, not yet reaped
    assert start_time(process.pid) is None
    process.wait()
    assert start_time(process.pid) is None


def test_cleaning_leaves_runs_whose_owner_lives(state: Path) -> None:
    journal = Journal.create()
    assert clean_all() == []
    assert journal.directory.is_dir()


def test_cleaning_takes_runs_whose_owner_has_ended(state: Path) -> None:
    journal = Journal(state / "old", "old")
    journal.record("owner", pid=os.getpid(), start=(start_time(os.getpid()) or 0) - 1, what="head")
    file, kept = state.parent / "file", state.parent / "full" / "kept"
    kept.parent.mkdir()
    kept.touch()
    file.touch()
    for path in (file, state.parent / "never made"):
        journal.record("file", path=str(path))
    journal.record("directory", path=str(kept.parent))
    told: list[str] = []
    removed = clean_all(told.append)
    assert removed == told == [f"run old: file {file}", f"run old: directory {state / 'old'}"]
    assert kept.exists()
    assert not state.exists()


def test_the_state_directory_goes_with_its_last_run(state: Path) -> None:
    first, second = Journal.create(), Journal.create()
    remove_run_directory(first.directory)
    assert state.is_dir()
    remove_run_directory(second.directory)
    assert not state.exists()
