# SPDX-License-Identifier: MIT
"""Interfaces are those of this user's own instances."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.system.journal import RUN_VARIABLE
from hybridnet.tools.extcap.interfaces import INSTANCE, Simulated, interfaces

PLAN = {"nodes": [{"name": "r1", "interfaces": [{"name": "r1-eth1"}, {"name": "r1-eth2"}]}]}
WAITS = "import sys; print(flush=True); sys.stdin.read()"


def started(plan: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process that looks like an instance from outside."""
    made = subprocess.Popen(
        [sys.executable, "-c", WAITS, "-m", INSTANCE, str(plan), "--control", "/control"],
        env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert made.stdout is not None
    made.stdout.readline()
    return made


def found_of(process: subprocess.Popen[bytes]) -> list[Simulated]:
    return [each for each in interfaces() if isinstance(each, Simulated) and each.pid == process.pid]


def test_an_instance_has_the_interfaces_of_its_plan(tmp_path: Path) -> None:
    plan = tmp_path / "instance.json"
    plan.write_text(json.dumps(PLAN))
    with started(plan, {RUN_VARIABLE: "run1"}) as process:
        found = found_of(process)
        process.communicate()
    assert [each.value for each in found] == ["run1:r1:r1-eth1", "run1:r1:r1-eth2"]
    assert {(each.folder, each.control) for each in found} == {(tmp_path, Path("/control"))}


@pytest.mark.parametrize("text", [None, "no json", "[]", '{"nodes": [{}]}', '{"nodes": 3}'])
def test_what_has_no_plan_or_no_run_is_passed_over(tmp_path: Path, text: str | None) -> None:
    plan = tmp_path / "instance.json"
    if text is not None:
        plan.write_text(text)
    with started(plan, {RUN_VARIABLE: "run1"}) as process:
        assert found_of(process) == []
        process.communicate()
