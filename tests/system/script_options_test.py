# SPDX-License-Identifier: MIT
"""What `hybridnet run` is told of instances, peering, waiting and switches holds for the networks of scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.computer import run_on_a_computer

pytestmark = pytest.mark.system

SCRIPT = """
from hybridnet import Net, Topo

topo = Topo()
for number in (1, 2):
    topo.addSimRouter(f"r{number}")
    topo.addLink(topo.addHost(f"h{number}"), topo.addSwitch(f"s{number}"))
    topo.addLink(f"s{number}", f"r{number}", bw=100)
topo.addLink("r1", "r2", delay="5ms")
with Net(topo) as net:
    assert net.pingAll(timeout=10) == 0
    for name, plan in net.plan.instances.items():
        openflow = [node["name"] for node in plan["nodes"] if node["kind"] == "openflow"]
        print(name, plan["realtime"]["wait"], *(peer["flush"] for peer in plan["peers"]), *openflow)
"""

OF_MININET = """
from mininet.link import TCLink
from mininet.net import Mininet
from mininet.topo import LinearTopo

net = Mininet(topo=LinearTopo(2), link=TCLink, controller=None, autoStaticArp=True)
net.addLink("h1", "h2", delay="5ms")
net.start()
for name, plan in net.plan.instances.items():
    print(name, plan["realtime"]["wait"])
net.stop()
"""


def run(folder: Path, text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, "-m", "hybridnet.cli", "run", *flags, str(script)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def test_a_scripts_network_is_divided_peers_waits_and_switches_as_the_command_line_asks(
    tmp_path: Path,
) -> None:
    flags = ("--instances", "2", "--peering", "flush=packet", "--wait", "sleep", "--switches", "simulated")
    done = run(tmp_path, SCRIPT, *flags)
    assert done.returncode == 0, done.stderr
    assert "m1.1 sleep packet s1" in done.stdout
    assert "m1.2 sleep packet s2" in done.stdout


def test_a_scripts_own_argument_that_says_something_else_ends_the_run(tmp_path: Path) -> None:
    done = run(
        tmp_path, SCRIPT.replace("Net(topo)", "Net(topo, instances_per_machine=2)"), "--instances", "3"
    )
    assert done.returncode == 2
    assert "instances_per_machine=2 in the script, and --instances asks for 3" in done.stderr


def test_a_mininet_scripts_instances_wait_as_the_command_line_asks(tmp_path: Path) -> None:
    """On a computer of its own: there is one such network at a time."""
    script = tmp_path / "script.py"
    script.write_text(OF_MININET)
    command = [sys.executable, "-m", "hybridnet.cli", "run", "--wait", "sleep", str(script)]
    done = run_on_a_computer(command, timeout_s=240)
    assert done.status == 0, done.err
    assert "\nhere sleep\n" in f"\n{done.out}"
    refused = run(tmp_path, OF_MININET, "--switches", "simulated")
    assert refused.returncode == 2
    assert "written for Mininet" in refused.stderr
