# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hybridnet.simulate.instance.running import DIRECTION, Client


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
            "cpu": None,
            "fifo_priority": None,
        },
    }


@pytest.fixture
def client(plan: dict[str, Any]) -> Iterator[Client]:
    """Of an instance of two hosts on one link, and a third behind a cut link: it needs no root."""
    for number in (1, 2, 3):
        interface = {
            "name": f"v{number}-eth0",
            "mac": f"02:00:00:00:00:0{number}",
            "address": f"10.0.0.{number}/24",
        }
        plan["nodes"].append({"name": f"v{number}", "kind": "host", "interfaces": [interface]})
    plan["peers"] = [{"name": "m2", "local": "127.0.0.1:0", "remote": "127.0.0.1:9"}]
    ends = {"v1-v2": ({"interface": "v1-eth0"}, {"interface": "v2-eth0"})}
    ends["cut"] = ({"interface": "v3-eth0"}, {"peer": "m2", "channel": 0})  # type: ignore[assignment]
    plan["links"] = [
        {"name": name, "a": a, "b": b, "a_to_b": DIRECTION, "b_to_a": DIRECTION}
        for name, (a, b) in ends.items()
    ]
    with tempfile.TemporaryDirectory(prefix="hn") as short:  # the path of a socket is
        file, control = Path(short) / "plan.json", Path(short) / "control"
        file.write_text(json.dumps(plan))
        command = [sys.executable, "-m", "hybridnet.simulate.instance", str(file), "--control", str(control)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            client = Client(control)
            yield client
            assert client.ask(verb="stop")["name"] == "m1"
            assert json.loads(process.stdout.read())["name"] == "m1"  # it ends by printing its final counters
        assert process.returncode == 0
        assert not control.exists()
