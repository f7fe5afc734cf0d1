# SPDX-License-Identifier: MIT
"""pytest's plug-in with networks: what passes, what fails and is kept, and what says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.kernel.build import find_kernel
from hybridnet.testing.kept import FOLDER

pytestmark = pytest.mark.system

BUSY = """
import pytest
from hybridnet import Limits
runs = []

@pytest.mark.network(topo="single,2", controller="none", limits=Limits(processor_busy=0.0, busy_seconds=0.0))
def test_on_a_computer_that_does_anything(net):
    runs.append(net)
    raise AssertionError(f"run {len(runs)}")
"""

RIGHT_AND_WRONG = """
import pytest

@pytest.mark.parametrize("net", ["single,2", "linear,2"], indirect=True)
def test_pings(net, wait_until, match):
    assert net.pingAll(timeout=10) == 0
    wait_until(lambda: "priority" in net["s1"].dpctl("dump-flows"))
    match(net.snapshot(), {})

@pytest.mark.network(topo="single,2", controller="none")
def test_of_a_switch_without_flows(net):
    net["s1"].cmd("ovs-vsctl set-fail-mode s1 secure; ovs-ofctl del-flows s1")
    assert net.pingAll() == 0
"""


def run_pytest(folder: Path, text: str, time: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    words = ["--hybridnet", f"--hybridnet-time={time}", "--rootdir", str(folder), *more]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_failure_under_a_verdict_that_is_not_trusted_is_tried_three_times_and_is_no_failure(
    tmp_path: Path,
) -> None:
    ended = run_pytest(tmp_path, BUSY, "real")
    assert ended.returncode == 0, ended.stdout
    assert "1 inconclusive" in ended.stdout
    assert "saturated: the computer: its processors were more than 0 % busy" in ended.stdout
    kept = tmp_path / FOLDER / "test_it.py-test_on_a_computer_that_does_anything"
    assert "AssertionError: run 3" in (kept / "failure.txt").read_text()


@pytest.mark.thorough
def test_in_simulated_time_what_is_right_passes_and_what_is_wrong_fails_and_is_kept(tmp_path: Path) -> None:
    try:
        find_kernel()
    except EnvironmentLackError as error:
        pytest.skip(str(error))
    ended = run_pytest(tmp_path, RIGHT_AND_WRONG, "simulated")
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED, ended.stdout + ended.stderr
    assert "hybridnet: networks in simulated time" in ended.stdout
    assert "1 failed, 2 passed" in ended.stdout
    kept = tmp_path / FOLDER / "test_it.py-test_of_a_switch_without_flows"
    assert {"failure.txt", "network.json", "plan.txt", "s1.flows.txt", "verdict.txt"} == {
        file.name for file in kept.iterdir()
    }
    assert (kept / "verdict.txt").read_text().startswith("trusted")


EXPLORED = """
import pytest
from hybridnet.tools.explore import reaches

ran = []

@pytest.mark.explore(app="{apps}/learning_switch.py", topo="linear,3", seeds=3)
def test_of_an_app_that_is_right():
    ran.append("body")

def test_that_a_body_runs_when_nothing_is_found():
    assert ran == ["body"]

@pytest.mark.explore(app="{apps}/empty_switch.py", seeds="3-4", repetitions=2)
def test_of_an_app_that_is_wrong():
    ran.append("never")

@pytest.mark.explore(app="{apps}/shortest_paths.py", topo="{apps}/ring.yaml", seeds=[1],
                     invariants=[reaches("h1", "h3", via="s2")])
def test_of_an_invariant():
    ran.append("never")

def test_that_no_body_runs_when_something_is_found():
    assert ran == ["body"]
"""


def test_a_trial_that_fails_is_the_tests_failure_and_its_counterexample_is_kept(tmp_path: Path) -> None:
    apps = Path(__file__).parents[2] / "examples" / "controllers"
    ended = run_pytest(tmp_path, EXPLORED.format(apps=apps), "real")
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED, ended.stdout + ended.stderr
    assert "2 failed, 3 passed" in ended.stdout
    assert "empty_switch.py: FOUND after 1 trial" in ended.stdout
    assert "without crossing s2: they cross s1, s3" in ended.stdout
    assert not (tmp_path / FOLDER / "test_it.py-test_of_an_app_that_is_right").exists()
    kept = tmp_path / FOLDER / "test_it.py-test_of_an_app_that_is_wrong"
    assert {"failure.txt", "counterexample.json", "counterexample.html", "schedule.yaml"} == {
        file.name for file in kept.iterdir()
    }
    assert "switch-restarts" in (kept / "schedule.yaml").read_text()
    said = (kept / "failure.txt").read_text()
    assert said.startswith("pytest --hybridnet 'test_it.py::test_of_an_app_that_is_wrong'")
    assert "all-reach-all does not hold" in said
    # The schedule alone shows it again.
    again = (
        "import pytest\n"
        f"@pytest.mark.explore(app='{apps}/empty_switch.py', schedule='{kept}/schedule.yaml', seeds='3-3')\n"
        "def test_of_an_app_that_is_wrong(): pass\n"
    )
    assert "shows in 5 of 5 repetitions" in run_pytest(tmp_path, again, "real").stdout


MANY = """
import pytest

@pytest.mark.parametrize("number", range(4))
@pytest.mark.explore(app="{apps}/learning_switch.py", seeds=1)
def test_right(number):
    pass

@pytest.mark.explore(app="{apps}/empty_switch.py", seeds="3-4", repetitions=1)
def test_wrong():
    pass
"""


@pytest.mark.thorough
def test_beside_a_burning_process_and_in_two_workers_only_what_is_wrong_fails(tmp_path: Path) -> None:
    apps = Path(__file__).parents[2] / "examples" / "controllers"
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as burner:
        try:
            for more in ((), ("-n", "2")):
                ended = run_pytest(tmp_path, MANY.format(apps=apps), "real", *more)
                assert ended.returncode == pytest.ExitCode.TESTS_FAILED, ended.stdout + ended.stderr
                assert "FAILED test_it.py::test_wrong" in ended.stdout
                assert "1 failed, 4 passed" in ended.stdout
        finally:
            burner.kill()
