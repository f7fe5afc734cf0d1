# SPDX-License-Identifier: MIT
"""pytest's plug-in where no network is started: see tests/system/pytest_plugin_test.py for those that are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


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
