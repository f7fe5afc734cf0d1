# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hybridnet.cli.main import main

NETWORK = """
from hybridnet import Topo

class Pair(Topo):
    def build(self, rate=10):
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=rate, delay="1ms")
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "network.py"
    path.write_text(NETWORK)
    return str(path)


def test_counters_of_applications_are_printed_with_intervals(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", file, "--until", "1s", "--seeds", "2", "--parallel", "1"]) == 0
    said = capsys.readouterr().out
    assert "b:tcp_discard:9" in said
    assert "±" in said
    assert " MB" in said
    assert "1 s simulated 2 times" in said


def test_json_has_every_figure(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", file, "--topo", "Pair,rate=20", "--until", "1s", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    [of_b] = [
        each for each in figures if (each["element"], each["name"]) == ("b:tcp_discard:9", "received_bytes")
    ]
    assert 8 * of_b["mean"] == pytest.approx(20e6 * 1448 / 1514, rel=0.05)


def test_a_series_without_a_place_to_go_is_refused(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", file, "--until", "1s", "--series", "100ms"]) == 2
    assert "--series 100ms: a time series goes into --out DIR; give it" in capsys.readouterr().err


def test_a_run_directory_is_written(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert main(["simulate", file, "--until", "200ms", "--series", "100ms", "--out", str(out)]) == 0
    assert f"written to {out}" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {
        *("manifest.json", "figures.json", "figures.csv", "figures.parquet", "series.parquet", "omnetpp"),
        *("plan.json", "results.json", "files"),
    }


def test_mistakes_are_one_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", file, "--until", "1s", "--seeds", "0"]) == 2
    assert "error: --seeds 0: at least one is needed" in capsys.readouterr().err


@pytest.mark.parametrize("seeds", [str(10**20), f"1-{10**20}", f"{10**20}-{10**20}"])
def test_seeds_of_any_size_are_refused_in_one_line(
    seeds: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", file, "--until", "1s", "--seeds", seeds]) == 2
    assert str(10**20) in capsys.readouterr().err


def seconds_run(process: int) -> float:
    """The processor time that a process has taken, proc(5)."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    "how",
    [
        "--parallel=2",
        pytest.param("--parallel=1", marks=pytest.mark.thorough),
        pytest.param("--parallel=2 --real-time", marks=pytest.mark.thorough),
    ],
)
def test_a_long_simulation_of_one_seed_heeds_an_interrupt(file: str, how: str) -> None:
    words = ["simulate", file, "--topo", "Pair,rate=1000", "--until", "3600s", *how.split()]
    process = subprocess.Popen(
        [sys.executable, "-m", "hybridnet.cli", *words], stderr=subprocess.PIPE, text=True
    )
    while seconds_run(process.pid) < 2:  # to start takes it one; all of it takes minutes
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGHUP)  # as a login that ends sends both
    try:
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode in (128 + signal.SIGTERM, 128 + signal.SIGHUP)
    assert "Traceback" not in said


STARTS_AT_RANDOM = """
import random
from hybridnet import Topo, value

class Pair(Topo):
    def build(self):
        seed = value("seed", 99)
        print("built for", seed)
        start = random.Random(seed).randrange(1, 900)
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9, "start": f"{start}ms"}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=10, delay="1ms")
"""


@pytest.mark.parametrize("how", [[], ["--jobs", "2"], ["--parallel", "2"]], ids=["one", "jobs", "parallel"])
def test_each_seed_has_a_network_of_its_own_where_the_script_asks_for_the_seed(
    how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "random_starts.py"
    script.write_text(STARTS_AT_RANDOM)
    assert (
        main(["simulate", str(script), "--until", "1s", "--seeds", "3", "--out", str(tmp_path / "run"), *how])
        == 0
    )
    said = capsys.readouterr().out
    assert {f"built for {seed}" for seed in (1, 2, 3)} <= set(said.splitlines())
    assert "no difference" not in said
    figures = json.loads((tmp_path / "run" / "figures.json").read_text())["figures"]
    received = next(
        each for each in figures if each["element"].startswith("b") and each["name"] == "received_bytes"
    )
    assert received["half_width"] > 0
    assert main(["simulate", str(script), "--until", "1s", "--seeds", "3", "--set", "seed=7", *how]) == 0
    assert "built for 7" in (again := capsys.readouterr().out)
    assert "built for 1" not in again
    assert "the seeds made no difference: nothing here draws random numbers" in again


NOBODY_LISTENS = """
from hybridnet import Topo
class Deaf(Topo):
    def build(self):
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9, "size": "1 MB"}])
        self.addSimHost("b")
        self.addLink("a", "b", bw=10, delay="1ms")
"""


def test_a_transfer_that_found_nobody_is_said_beside_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "deaf.py"
    script.write_text(NOBODY_LISTENS)
    assert main(["simulate", str(script), "--until", "1s", "--seeds", "2"]) == 0
    said = capsys.readouterr().out
    assert "a:tcp_bulk:0 failed in 2 of 2 replications: it could not connect" in said
    assert "something must listen at its destination's port" in said


def test_workloads_print_their_flows_by_size(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--until", "1s", "--workload", "5kB,load=0.2", "--warmup", "100ms", "--jobs", "1"]
    assert main(["simulate", file, *arguments]) == 0
    said = capsys.readouterr().out
    assert "slowdown mean" in said
    assert "<= 10 kB" in said
    assert "started in the first 0.1 s: not counted" in said
    assert main(["simulate", file, *arguments, "--json", "--seeds", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["flows"]["mean_slowdown"]["replications"] == 2
    figures = {(each["element"], each["name"]): each["mean"] for each in told["figures"]}
    assert figures["flows:all", "mean_slowdown"] == told["flows"]["mean_slowdown"]["mean"]


def test_a_run_repeats_with_the_copy_of_its_file_of_sizes(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes, out, again = tmp_path / "sizes.txt", tmp_path / "run", tmp_path / "again"
    sizes.write_text("100 0\n20000 1\n")
    assert (
        main(["simulate", file, "--until", "200ms", "--workload", f"{sizes},load=0.5", "--out", str(out)])
        == 0
    )
    sizes.unlink()
    assert main(["rerun", str(out), "--out", str(again)]) == 0
    assert (again / "flows.csv").read_bytes() == (out / "flows.csv").read_bytes()
    assert len((out / "flows.csv").read_text().splitlines()) > 10
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--workload", "web-serch,load=0.5"],
            "sizes 'web-serch': there is no such file; write one of web-search",
        ),
        (["--workload", "hadoop,load=2"], "load 2.0 is not a share above 0 and up to 1"),
        (["--workload", "hadoop,load=0.5", "--warmup", "soon"], "simulate: warmup"),
        (["--workload", "hadoop,load=0.5", "--live"], "--workload and --live: leave one of them out"),
        (["--precision", "5%"], "there is no workload"),
    ],
)
def test_mistakes_in_workloads_are_one_line(
    file: str, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["simulate", file, "--until", "1s", *arguments]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
