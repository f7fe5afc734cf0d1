# SPDX-License-Identifier: MIT
"""A package brings a kind of switch: it is installed, and its switches are made, counted and removed as others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "examples" / "private_vlan"
SCRIPT = """
import json
from hybridnet import Net, Topo

topo = Topo()
topo.addSwitch("b1", kind="private", isolated=["b1-eth2", "b1-eth3", "b1-eth4"])
for number in (1, 2, 3):
    topo.addLink(topo.addHost(f"h{number}"), "b1")


def answers(source, target):
    return net[source].cmd("ping -c 1 -W 1", net[target].IP()).count("bytes from")


with Net(topo, controller=None, cluster=CLUSTER) as net:
    found = {"21": answers("h2", "h1"), "23": answers("h2", "h3"), "kind": type(net["b1"]).__name__}
    net.addLink(net.addHost("h4"), net["b1"])
    found |= {"41": answers("h4", "h1"), "34": answers("h3", "h4")}
    found["machine"] = [*net.plan.machines.values()][0]["nodes"]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed."""
    folder = tmp_path_factory.mktemp("packages")
    copy = tmp_path_factory.mktemp("source") / "private_vlan"
    copy.mkdir()
    for file in ("pyproject.toml", "private_vlan.py"):
        (copy / file).write_text((PACKAGE / file).read_text())
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(copy)], check=True)
    return folder


def run(script: str, packages: Path | None) -> subprocess.CompletedProcess[str]:
    path = [str(ROOT), *([] if packages is None else [str(packages)])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env=environment
    )


@pytest.mark.parametrize("cluster", [None, "here"])
def test_switches_of_a_package_s_kind_work_as_it_says(packages: Path, cluster: str | None) -> None:
    ran = run(SCRIPT.replace("CLUSTER", repr(cluster)), packages)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    assert (found["21"], found["23"], found["41"], found["34"]) == (1, 0, 1, 0)
    assert found["kind"] == "PrivateBridge"
    [node] = found["machine"]
    assert (node["kind"], node["ports"]) == ("private", [f"b1-eth{number}" for number in (1, 2, 3, 4)])


def test_without_the_package_its_name_and_the_cure_are_said() -> None:
    ran = run("from hybridnet import Topo\nTopo().addSwitch('b1', kind='private')\n", None)
    assert "TopologyError: switch b1: kind 'private' does not exist" in ran.stderr
