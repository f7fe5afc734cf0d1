# SPDX-License-Identifier: MIT
"""What is no machine of this computer any more is not entered; that one is entered is tested in tests/system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.errors import MachineError
from hybridnet.machines.workers.enter import enter


def entered(state: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hybridnet.machines.workers.enter", *words],
        env={**os.environ, "HYBRIDNET_STATE_DIR": str(state)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_machine_that_is_not_there_is_an_error_of_one_line(tmp_path: Path) -> None:
    done = entered(tmp_path, "run1", "m1", "true")
    assert done.returncode == MachineError.exit_code
    assert done.stderr == "MachineError: machine m1 of run run1 is not on this computer any more\n"


def test_another_process_that_has_the_number_by_now_is_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    (tmp_path / "run1" / "m1").mkdir(parents=True)
    (tmp_path / "run1" / "m1" / "init").write_text(str(os.getpid()))
    with pytest.raises(MachineError, match="machine m1 of run run1 is not on this computer"):
        enter("run1", "m1", ["true"])
