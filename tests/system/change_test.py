# SPDX-License-Identifier: MIT
"""Networks that change while they run: what comes works, what stays is not disturbed, what goes leaves nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.system.computer import run_on_a_computer

SCRIPT = """
from mininet.link import TCLink
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import LinearTopo

setLogLevel("warning")
net = Mininet(LinearTopo(2), switch=OVSBridge, controller=None)
net.start()
h1, h2, s1, s2 = net.get("h1", "h2", "s1", "s2")
h3 = net.addHost("h3")
link = net.addLink(h3, s1)
s1.attach(link.intf2)
h3.setIP("10.0.0.33/8")
print("a host that came", net.pingAll())
s3 = net.addSwitch("s3")
net.addLink(s3, s2)
s3.start([])
net.addLink(net.addHost("h4", ip="10.0.0.44/8"), s3)
print("beyond a switch that came", net.pingAll())
h1.intf().config(delay="20ms")
print("delay", float(h1.cmd("ping -c 3 -i 0.2 -q 10.0.0.2").split("/")[-3]) > 20)
h1.intf().config(delay="0ms", loss=100)
print("loss", net.ping([h1, h2], timeout=1))
net.delLink(link)
print("without its link", h3.intfNames(), s1.intfNames())
net.delHost(h3)
net.delLinkBetween(s2, s3)
print("left", sorted(net.keys()), len(net.links), s3.intfNames())
net["h4"].intf().rename("eth9")
print("renamed", "eth9" in net["h4"].cmd("ip -br link"), net["h4"].intfNames())
net.stop()
"""


def test_a_mininet_script_changes_its_network_while_it_runs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ended = run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])
    assert ended.status == 0, ended.err
    lines = [line for line in ended.out.splitlines() if line and not line.startswith(("***", "verdict"))]
    assert lines == [
        "a host that came 0.0",
        "beyond a switch that came 0.0",
        "delay True",
        "loss 100.0",
        "without its link [] ['s1-eth1', 's1-eth2']",
        "left ['h1', 'h2', 'h4', 's1', 's2', 's3'] 4 ['s3-eth2']",
        "renamed True ['eth9']",
    ], ended.err
    assert ended.left == {}
