# SPDX-License-Identifier: MIT
"""Networks reach the outside through a node that translates addresses, and leave no rule behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.apart import run_apart

pytestmark = [pytest.mark.system, pytest.mark.thorough]

# A computer whose default route leads to another one, which knows no way back: only translated packets are answered.
OUTSIDE = """
import subprocess

def sh(text):
    return subprocess.run(text, shell=True, capture_output=True, text=True, check=True).stdout

def state():
    return sh("iptables-save | grep -v '^#'; nft list ruleset; ip -br link; ip -br addr; ip route; "
              "cat /proc/sys/net/ipv4/ip_forward")

sh("mkdir -p /run/netns; ip netns add beyond; ip link add up0 type veth peer name up1 netns beyond")
sh("ip addr add 203.0.113.1/24 dev up0; ip link set up0 up; ip route add default via 203.0.113.2")
sh("ip -n beyond addr add 203.0.113.2/24 dev up1; ip -n beyond link set up1 up")
"""

OWN = """
from hybridnet import Net, Topo

topo = Topo()
topo.addSwitch("s1", failMode="standalone")
topo.addLink(topo.addHost("h1"), "s1")
topo.addNAT()
before = state()
with Net(topo, controller=None) as net:
    h1 = net["h1"]
    assert "2 received" in h1.cmd("ping -c 2 -i 0.2 203.0.113.2")
    head = net.cluster.address("m1").rpartition(".")[0] + ".254"
    assert "0 received" in h1.cmd("ping -c 1 -W 1", head)  # the run's own network stays closed
    assert state() != before
assert state() == before, state()
"""

BESIDE_A_ROUTER = """
from hybridnet import Net, Topo
from hybridnet.errors import PlanError

topo = Topo()
for name in ("s1", "s2", "s3"):
    topo.addSwitch(name, failMode="standalone")
topo.addSimRouter("r1")
topo.addLink("s1", "r1")
topo.addLink("s2", "r1")
topo.addLink(topo.addHost("h1", inNamespace=False), "s1")
topo.addLink(topo.addHost("h2"), "s2")
topo.addLink(topo.addHost("h3"), "s3")
topo.addNAT(connect="s3")
before = state()
with Net(topo, controller=None, cluster=CLUSTER) as net:
    assert "2 received" in net["h1"].cmd("ping -c 2 -i 0.2", net["h2"].IP())
    assert "2 received" in net["h3"].cmd("ping -c 2 -i 0.2 203.0.113.2")
    try:
        net.addNAT("nat1", connect="s2")
    except PlanError as error:
        assert "simulated router r1" in str(error), error
    else:
        raise AssertionError("a way out beside a simulated router")
assert state() == before, state()
"""

# As Ubuntu has it: the computer asks itself, at 127.0.0.53, and a resolver there asks the server beyond.
RESOLVED = """
import pathlib, sys
SERVER = r'''
import socket
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.bind(("203.0.113.2", 53))
print(flush=True)
while True:
    asked, whom = line.recvfrom(512)
    question = asked[12:asked.index(b"\\0", 12) + 5]
    answer = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\xc0\\0\\2\\7" if question[-3] == 1 else b""
    line.sendto(asked[:2] + b"\\x81\\x80\\0\\1\\0" + bytes([bool(answer)]) + b"\\0\\0\\0\\0" + question + answer, whom)
'''
server = subprocess.Popen(["ip", "netns", "exec", "beyond", sys.executable, "-c", SERVER], stdout=subprocess.PIPE)
server.stdout.readline()
resolved = pathlib.Path("/run/systemd/resolve")
resolved.mkdir(parents=True)
(resolved / "stub-resolv.conf").write_text("nameserver 127.0.0.53\\n")
(resolved / "resolv.conf").write_text("nameserver 203.0.113.2\\n")
sh("mkdir /run/etc; mount -t tmpfs etc /run/etc; mkdir /run/etc/upper /run/etc/work; "
   "mount -t overlay etc -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc; "
   "ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf")

from hybridnet import Net, Topo

def names(outside):
    topo = Topo()
    topo.addSwitch("s1", failMode="standalone")
    topo.addLink(topo.addHost("h1"), "s1")
    if outside:
        topo.addNAT()
    with Net(topo, controller=None, cluster=CLUSTER) as net:
        return net["h1"].cmd("getent ahostsv4 lab.example.; cat /etc/resolv.conf")

try:
    found = names(outside=True)
    assert "192.0.2.7" in found and "nameserver 203.0.113.2" in found, found
    assert "nameserver 127.0.0.53" in names(outside=False)  # nobody answers there, at once
finally:
    server.kill()
"""

MININETS = """
from mininet.log import setLogLevel
from mininet.topolib import TreeNet

setLogLevel("info")
before = state()
net = TreeNet(depth=1, fanout=2, controller=None, switch=OVSBridge)
net.addNAT().configDefault()
net.start()
assert "2 received" in net["h2"].cmd("ping -c 2 -i 0.2 203.0.113.2")
"""


def test_a_local_machine_reaches_what_its_computer_reaches(tmp_path: Path) -> None:
    done = run_apart(tmp_path, OUTSIDE + OWN)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("cluster", [None, "here"])
def test_hosts_of_the_machine_reach_what_is_behind_a_router_beside_its_way_out(
    tmp_path: Path, cluster: str | None
) -> None:
    done = run_apart(tmp_path, OUTSIDE + BESIDE_A_ROUTER.replace("CLUSTER", repr(cluster)))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("cluster", [None, "here"])
def test_hosts_ask_the_name_servers_behind_a_computers_own_resolver(
    tmp_path: Path, cluster: str | None
) -> None:
    done = run_apart(tmp_path, OUTSIDE + RESOLVED.replace("CLUSTER", repr(cluster)))
    assert done.returncode == 0, done.stdout + done.stderr


def test_mininets_nat_works_with_the_rules_that_are_there_and_is_removed_exactly(tmp_path: Path) -> None:
    # A computer whose firewall forwards nothing, as with Docker: iptables' rules decide, and stay as they are.
    text = (
        "from mininet.node import OVSBridge\n"
        + OUTSIDE
        + "sh('iptables -P FORWARD DROP; iptables -t nat -A POSTROUTING -s 192.0.2.0/24 -j RETURN')\n"
        + MININETS
    )
    done = run_apart(
        tmp_path, f"{text}net.stop()\nassert state() == before, state()\n", "-m", "hybridnet.compat.mininet"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nat0 translates 10.0.0.0/8 by iptables" in done.stderr + done.stdout


def test_a_killed_script_leaves_no_rules(tmp_path: Path) -> None:
    killed = tmp_path / "killed.py"
    killed.write_text(
        "from mininet.node import OVSBridge\ndef state(): pass\n"
        + MININETS
        + "import os; os.kill(os.getpid(), 9)\n"
    )
    text = f"""{OUTSIDE}
import sys, time
before = state()
command = [sys.executable, "-m", "hybridnet.compat.mininet", {str(killed)!r}]
done = subprocess.run(command, capture_output=True, text=True)
assert done.returncode == -9, done.stderr
assert "nat0 translates 10.0.0.0/8 by nftables" in done.stderr + done.stdout
deadline = time.monotonic() + 30
while state() != before:  # the guardian notices its death
    assert time.monotonic() < deadline, state()
    time.sleep(0.1)
"""
    done = run_apart(tmp_path, text)
    assert done.returncode == 0, done.stdout + done.stderr
