# SPDX-License-Identifier: MIT
"""Commands that run networks in a run directory."""

from __future__ import annotations

import errno
import json
import sys
from pathlib import Path
from typing import TextIO

import pytest

from hybridnet.cli import exit_codes
from hybridnet.cli.main import main
from hybridnet.cli.output import OUTPUT_CLOSED


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("pass", 0),
        ("raise hybridnet.errors.UsageError('no')", 2),
        ("raise hybridnet.errors.EnvironmentLackError('no')", 3),
        ("raise KeyboardInterrupt", 130),
        ("raise SystemExit(7)", 7),
        ("open('/none/such')", 1),
    ],
)
def test_the_manifest_has_the_exit_code_of_the_command(tmp_path: Path, ending: str, code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import hybridnet\n{ending}\n")
    assert main(["run", "--out", str(tmp_path / "out"), str(script)]) == code
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["exit_code"] == code


@pytest.mark.parametrize(("unread", "code"), [([sys.stdout], OUTPUT_CLOSED), ([], 1)])
def test_a_broken_pipe_is_the_end_of_output_or_a_failure(
    unread: list[TextIO], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exit_codes, "unread_outputs", lambda: unread)
    assert exit_codes.code_of_error(BrokenPipeError(errno.EPIPE, "Broken pipe")) == code
