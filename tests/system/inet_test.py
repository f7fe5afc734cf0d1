# SPDX-License-Identifier: MIT
"""The experiments inet-rtt and inet-loss, as small as they come: they run, and what must hold on any machine holds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def reproduce(name: str, out: Path) -> list[dict[str, Any]]:
    command = [
        sys.executable,
        "-m",
        "hybridnet.cli",
        "reproduce",
        name,
        "--quick",
        "--json",
        "--out",
        str(out),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode in (0, 1), done.stderr
    checks: list[dict[str, Any]] = json.loads(done.stdout)["checks"]
    assert done.returncode == int(not all(check["holds"] for check in checks))
    return checks


@pytest.mark.slow
def test_ping_is_quick_and_the_published_causes_are_not(tmp_path: Path) -> None:
    checks = reproduce("inet-rtt", tmp_path / "rtt")
    causes = [check for check in checks if "the median grows by" in check["what"]]
    assert len(causes) == 5
    assert all(check["holds"] for check in causes), causes
    assert checks[-1]["holds"], "an answer is missing"
    written = sorted(path.name for path in (tmp_path / "rtt").iterdir())
    assert written == ["checks.json", "manifest.json", "round-1", "rtt.csv", "rtt.json", "rtt.png"]


@pytest.mark.slow
def test_nothing_is_lost_in_capture(tmp_path: Path) -> None:
    checks = reproduce("inet-loss", tmp_path / "loss")
    lost = [check for check in checks if "lost in capture" in check["what"]]
    assert len(lost) == 4
    assert all(check["holds"] for check in lost), lost
