# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import PlanError
from hybridnet.instance import load_plan


@pytest.fixture
def plan() -> dict[str, Any]:
    return {
        "format": 1,
        "name": "m1",
        "seed": 1,
        "token": "00000000000000ff",
        "nodes": [],
        "emulation_portals": [],
        "peers": [],
        "links": [],
        "captures": [],
        "realtime": {
            "policy": "best_effort",
            "lateness_limit_ns": 1,
            "spin_ns": 0,
            "cpu": None,
            "fifo_priority": None,
        },
    }


def test_a_plan_is_read_as_it_is(plan: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    assert load_plan(tmp_path / "plan.json") == plan


def test_what_is_wrong_in_a_plan_is_said_with_its_place(plan: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    plan["realtime"]["policy"] = "sometimes"
    file.write_text(json.dumps(plan))
    with pytest.raises(PlanError, match="at realtime/policy: 'sometimes' is not one of"):
        load_plan(file)
    file.write_text("{")
    with pytest.raises(PlanError, match=r"plan\.json"):
        load_plan(file)
    with pytest.raises(PlanError, match="No such file"):
        load_plan(tmp_path / "none.json")


def test_the_process_says_in_one_line_why_it_does_not_start(plan: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    del plan["token"]
    file.write_text(json.dumps(plan))
    command = [sys.executable, "-m", "hybridnet.instance", str(file), "--control", str(tmp_path / "socket")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == PlanError.exit_code
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"PlanError: instance plan {file}, at the plan: 'token' is a required property"
    ]
