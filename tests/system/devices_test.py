# SPDX-License-Identifier: MIT
"""Devices of the computer become ports of switches and interfaces of hosts, and come back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.apart import run_apart

pytestmark = [pytest.mark.system, pytest.mark.thorough]

# Three cables, each to a station that has an address of the network's.
CABLES = """
import subprocess

def sh(text):
    return subprocess.run(text, shell=True, capture_output=True, text=True, check=True).stdout

def state():
    devices = "".join(sh(f"ip addr show dev ext{number}") for number in (1, 2, 3))
    settings = sh("cat /proc/sys/net/ipv6/conf/ext*/disable_ipv6 /proc/sys/net/ipv4/conf/ext*/rp_filter")
    # Without what changes by itself: numbers of devices and namespaces, and addresses that the kernel gives.
    lines = [line.split(": ", 2)[-1].split(" link-netns")[0] for line in devices.splitlines()]
    return [line for line in lines if "fe80" not in line and "valid_lft" not in line], settings, sh("ip route")

sh("mkdir -p /run/netns")
for number in (1, 2, 3):
    sh(f"ip netns add far{number}; ip link add ext{number} type veth peer name far0 netns far{number}")
    sh(f"ip -n far{number} addr add 10.0.0.{90 + number}/8 dev far0; ip -n far{number} link set far0 up")
    sh(f"ip addr add 192.0.{number}.1/24 dev ext{number}")
sh("ip link set ext1 up; ip link set ext3 up; ip route add 198.51.100.0/24 via 192.0.1.7")
before = state()
"""

OWN = """
from hybridnet import LinuxBridge, MachineError, Net, Topo

topo = Topo()
topo.addSwitch("s1", failMode="standalone", devices=["ext1"])
topo.addSwitch("b1", cls=LinuxBridge, devices=["ext2"])
topo.addHost("h1", devices=["ext3"])
topo.addLink("h1", "s1")
topo.addLink("s1", "b1")
with Net(topo, controller=None) as net:
    h1 = net["h1"]
    assert "1 received" in h1.cmd("ping -c 1 10.0.0.91")
    assert "1 received" in h1.cmd("ping -c 1 10.0.0.92")
    h1.cmd("ip addr add 10.0.0.93/32 dev lo; ip route add 10.0.0.93/32 dev ext3; ip addr del 10.0.0.93/32 dev lo")
    assert "1 received" in h1.cmd("ping -c 1 10.0.0.93")
    assert "ext" not in sh("ip -o link show")
assert state() == before, (before, state())

topo = Topo()
topo.addSwitch("s1", devices=["nothing"])
try:
    Net(topo, controller=None).start()
    raise AssertionError("a device that is not there was taken")
except MachineError as error:
    assert "device nothing does not exist on this computer; it has lo, " in str(error), error
"""

MININETS = """
from mininet.link import Intf
from mininet.net import Mininet
from mininet.node import OVSBridge

net = Mininet(controller=None, switch=OVSBridge)
h1, s1 = net.addHost("h1"), net.addSwitch("s1")
net.addLink(h1, s1)
Intf("ext1", node=s1)
net.start()
assert "1 received" in h1.cmd("ping -c 1 10.0.0.91")
Intf("ext3", node=h1)  # while it runs
assert "ext3" in h1.cmd("ip link")
"""


def test_devices_are_lent_to_switches_and_hosts_of_a_local_machine(tmp_path: Path) -> None:
    done = run_apart(tmp_path, CABLES + OWN)
    assert done.returncode == 0, done.stdout + done.stderr


PORTAL = """
from hybridnet import External, Net, Topo

topo = Topo()
topo.addSwitch("s1", failMode="standalone")
topo.addLink(topo.addHost("h1"), "s1")
topo.addLink("s1", External("ext1"), delay="5ms")
topo.addHost("h2")
topo.addLink("h2", External("ext2", backend="pcap", filter="arp or icmp"), bw=100)
features = sh("ethtool -k ext1")
with Net(topo, controller=None) as net:
    answer = net["h1"].cmd("ping -c 3 -i 0.2 10.0.0.91")
    assert "3 received" in answer, answer
    least_ms = float(answer.split("= ")[-1].split("/")[0])
    assert 10.0 <= least_ms < 20.0, answer
    assert "1 received" in net["h2"].cmd("ping -c 1 10.0.0.92")
    portals = {portal["name"]: portal for portal in net.snapshot()["m1"]["portals"]}
    assert portals["p-ext1"]["accepted_segments"] >= 3, portals
assert state() == before, (before, state())
assert sh("ethtool -k ext1") == features
"""


def test_a_simulated_link_leads_to_a_device_of_the_computer(tmp_path: Path) -> None:
    done = run_apart(tmp_path, CABLES + PORTAL)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mininets_hardware_interfaces_come_back(tmp_path: Path) -> None:
    text = f"{CABLES}{MININETS}net.stop()\nassert state() == before, (before, state())\n"
    done = run_apart(tmp_path, text, "-m", "hybridnet.compat.mininet")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_killed_script_gives_devices_back(tmp_path: Path) -> None:
    killed = tmp_path / "killed.py"
    killed.write_text(f"{MININETS}import os; os.kill(os.getpid(), 9)\n")
    text = f"""{CABLES}
import sys, time
command = [sys.executable, "-m", "hybridnet.compat.mininet", {str(killed)!r}]
done = subprocess.run(command, capture_output=True, text=True)
assert done.returncode == -9, done.stderr
deadline = time.monotonic() + 30
while True:  # the guardian notices its death
    try:
        if state() == before:
            break
    except subprocess.CalledProcessError:  # ext3 is in a host
        pass
    assert time.monotonic() < deadline, state()
    time.sleep(0.1)
"""
    done = run_apart(tmp_path, text)
    assert done.returncode == 0, done.stdout + done.stderr
