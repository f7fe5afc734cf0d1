# SPDX-License-Identifier: MIT
"""Cleaning one machine of a run that goes on; tests/system/clean_test.py has whole runs, which need root."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.system import cleaning
from hybridnet.system.cleaning import clean_all, clean_machine, clean_run
from hybridnet.system.journal import Journal, new_run_name, read_entries


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    return Journal.create()


@pytest.fixture
def processes(run: Journal) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """One of the machine m1, one of m2, and one of the head."""
    names = {"m1": {"HYBRIDNET_MACHINE": "m1"}, "m2": {"HYBRIDNET_MACHINE": "m2"}, "head": {}}
    started = {
        name: subprocess.Popen(["sleep", "1000"], env={**run.environment(), **more})
        for name, more in names.items()
    }
    yield started
    for process in started.values():
        process.kill()
        process.wait()


def test_processes_of_the_machine_end_and_what_its_journal_names_goes(
    run: Journal, processes: dict[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    for machine in ("m1", "m2"):
        journal = Journal(run.directory / machine, run.run)
        journal.record("file", path=str(tmp_path / f"made by {machine}"))
        (tmp_path / f"made by {machine}").touch()
        journal.close()
    said: list[str] = []
    clean_machine(run.directory / "m1", said.append)
    assert processes["m1"].wait(10) == -signal.SIGTERM
    assert (processes["m2"].poll(), processes["head"].poll()) == (None, None)
    assert [path.name for path in tmp_path.glob("made by *")] == ["made by m2"]
    assert not (run.directory / "m1").exists()
    assert read_entries(run.directory / "m2")
    assert said == [
        f"run {run.run}: process {processes['m1'].pid} (sleep)",
        f"run {run.run}: file {tmp_path}/made by m1",
    ]


def test_what_is_no_run_stays_wherever_the_state_directory_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody may name a directory of his own by mistake."""
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents/letter").touch()
    (tmp_path / new_run_name()).mkdir()  # of one that was killed before it had a journal
    Journal(tmp_path / "of-another/m1", "of-another").close()
    monkeypatch.setattr(cleaning, "remove_abandoned", list)
    clean_all(runs=["Documents"])
    assert len(list(tmp_path.iterdir())) == 3
    clean_all()
    assert [str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")] == [
        "Documents",
        "Documents/letter",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes links of others")
def test_a_state_directory_that_somebody_else_has_made_a_link_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, link = tmp_path / "own", tmp_path / "link"
    own.mkdir(mode=0o700)
    link.symlink_to(own)
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(link))
    monkeypatch.setattr(cleaning, "remove_abandoned", list)
    assert clean_all() == []
    os.chown(link, 65534, 65534, follow_symlinks=False)
    with pytest.raises(
        EnvironmentLackError, match=f"{link}: it is a link that user 65534 has made; remove it"
    ):
        clean_all()


def test_a_machine_that_has_left_nothing_is_clean(run: Journal) -> None:
    clean_machine(run.directory / "m1")
    assert read_entries(run.directory)


def test_a_program_that_other_computers_run_does_it_too(
    run: Journal, processes: dict[str, subprocess.Popen[bytes]]
) -> None:
    command = [sys.executable, "-m", "hybridnet.system.cleaning", run.run, "m2"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=dict(os.environ))
    assert json.loads(done.stdout) == [f"run {run.run}: process {processes['m2'].pid} (sleep)"]
    assert processes["m1"].poll() is None


def test_what_a_process_makes_until_it_is_killed_goes_too(
    run: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an agent that builds, and has to be killed."""
    monkeypatch.setattr(cleaning, "END_SECONDS", 1.0)
    made = tmp_path / "made"
    made.mkdir()
    goes_on = (
        "import itertools, signal, sys, time\n"
        "from pathlib import Path\n"
        "from hybridnet.system.journal import Journal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "journal = Journal(Path(sys.argv[1]) / 'm1', sys.argv[2])\n"
        "for number in itertools.count():\n"
        "    path = Path(sys.argv[3]) / str(number)\n"
        "    journal.record('file', path=str(path)); path.touch(); print(number, flush=True); time.sleep(0.05)\n"
    )
    command = [sys.executable, "-c", goes_on, str(run.directory), run.run, str(made)]
    with subprocess.Popen(command, env=run.environment(), stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"0\n"
        run.gone("owner", what="head")  # that is this process
        clean_run(run.directory, lambda text: None)
        last = int(writer.stdout.read().split()[-1])
    assert writer.returncode == -signal.SIGKILL
    assert last > 3  # it went on after SIGTERM
    assert list(made.iterdir()) == []
    assert not run.directory.exists()
