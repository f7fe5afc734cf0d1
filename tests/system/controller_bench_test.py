# SPDX-License-Identifier: MIT
"""`hybridnet controller-bench` with Ryu, over real connections, in a network namespace of the test's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.system
COMMAND = [str(Path(sys.executable).parent / "hybridnet"), "controller-bench"]


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    """The command where nothing else listens."""
    inside = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *COMMAND, *words]
    return subprocess.run(inside, capture_output=True, text=True, timeout=120)


def test_ryu_sets_up_flows_of_all_switches_and_each_packet_asks_once() -> None:
    done = bench("--switches", "8", "--hosts", "4", "--duration", "1s", "--repeat", "2", "--json")
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["controller"] == "ryu.app.simple_switch_13"
    assert said["remarks"] == []
    assert len(said["repetitions"]) == 2
    for each in said["repetitions"]:
        assert each["least_of_a_switch"] > 0
        assert abs(each["packet_ins"] - each["set_ups"]) <= 8  # one of each switch is under way
        assert 0 < each["p50_ms"] <= each["p95_ms"] <= each["p99_ms"]
        assert each["controller_cpu"] > 0
    assert said["controller_bytes"] > 0


def test_openflow_10_and_a_window_are_measured_too() -> None:
    done = bench(
        "ryu.app.simple_switch", "--protocols", "OpenFlow10", "--mode", "throughput", "--window", "4",
        "--switches", "2", "--hosts", "3", "--duration", "500ms", "--repeat", "1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "throughput, 2 switches of 3 hosts, 4 packets of each under way" in done.stdout
    assert "median: " in done.stdout


def test_where_no_controller_listens_it_says_so() -> None:
    done = bench("--controller", "tcp:127.0.0.1:6653")
    assert done.returncode == 1
    assert "nothing answers (127.0.0.1:6653" in done.stderr
    refused = bench("my_app.py", "--controller", "tcp:127.0.0.1:6653")
    assert refused.returncode == 2
    assert "Leave one out" in refused.stderr
