# SPDX-License-Identifier: MIT
"""What programs of ours take from the folder in which they are started."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hybridnet.system.python_command import python_code, python_module


@pytest.mark.parametrize(
    "command", [python_code("import queue; queue.Queue()"), python_module("this")], ids=["code", "module"]
)
def test_a_file_of_the_user_is_not_taken_for_a_module(command: list[str], tmp_path: Path) -> None:
    for name in ("queue", "this"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the file of the user')")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
