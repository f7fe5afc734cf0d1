# SPDX-License-Identifier: MIT
"""pytest's plug-in where no network is started: see tests/system/pytest_plugin_test.py for those that are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.testing.kept import FOLDER


def run_pytest(
    folder: Path, text: str, *words: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(folder),
            *words,
            str(folder),
        ],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_its_option_it_does_nothing(tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "def test_it(net): pass")
    assert ended.returncode == 1
    assert "fixture 'net' not found" in ended.stdout
    assert "hybridnet:" not in ended.stdout


def test_a_test_that_describes_no_network_is_told_how(tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "def test_it(net): pass", "--hybridnet", "--hybridnet-time=real")
    assert 'Write @pytest.mark.network(topo="tree,2") above the test' in ended.stdout


def test_a_topology_that_there_is_not_is_the_tests_error(tmp_path: Path) -> None:
    text = 'import pytest\n@pytest.mark.network(topo="treee,2")\ndef test_it(net): pass\n'
    ended = run_pytest(tmp_path, text, "--hybridnet", "--hybridnet-time=real")
    assert ended.returncode == 1
    assert "there is no topology 'treee'; did you mean tree?" in ended.stdout


def test_simulated_time_has_one_processor(tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "", "--hybridnet", "--hybridnet-time=simulated", "-n", "2")
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "there is one processor in it; leave out -n" in ended.stderr


def test_without_its_kernel_simulated_time_is_refused_and_left_to_itself_it_is_real(tmp_path: Path) -> None:
    none = {"HYBRIDNET_KERNEL": str(tmp_path / "none")}
    text = "def test_it(match): assert match(1, 1)"
    ended = run_pytest(tmp_path, text, "--hybridnet", "--hybridnet-time=simulated", environment=none)
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "HYBRIDNET_KERNEL names" in ended.stderr
    ended = run_pytest(tmp_path, text, "--hybridnet", environment=none)
    assert ended.returncode == 0, ended.stdout
    assert "hybridnet: networks in real time" in ended.stdout


def test_a_marker_explore_that_makes_no_sense_fails_with_one_line(tmp_path: Path) -> None:
    said_of = {
        "topo='linear,3'": "explore: app None: which application?",
        "app='no_app.py'": "there is no such file",
        "app='tree_switch', sedes=3": "there is no sedes=; did you mean seeds=?",
        "app='tree_switch', seeds='many'": "--seeds many",
        "app='tree_switch', seeds=[]": 'write how many, "FIRST-LAST", or a list of numbers',
        "app='tree_switch', repetitions=0": "write a number from 1 to 1000",
        "app='tree_switch', invariants=[3]": "write a file, or a list such as",
        "app='tree_switch', protocols='OpenFlow15'": "a simulated switch speaks OpenFlow10 and OpenFlow13",
        "app='tree_switch', protocols=None": 'write "OpenFlow13", "OpenFlow10", or both with a comma',
        "app='tree_switch', always=3": 'always 3: write a file, such as "events.yaml"',
        "app='tree_switch', without='full-table'": 'write a list, such as ["full-table"]',
        "app='tree_switch', arguments='--verbose'": 'write a list, such as ["--observe-links"]',
        "app='tree_switch', topo='treee,2'": "there is no topology 'treee'; did you mean tree?",
        "'tree_switch'": "with names",
    }
    tests = [
        f"@pytest.mark.explore({marker})\ndef test_{number}(): pass\n"
        for number, marker in enumerate(said_of)
    ]
    ended = run_pytest(tmp_path, "import pytest\n" + "".join(tests), "--hybridnet", "--hybridnet-time=real")
    assert ended.returncode == 1
    assert f"{len(said_of)} failed" in ended.stdout
    for said in said_of.values():
        assert said in ended.stdout
    assert "Traceback" not in ended.stdout
    assert "plugin.py" not in ended.stdout


AT_ITS_BEGINNING_AND_END = """
from collections import Counter

import pytest

from hybridnet import ControllerError, ControllerLateError, MachineError, Net, UsageError
from hybridnet.observe.results.verdict import Verdict, Word
from hybridnet.testing.plugin import Watched

BUSY = Verdict(Word.SATURATED, ["the computer: its processors were busy"])
IDLE = Verdict(Word.TRUSTED, [])
LATE, SLOW = ControllerLateError("2 of 2 switches found no controller"), MachineError("`ip -batch -` did not end")
DEAD, WRONG = ControllerError("c0 ended with status 1"), UsageError("no such thing")
tries = Counter()


@pytest.fixture
def scene(request, monkeypatch):
    computer, starts, stops = request.param
    name = request.node.callspec.id
    tries[name] += 1

    def doing(errors):
        error = errors[min(tries[name], len(errors)) - 1]

        def do(net):
            if error is not None:
                raise error

        return do

    monkeypatch.setattr(Net, "start", doing(starts))
    monkeypatch.setattr(Net, "stop", doing(stops))
    monkeypatch.setattr(Net, "verdict", lambda net: IDLE)
    monkeypatch.setattr(Watched, "verdict", lambda watched: computer)


SCENES = {
    "switches_late_and_busy": (BUSY, [LATE], [None]),
    "machine_slow_and_busy": (BUSY, [SLOW], [None]),
    "late_twice_and_busy": (BUSY, [LATE, LATE, None], [None]),
    "switches_late_and_idle": (IDLE, [LATE], [None]),
    "controller_dead_and_busy": (BUSY, [DEAD], [None]),
    "wrong_and_busy": (BUSY, [WRONG], [None]),
    "end_slow_and_busy": (BUSY, [None], [SLOW]),
    "end_slow_and_idle": (IDLE, [None], [SLOW]),
}


@pytest.mark.network(topo="single,2", controller="none")
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES, indirect=True)
def test_right(scene, net):
    pass


@pytest.mark.network(topo="single,2", controller="none")
@pytest.mark.parametrize("scene", [(BUSY, [None], [SLOW])], ids=["wrong_and_end_slow"], indirect=True)
def test_wrong(scene, net):
    raise AssertionError("this is wrong")


def test_how_often_each_ran():
    thrice = {"switches_late_and_busy", "machine_slow_and_busy", "late_twice_and_busy", "end_slow_and_busy"}
    assert tries == {name: 3 if name in thrice else 1 for name in [*SCENES, "wrong_and_end_slow"]}
"""


def test_what_is_late_before_or_after_a_test_is_judged_by_the_computer_as_the_test_is_by_its_network(
    tmp_path: Path,
) -> None:
    ended = run_pytest(tmp_path, AT_ITS_BEGINNING_AND_END, "-v", "--hybridnet", "--hybridnet-time=real")
    said = [line.partition("::")[2].split() for line in ended.stdout.splitlines() if line.endswith("%]")]
    outcomes: dict[str, set[str]] = {}
    for test, outcome, *_ in said:
        outcomes.setdefault(test, set()).add(outcome)
    assert outcomes == {
        "test_right[switches_late_and_busy]": {"INCONCLUSIVE"},
        "test_right[machine_slow_and_busy]": {"INCONCLUSIVE"},
        "test_right[late_twice_and_busy]": {"PASSED"},
        "test_right[switches_late_and_idle]": {"ERROR"},
        "test_right[controller_dead_and_busy]": {"ERROR"},
        "test_right[wrong_and_busy]": {"ERROR"},
        "test_right[end_slow_and_busy]": {"PASSED", "INCONCLUSIVE"},
        "test_right[end_slow_and_idle]": {"PASSED", "ERROR"},
        "test_wrong[wrong_and_end_slow]": {"FAILED", "ERROR"},
        "test_how_often_each_ran": {"PASSED"},
    }, ended.stdout
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    why = "saturated: the computer: its processors were busy; what failed"
    assert f"{why} (setup): 2 of 2 switches found no controller" in ended.stdout
    assert f"{why} (teardown): `ip -batch -` did not end" in ended.stdout
    assert "plugin.py" not in ended.stdout

    late = tmp_path / FOLDER / "test_it.py-test_right-switches_late_and_busy"
    assert {file.name for file in late.iterdir()} == {"failure.txt", "verdict.txt"}
    assert "2 of 2 switches found no controller" in (late / "failure.txt").read_text()
    assert (late / "verdict.txt").read_text() == "saturated: the computer: its processors were busy\n"
    assert not (tmp_path / FOLDER / "test_it.py-test_right-late_twice_and_busy").exists()
    wrong = tmp_path / FOLDER / "test_it.py-test_wrong-wrong_and_end_slow"
    assert "this is wrong" in (wrong / "failure.txt").read_text()
