# SPDX-License-Identifier: MIT
"""Scripts written for Mininet run unchanged through `hybridnet run`, and leave nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.system.computer import Ended, run_on_a_computer

USUAL = """
from functools import partial
from mininet.net import Mininet
from mininet.node import OVSSwitch, Host
from mininet.link import TCLink
from mininet.topo import Topo
from mininet.util import dumpNodeConnections
from mininet.log import setLogLevel

class Two(Topo):
    def build(self):
        s1 = self.addSwitch("s1")
        for number in (1, 2):
            self.addLink(self.addHost(f"h{number}"), s1, cls=TCLink, bw=10, delay="5ms")

class Marked(Host):
    def config(self, **params):
        result = super().config(**params)
        self.cmd("sysctl -w net.ipv4.ip_forward=1")
        return result

setLogLevel("info")
net = Mininet(Two(), host=Marked)
net.start()
dumpNodeConnections(net.hosts)
assert net.pingAll() == 0
h1, h2 = net.get("h1", "h2")
print("address", h1.IP(), h1.cmd("cat /proc/sys/net/ipv4/ip_forward").strip())
print("bytes", type(h1.popen("echo x").communicate()[0]).__name__)
print("time", h1.cmd("ping -c 3 -i 0.2 -q", h2.IP()).splitlines()[-1])
print("flows", "actions=" in net["s1"].cmd("ovs-ofctl dump-flows s1"))
net.stop()
"""

CONTROLLER = """
from hybridnet.controllers.ryu import RyuController
running = RyuController(("tree_switch",), address="127.0.0.1", port=6653).start()
"""

LIKE_MINIEDIT = """
from mininet.net import Mininet
from mininet.node import Controller, RemoteController, OVSKernelSwitch, Host

net = Mininet(topo=None, build=False, ipBase="10.0.0.0/8")
c0 = net.addController(name="c0", controller=RemoteController, ip="127.0.0.1", protocol="tcp", port={port})
s1 = net.addSwitch("s1", cls=OVSKernelSwitch)
h1 = net.addHost("h1", cls=Host, ip="10.0.0.1", defaultRoute=None)
h2 = net.addHost("h2", cls=Host, ip="10.0.0.2", defaultRoute=None)
net.addLink(h1, s1)
net.addLink(h2, s1)
net.build()
for controller in net.controllers:
    controller.start()
net.get("s1").start([c0])
net.waitConnected(timeout=20)
assert net.pingAll() == 0
"""


def run_script(tmp_path: Path, text: str) -> Ended:
    script = tmp_path / "script.py"
    script.write_text(text)
    return run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])


def test_a_usual_script_runs_unchanged(tmp_path: Path) -> None:
    done = run_script(tmp_path, USUAL)
    assert done.status == 0, done.err
    assert "imports mininet: hybridnet takes its place" in done.err
    assert "h1 h1-eth0:s1-eth1" in done.err
    told = dict(line.split(" ", 1) for line in done.out.splitlines())
    assert told["address"] == "10.0.0.1 1"
    assert told["bytes"] == "bytes"
    assert told["flows"] == "True"
    least_ms = float(told["time"].split("= ")[1].split("/")[0])
    assert 20.0 <= least_ms < 25.0  # two links of 5 ms, there and back
    assert done.left == {}


def test_a_controller_on_loopback_is_reached_and_a_forgotten_network_is_removed(tmp_path: Path) -> None:
    done = run_script(tmp_path, CONTROLLER + LIKE_MINIEDIT.format(port=6653))
    assert done.status == 0, done.err
    assert "ended without net.stop()" in done.err
    assert done.left == {}


def test_without_its_remote_controller_a_network_starts_and_says_so(tmp_path: Path) -> None:
    text = LIKE_MINIEDIT.format(port=6653).replace("timeout=20", "timeout=1")
    done = run_script(tmp_path, text.replace("assert net.pingAll() == 0", "net.stop()"))
    assert done.status == 0, done.err
    assert "Unable to contact the remote controller" in done.err
