# SPDX-License-Identifier: MIT
"""The experiment overload, short: a wire within a small quota drops what it cannot do, says so, and leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.experiments.overload.quota import CpuQuota
from hybridnet.system.journal import Journal

REPRODUCE = (sys.executable, "-m", "hybridnet.cli", "reproduce", "overload", "--quota", "0.05", "--json")
SECONDS = "12"  # in fewer, all that is too much still finds room in the kernel's buffer of the portal
GROUPS = ("/sys/fs/cgroup/cpu*/hybridnet-*", "/sys/fs/cgroup/hybridnet-*")


def groups(run: str = "*") -> list[Path]:
    return [path for pattern in GROUPS for path in Path("/").glob(pattern[1:].replace("-*", f"-{run}"))]


@pytest.mark.slow
def test_an_overloaded_wire_keeps_its_goodput_counts_its_drops_and_is_not_trusted(tmp_path: Path) -> None:
    before = groups()
    done = subprocess.run(
        [*REPRODUCE, "--seconds", SECONDS, "--seconds-per-step", "1", "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=200,
    )
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())  # no control groups with a quota: it says so, with the cure
    assert done.returncode in (0, 1), done.stderr
    assert groups() == before
    checks = {check["what"]: check for check in json.loads(done.stdout)["checks"]}
    offered = checks.pop("offered, in frames that left the sender")["holds"]
    del checks["goodput under overload"]  # on a computer that does other things, half is asked for here
    figures = json.loads((tmp_path / "out" / "overload.json").read_text())
    peak = max(load["received_pps"] for load in figures["ramp"])
    assert figures["overload"]["received_pps"] >= 0.5 * peak
    if not offered:
        pytest.skip("other programs slowed the sender: there was no overload to stand")
    assert [check for check in checks.values() if not check["holds"]] == []


@pytest.mark.slow
def test_a_killed_run_is_cleaned_up_with_its_control_group(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="hn") as state:  # the path of a socket is short
        environment = {**os.environ, "HYBRIDNET_STATE_DIR": f"{state}/s"}
        process = subprocess.Popen(
            [*REPRODUCE, "--out", str(tmp_path / "out")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        mine: list[Path] = []
        deadline = time.monotonic() + 60
        while not any((path / "cgroup.procs").read_text() for path in mine):
            if process.poll() == 3:
                pytest.skip("no control groups with a quota")
            assert process.poll() is None
            assert time.monotonic() < deadline
            mine = [path for run in Path(state).glob("s/*") for path in groups(run.name)]
        process.kill()
        process.wait()
        done = subprocess.run(
            [sys.executable, "-m", "hybridnet.cli", "clean", "--json"],
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert not any(path.exists() for path in mine)
        assert not (Path(state) / "s").exists()
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, signal.SIGCONT)


def test_a_quota_is_removed_while_a_process_is_still_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    journal = Journal.create()
    try:
        quota = CpuQuota(journal, 0.5)
    except EnvironmentLackError as lack:
        pytest.skip(str(lack))
    with subprocess.Popen(quota.command(["sleep", "30"])) as sleeper:
        deadline = time.monotonic() + 5
        while str(sleeper.pid) not in (quota.path / "cgroup.procs").read_text().split():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        quota.close()
        assert not quota.path.exists()
        sleeper.kill()
