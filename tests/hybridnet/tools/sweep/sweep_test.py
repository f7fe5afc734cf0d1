# SPDX-License-Identifier: MIT
"""Sweeps of small simulations, by the command line."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from hybridnet.cli.main import main
from hybridnet.observe.results.run_directory import hold

SCRIPT = """
from hybridnet import Topo, value

class Pinged(Topo):
    def build(self, count=5):
        self.addSimHost("a", applications=[
            {"kind": "ping", "destination": "b", "count": count, "interval": value("interval", "100ms")}])
        self.addSimHost("b")
        self.addLink("a", "b", delay="1ms", loss=20.0)
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pinged.py").write_text(SCRIPT)


WORDS = ["sweep", "pinged.py", "--until", "5s", "--set", "count=5,10", "--seeds", "2", "--out", "s"]


def points() -> list[str]:
    return sorted(path.name for path in Path("s/points").iterdir())


def sent(said: str) -> dict[str, Any]:
    return {row["values"]["count"]: row["figures"]["a:ping:0 sent"] for row in json.loads(said)}


def test_each_combination_has_its_figures_over_the_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--set", "interval=50ms", "--json"]) == 0
    over = sent(capsys.readouterr().out)
    assert {
        count: (each["mean"], each["half_width"], each["replications"]) for count, each in over.items()
    } == {
        "5": (5.0, 0.0, 2),
        "10": (10.0, 0.0, 2),
    }
    table = parquet.read_table("s/sweep.parquet").to_pylist()
    assert {row["set_count"] for row in table} == {5.0, 10.0}
    assert {row["set_interval"] for row in table} == {"50ms"}
    assert sum(row["figure"] == "a:ping:0 sent" for row in table) == 4
    assert json.loads(Path("s/sweep.json").read_text())[0]["values"] == {"count": "5", "interval": "50ms"}


def test_points_that_dropped_nothing_count_in_the_mean_of_drops(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS[:5], "count=1", "--seeds", "6", "--out", "s", "--json"]) == 0
    [over] = json.loads(capsys.readouterr().out)
    figure = "a-b:a-eth0>b-eth0 dropped.impaired"
    table = parquet.read_table("s/sweep.parquet").to_pylist()
    drops = [each["value"] for each in table if each["figure"] == figure]
    assert len(drops) == 6
    assert 0.0 in drops
    assert over["figures"][figure]["mean"] == pytest.approx(sum(drops) / 6)


def test_the_load_of_a_workload_is_swept(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pair.py").write_text(
        "from hybridnet import Topo\n"
        "class Pair(Topo):\n"
        "    def build(self):\n"
        "        self.addLink(self.addSimHost('a'), self.addSimHost('b'), bw=10, delay='1ms')\n"
    )
    words = ["sweep", "pair.py", "--until", "2s", "--workload", "5kB,load={load}", "--set", "load=0.1,0.4"]
    assert main([*words, "--warmup", "100ms", "--jobs", "1", "--out", "s", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    finished = {row["values"]["load"]: row["figures"]["flows:all finished"]["mean"] for row in told}
    for load, count in finished.items():
        expected = 2 * 1.9 * float(load) * 10e6 / (8 * 5000)  # of two hosts
        assert abs(count - expected) < 4 * expected**0.5
    assert main([*words, "--out", "s"]) == 2  # without the warm-up it is another sweep
    assert "another command made it" in capsys.readouterr().err


def test_files_in_the_folder_that_are_named_like_libraries_are_no_libraries() -> None:
    for name in ("json", "queue", "rich", "numpy"):
        Path(f"{name}.py").write_text("raise SystemExit('this is no library')")
    Path("scripts").mkdir()
    Path("pinged.py").rename("scripts/pinged.py")
    words = ["sweep", "scripts/pinged.py", "--until", "1s", "--out", "s"]
    assert main(words) == 0


def test_points_in_parts_have_the_figures_of_whole_ones(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS[:-4], "--seeds", "1", "--json", "--out"]
    assert main([*words, "s"]) == 0
    whole = sent(capsys.readouterr().out)
    assert main([*words, "parts", "--parallel", "2"]) == 0
    assert sent(capsys.readouterr().out) == whole
    [figures, *_] = Path("parts/points").glob("*/figures.json")
    assert json.loads(figures.read_text())["partition"] is not None


def test_a_sweep_done_again_runs_nothing_and_more_values_run_what_is_new(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(WORDS) == 0
    times = {name: (Path("s/points") / name / "manifest.json").stat().st_mtime_ns for name in points()}
    assert main([*WORDS[:-4], "--seeds", "3", "--out", "s"]) == 0
    assert "6 runs, 4 of them from before: s" in capsys.readouterr().out
    assert {name: (Path("s/points") / name / "manifest.json").stat().st_mtime_ns for name in times} == times


def test_a_sweep_that_is_killed_goes_on_where_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS[:-4], "--set", "interval=10ms,20ms,30ms", "--seeds", "2", "--out", "s", "--jobs", "2"]
    process = subprocess.Popen([sys.executable, "-m", "hybridnet.cli", *words], stderr=subprocess.PIPE)
    assert process.stderr is not None
    for _ in range(3):  # so many lines, so many points
        assert b" of 12: " in process.stderr.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    whole = [name for name in points() if not name.endswith((".unfinished", ".log"))]
    assert 3 <= len(whole) < 12
    assert main([*words, "--json"]) == 0
    over = json.loads(capsys.readouterr().out)
    assert len(over) == 6
    assert all(row["figures"]["a:ping:0 sent"]["replications"] == 2 for row in over)
    assert len(points()) == 12
    made = {name: os.stat(Path("s/points") / name / "manifest.json").st_mtime for name in points()}
    assert all(made[name] <= min(made[other] for other in set(made) - set(whole)) + 1 for name in whole)


def test_a_sweep_that_is_told_to_end_ends_its_programs(tmp_path: Path) -> None:
    words = ["sweep", "pinged.py", "--until", "3600s", "--set", "count=1000000000", "--set", "interval=100us"]
    process = subprocess.Popen([sys.executable, "-m", "hybridnet.cli", *words, "--out", "s"])
    deadline = time.monotonic() + 60
    while not list(Path("s/points").glob("*.log")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM
    assert not [name for name in points() if not name.endswith((".unfinished", ".log"))]


def test_two_sweeps_do_not_run_the_same_points(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(WORDS) == 0
    with contextlib.closing(hold(Path("s"))):
        words = [sys.executable, "-m", "hybridnet.cli", *WORDS]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: s: another command is writing into it; wait for its end, or give another name\n"
    )


def test_a_point_that_fails_is_named_with_what_it_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS[:4], "--set", "count=some", "--out", "s"]) == 1
    said = capsys.readouterr().err
    assert "sweep: count some, seed 1: its run ended with status 2" in said
    assert "has all that it printed" in said


def test_what_this_computer_lacks_ends_the_sweep_as_it_ends_a_point(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("lacks.py").write_text(
        "import hybridnet\n"
        "if hybridnet.value('n', 1) == 2:\n"
        "    raise hybridnet.EnvironmentLackError('networks need root; run it with sudo')\n"
    )
    assert main(["sweep", "lacks.py", "--set", "n=2", "--out", "new/s"]) == 3
    assert capsys.readouterr().err == "error: sweep: n 2, seed 1: networks need root; run it with sudo\n"
    assert not Path("new").exists()
    assert main(["sweep", "lacks.py", "--set", "n=1,2", "--out", "s"]) == 3
    assert len(points()) == 1  # the one that was run


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sweep", "--until", "1s"], "give a FILE.py, or a topology such as --topo"),
        (["sweep", "nowhere.py", "--until", "1s"], "there is no such file"),
        (["sweep", "pinged.py", "--until", "1s", "--set", "count"], "write NAME=VALUE,VALUE"),
        (["sweep", "pinged.py", "--until", "1s", "--jobs", "0"], "--jobs 0"),
        (["sweep", "pinged.py", "--dask", "127.0.0.1:8786"], "write tls://HOST:PORT"),
        (["sweep", "pinged.py", "--ssh", "a/nowhere"], "'nowhere' is not an IPv4 address"),
        (["sweep", "pinged.py", "--ssh", "a", "--machines", "2"], "not allowed with"),
        (["sweep", "pinged.py", "--until", "1s", "--ssh", "a"], "--ssh says where machines are"),
        (["sweep", "pinged.py", "--until", "1s", "--wait", "sleep"], "--wait says how a network runs"),
        (["sweep", "pinged.py", "--parallel", "2"], "--parallel: it cuts simulated networks into parts"),
        (["sweep", "pinged.py", "--until", "1s", "--parallel", "0"], "--parallel 0: write a number from 1"),
        (["sweep", "pinged.py", "--instances", "0"], "--instances 0: write a number from 1"),
        (["sweep", "pinged.py", "--until", "1s", "--cloudlab"], "--cloudlab says where machines are"),
        (["sweep", "pinged.py", "--until", "1s", "--grace", "1min"], "--grace says where machines are"),
        (
            ["sweep", "pinged.py", "--until", "1s", "--dask", "somewhere"],
            "write HOST:PORT, or tls://HOST:PORT",
        ),
        (
            ["sweep", "pinged.py", "--workload", "hadoop,load=0.5"],
            "simulated in virtual time; also write --until",
        ),
        (["sweep", "pinged.py", "--until", "1s", "--warmup", "1ms"], "it is of workloads, and there is none"),
        (["sweep", "pinged.py", "--jobs", "2"], "would disturb each other"),
        (["sweep", "pinged.py", "--until", "1s", "--seeds", "x"], "--seeds x"),
        (["sweep", "--until", "1s", "pinged.py", "--", "word"], "takes no arguments after --"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert says in capsys.readouterr().err
    assert not Path("runs").exists()


def test_a_directory_of_something_else_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("s").write_text("")
    assert main(WORDS) == 2
    assert "sweep: s: Not a directory; give another --out" in capsys.readouterr().err
    Path("s").unlink()
    Path("s").mkdir()
    Path("s/precious").write_text("")
    assert main(WORDS) == 2
    assert "holds something that is not a sweep" in capsys.readouterr().err
    Path("s/precious").unlink()
    assert main(WORDS) == 0
    assert main([*WORDS[:3], "6s", *WORDS[4:]]) == 2
    assert "another command made it" in capsys.readouterr().err
    Path("pinged.py").write_text(SCRIPT + "\n")
    assert main(WORDS) == 2
    assert "the script has changed since" in capsys.readouterr().err
    Path("s/sweep-command.json").write_text("{")
    assert main(WORDS) == 2
    assert "sweep-command.json: it is damaged" in capsys.readouterr().err
