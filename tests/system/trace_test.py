# SPDX-License-Identifier: MIT
"""`hybridnet run --trace`: frames at simulated interfaces, and states of simulated TCP, while a network runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

SCRIPT = """
from hybridnet import Net, Topo

class Two(Topo):
    def build(self):
        self.addHost("h1", machine="m1")
        self.addSimRouter("r1", machine="m1")
        self.addSimRouter("r2", machine="m2")
        self.addSimHost("b", machine="m2", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addSimHost("a", machine="m1", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addLink("h1", "r1")
        self.addLink("a", "r1", bw=2)
        self.addLink("r1", "r2", delay="5ms")
        self.addLink("b", "r2")

for _ in range(2):
    with Net(Two(), controller=None) as net:
        there = net.plan.instances["m2"]["nodes"]
        address = [node for node in there if node["name"] == "b"][0]["interfaces"][0]["address"]
        net["h1"].cmd("ping -c 3 -i 0.2", address.split("/")[0])
"""


LEAVING = """
from hybridnet import Net, Topo

class Two(Topo):
    def build(self):
        for number in (1, 2):
            self.addSimRouter(f"r{number}", machine=f"m{number}")
        self.addSimHost("b", machine="m1", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addSimHost("a", machine="m2", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addLink("b", "r1", bw=2)
        self.addLink("r1", "r2", delay="5ms")
        self.addLink("a", "r2")

with Net(Two(), controller=None) as net:
    while net.snapshot(of_elements=False)["m2"]["time_ns"] < 1_000_000_000:
        pass
    net.delMachine("m2")
"""


def run(folder: Path, *flags: str, script: str = SCRIPT) -> subprocess.CompletedProcess[str]:
    (folder / "two.py").write_text(script)
    command = [sys.executable, "-m", "hybridnet.cli", "run", "--out", "one", *flags, "two.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)


def times(lines: list[str]) -> list[float]:
    return [float(line.split(" ", 1)[0]) for line in lines]


@pytest.mark.thorough
def test_each_network_of_a_script_leaves_its_traces_in_the_run_directory(tmp_path: Path) -> None:
    done = run(tmp_path, "--trace", "r1-eth1,b-eth0,a")
    assert done.returncode == 0, done.stderr
    for folder in (tmp_path / "one" / "traces", tmp_path / "one" / "traces-2"):
        assert {file.name for file in folder.iterdir()} == {
            "connections.txt", "r1-eth1.pcap", "r1-eth1.txt", "b-eth0.pcap", "b-eth0.txt"
        }  # fmt: skip
        pings = (folder / "r1-eth1.txt").read_text()
        assert pings.count("ICMP echo request") == pings.count("ICMP echo reply") == 3
        frames = (folder / "b-eth0.txt").read_text().splitlines()
        assert any("length 1448" in line for line in frames)
        states = (folder / "connections.txt").read_text().splitlines()
        assert all(" a:10." in line for line in states)
        assert sum("ESTABLISHED" in line for line in states) > 3
        first, *_, last = times(frames)
        assert all(first - 1 < time < last + 1 for time in times(states)), "one clock"
    captures = list((tmp_path / "one").glob("network-*/captures"))
    assert captures == [], "nothing is kept twice"


def test_a_machine_that_leaves_hands_over_what_it_has_seen_of_connections(tmp_path: Path) -> None:
    done = run(tmp_path, "--trace", "a,b", script=LEAVING)
    assert done.returncode == 0, done.stderr
    states = (tmp_path / "one" / "traces" / "connections.txt").read_text()
    assert " a:10." in states
    assert " b:10." in states


def test_a_name_that_the_network_lacks_ends_the_run_with_those_that_there_are(tmp_path: Path) -> None:
    done = run(tmp_path, "--trace", "r9-eth1")
    assert done.returncode == 2
    assert (
        "r9-eth1: there is no simulated interface of that name; the interfaces are a-eth0, b-eth0"
        in done.stderr
    )
