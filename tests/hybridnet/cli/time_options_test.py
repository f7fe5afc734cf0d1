# SPDX-License-Identifier: MIT
"""--time, as far as no kernel is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.kernel import build
from hybridnet.kernel.build import VARIABLE


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["run", "--topo", "single", "--ssh", "a,b"],
            "--ssh is for real time: other computers keep real time",
        ),
        (["run", "--topo", "single", "--live"], "--live is for real time: its network cannot be reached"),
        (
            ["reproduce", "shared-queue", "--ssh", "a,b"],
            "--ssh is for real time: other computers keep real time",
        ),
        (["run", "--topo", "single", "--slow", "4"], "--slow is for real time: simulated time is as slow"),
        (["mn", "--cluster", "a,b"], "--cluster is for real time: other computers keep real time"),
    ],
)
def test_what_simulated_time_cannot_have_is_refused(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--time", "simulated"]) == 2
    assert why in capsys.readouterr().err


def test_without_a_kernel_the_command_that_makes_one_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(build, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(build, "OF_THE_COMPUTER", tmp_path)
    assert main(["run", "--topo", "single", "--time", "simulated"]) == 3
    assert "run `hybridnet setup-kernel`" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["run", "--topo", "single"], ["run", "a.py"], ["mn"]])
@pytest.mark.parametrize("slow", ["0", "1001", "0.5", "-2", "fast"])
def test_a_slowness_that_no_run_can_have_is_refused(
    words: list[str],
    slow: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("from hybridnet import Net\n")
    assert main([*words, f"--slow={slow}"]) == 2
    assert f"--slow {slow}: write a whole number from 1 to 1000" in capsys.readouterr().err


def test_another_time_is_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--topo", "single", "--time", "virtual"]) == 2
    assert "invalid choice: 'virtual' (choose from" in capsys.readouterr().err
