# SPDX-License-Identifier: MIT
"""Experiments of ``hybridnet reproduce``, as short as they come: what they write agrees with what was asked for.

Whether their promises hold is not asked here: a second of measurement on a computer that does other things says little.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hybridnet import Cluster
from hybridnet.cli.main import main
from hybridnet.errors import ExperimentError
from hybridnet.experiments.hedera import real_hosts, simulated_hosts
from hybridnet.experiments.hedera.arms import Settings
from hybridnet.experiments.hedera.patterns import Pairs
from hybridnet.experiments.inet_rtt.report import ARMS, MODEL_MS, TESTS
from hybridnet.experiments.scale.network import ACCESS_QUEUE, PAYLOAD, PAYLOAD_BPS
from hybridnet.experiments.tlem.latency import RATE, TOLERANCE_NS, measure_accuracy

pytestmark = [pytest.mark.system, pytest.mark.thorough]

PNG = b"\x89PNG"


def reproduced(name: str, out: Path, *options: str) -> list[dict[str, Any]]:
    """The checks of an experiment that ran to its end."""
    code = main(["reproduce", name, *options, "--out", str(out)])
    checks: list[dict[str, Any]] = json.loads((out / "checks.json").read_text())
    assert code == (0 if all(check["holds"] for check in checks) else 1)
    return checks


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open() as text:
        return list(csv.DictReader(text))


def test_one_ping_of_each_arm_and_test_takes_no_less_than_the_link_that_it_crosses(tmp_path: Path) -> None:
    checks = reproduced("inet-rtt", tmp_path / "run", "--pings", "1", "--rounds", "1")
    rows = rows_of(tmp_path / "run" / "rtt.csv")
    assert Counter((row["test"], row["arm"]) for row in rows) == {
        (test, arm.name): 1 for test in TESTS for arm in ARMS
    }
    for row in rows:
        simulated = row["arm"] != "kernel"
        assert float(row["rtt_ms"]) >= (MODEL_MS[row["test"]] if simulated else 0)
        file = tmp_path / "run" / "round-1" / row["test"] / f"{row['arm']}.json"
        assert [ns / 1e6 for ns in json.loads(file.read_text())] == [float(row["rtt_ms"])]
    assert checks[-1]["measured"] == f"0 of {len(TESTS) * len(ARMS)}"
    assert (tmp_path / "run" / "rtt.png").read_bytes().startswith(PNG)


def test_each_of_a_few_flows_among_two_hundred_hosts_fills_its_link_and_no_more(tmp_path: Path) -> None:
    flows, instances = 10, 2
    options = ["--hosts", "200", "--flows", str(flows), "--instances", str(instances), "--seconds", "1"]
    checks = reproduced("scale", tmp_path / "run", *options)
    found = json.loads((tmp_path / "run" / "scale.json").read_text())
    assert (found["hosts"], found["instances"], len(found["flow_bps"])) == (200, instances, flows)
    assert found["build_s"] == found["describe_s"] + found["start_s"]
    behind_a_hole = (
        8 * PAYLOAD * (ACCESS_QUEUE + 2)
    )  # bits that may come at once, when a lost segment comes again
    assert all(0 < bps <= PAYLOAD_BPS + behind_a_hole for bps in found["flow_bps"])
    assert [float(row["goodput_bps"]) for row in rows_of(tmp_path / "run" / "flows.csv")] == found["flow_bps"]
    assert checks[1]["what"].startswith(f"memory of {instances} instances")


def test_no_packet_leaves_a_wire_before_its_delay_is_over_and_the_namespaces_go() -> None:
    seconds = 0.1
    found = measure_accuracy(seconds)
    assert found.sent == round(seconds * RATE)
    assert 0 < len(found.errors_ns) <= found.sent
    assert found.bare_ns > 0
    assert min(found.errors_ns) >= -found.bare_ns - TOLERANCE_NS  # a wire holds every packet for its delay
    assert 0 <= found.share_within <= 1
    namespaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert f"hntlem{os.getpid()}" not in namespaces


ONE_WAY: dict[str, Pairs] = {"one way": [(1, 0)]}
BOTH_WAYS: dict[str, Pairs] = {"both ways": [(0, 1), (1, 0)]}


def settings(switches: str, lead_s: float) -> Settings:
    """Of the smallest tree, which has two hosts."""
    return Settings(2, 2.0, 1.0, switches, 1.0, 0.5, lead_s)


@pytest.mark.parametrize(
    ("hosts", "patterns"),
    [
        pytest.param(real_hosts, ONE_WAY | BOTH_WAYS, id="real"),
        pytest.param(simulated_hosts, BOTH_WAYS, id="simulated"),
    ],
)
def test_each_flow_of_a_pattern_gets_a_part_of_its_link(
    hosts: ModuleType, patterns: dict[str, Pairs]
) -> None:
    smallest = settings("simulated", 8.0)
    with Cluster.local(["m1"]) as cluster:
        found = dict(hosts.measured(cluster, "non-blocking", smallest, patterns))
    assert {name: [(flow.source, flow.target) for flow in of.flows] for name, of in found.items()} == patterns
    for of in found.values():
        assert of.bps == sum(flow.bps for flow in of.flows)
        assert all(0 < flow.bps < 2 * 1e6 * smallest.rate_mbps for flow in of.flows)


def test_simulated_flows_that_begin_before_their_network_is_up_are_no_measurement() -> None:
    with (
        Cluster.local(["m1"]) as cluster,
        pytest.raises(ExperimentError, match=r"one way: the network needed .* s to start.*; give --lead \d"),
    ):
        list(simulated_hosts.measured(cluster, "non-blocking", settings("simulated", 1e-3), ONE_WAY))
