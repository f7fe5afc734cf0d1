# SPDX-License-Identifier: MIT
"""Recorded simulations, done again by the command line; tests/system/recording_test.py does it with networks."""

from __future__ import annotations

import json
import os
import pty
import sys
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.observe.recording.comparison import Comparison, Difference
from hybridnet.observe.recording.rerun import Rerun, command_of, judged_of, rerun
from hybridnet.observe.results.estimate import Estimate

SCRIPT = """
from hybridnet import Topo
from shape import DELAY
from pathlib import Path

class Pair(Topo):
    def build(self, bw=10):
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=bw, delay=DELAY, loss=1.0)
        self.addSimHost("c")
        self.addSimHost("d")
        other = Path(__file__).with_name("traces") / "other"
        self.addLink("c", "d", params1={"trace": "opportunities"}, params2={"trace": other})
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.py").write_text(SCRIPT)
    (tmp_path / "shape.py").write_text("DELAY = '2ms'\n")
    (tmp_path / "traces").mkdir()
    for trace in ("opportunities", "traces/other"):
        (tmp_path / trace).write_text("1\n2\n")
    words = ["simulate", "pair.py", "--until", "2s", "--seeds", "2", "--series", "500ms", "--set", "bw=5"]
    assert main([*words, "--out", "runs/one"]) == 0
    for file in ("pair.py", "shape.py", "opportunities", "traces/other"):  # the capsule has its own
        (tmp_path / file).unlink()
    capsys.readouterr()
    return tmp_path / "runs" / "one"


def test_a_simulation_is_repeated_from_its_directory_and_is_identical(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rerun", "runs/one", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["agrees"], said["identical"], said["changed"]) == (True, True, [])
    assert (run.parent / "one-again" / "omnetpp" / "seed-2.vec").exists()


def test_a_packed_simulation_is_repeated_anywhere(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pack", "runs/one"]) == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["rerun", "../runs/one.hybridnet.tar.gz", "--out", "again", "--yes"]) == 0
    assert "identical, byte for byte" in capsys.readouterr().out


def test_what_somebody_else_packed_is_said_and_runs_only_if_the_user_says_so(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["pack", "runs/one"]) == 0
    (run / "files" / "pair.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    words = ["rerun", "runs/one.hybridnet.tar.gz", "--out", "again"]
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "it runs `hybridnet simulate --out DIR " in said
    who = "root" if os.geteuid() == 0 else "you"
    assert (
        f"pair.py, shape.py, traces/other) as {who}: the Python in it can do whatever {who} can; look at it first"
        in said
    )
    for answer, code in (("n", 2), ("", 2), ("y", 0)):
        keyboard, terminal = pty.openpty()
        with os.fdopen(terminal) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            os.write(keyboard, f"{answer}\n".encode())
            assert main(words) == code
        os.close(keyboard)
        assert "Run it? [y/N] " in capsys.readouterr().err
        assert (tmp_path / "again").exists() == (code == 0)


def test_a_simulation_that_gives_something_else_ends_with_1(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "files" / "shape.py").write_text("DELAY = '3ms'\n")
    assert main(["rerun", "runs/one", "--out", "runs/other"]) == 1
    assert "not identical" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["7", '"run"', '["hybridnet"]', '["hybridnet", "clean", "--all"]'])
def test_a_manifest_in_simulated_time_that_names_another_command_is_refused(
    run: Path, tmp_path: Path, command: str
) -> None:
    """It is anybody's: what is typed must be of the verb that may be repeated."""
    (run / "manifest.json").write_text(
        f'{{"verb": "run", "arguments": [], "files": {{}}, "time": "simulated", "command": {command}}}'
    )
    with pytest.raises(UsageError, match="does not hold its command"):
        command_of(run, tmp_path / "out")


def test_a_repetition_does_not_replace_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rerun", "runs/one", "--out", "runs/one"]) == 2
    assert "is the run itself" in capsys.readouterr().err


def test_a_run_without_its_files_or_its_command_is_refused(run: Path, tmp_path: Path) -> None:
    (run / "files" / "pair.py").unlink()
    with pytest.raises(UsageError, match=r"it lacks files/pair.py"):
        command_of(run, tmp_path / "out")
    (run / "manifest.json").write_text('{"verb": "clean", "arguments": [], "files": {}}')
    with pytest.raises(UsageError, match="does not hold its command; runs of run, mn, simulate"):
        command_of(run, tmp_path / "out")


def test_a_command_that_makes_no_sense_leaves_an_earlier_run_alone(run: Path) -> None:
    before = sorted(run.rglob("*"))
    assert main(["simulate", "--topo", "dumbbell", "--until", "soon", "--out", "runs/one"]) == 2
    assert main(["simulate", "nowhere.py", "--until", "1s", "--out", "runs/one"]) == 2
    assert main(["run", "nowhere.py", "--out", "runs/one"]) == 2
    assert main(["run", "--topo", "nothing", "--out", "runs/one"]) == 2
    assert sorted(run.rglob("*")) == before


def test_a_run_without_figures_is_not_repeated_for_nothing(run: Path) -> None:
    for file in ("results.json", "figures.parquet", "series.parquet"):
        (run / file).unlink()
    with pytest.raises(UsageError, match="it has no figures"):
        rerun(run, run.with_name("again"))
    assert not run.with_name("again").exists()


def difference(name: str, first: float, second: float) -> Difference:
    return Difference(name, Estimate(first, 0.0, 1), Estimate(second, 0.0, 1))


def test_of_an_emulated_run_results_and_busy_interfaces_are_judged(tmp_path: Path) -> None:
    comparison = Comparison(
        [
            difference("result goodput", 100.0, 95.0),
            difference("h1-eth0 tx Mbit/s", 100.0, 80.0),
            difference("h2-eth0 tx Mbit/s", 0.5, 0.1),
            difference("m1 processor_busy", 0.5, 0.9),
        ],
        None,
    )
    judged = judged_of(comparison)
    assert [each.name for each in judged] == ["result goodput", "h1-eth0 tx Mbit/s"]
    again = Rerun(tmp_path, comparison, judged, within=0.1, changed=[])
    assert [each.name for each in again.disagreeing] == ["h1-eth0 tx Mbit/s"]
    assert not again.agrees
    assert Rerun(tmp_path, comparison, judged, within=0.25, changed=[]).agrees
