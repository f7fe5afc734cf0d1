# SPDX-License-Identifier: MIT
"""Options of nodes in scripts written for Mininet: as Mininet takes them, each that has no effect with one warning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.apart import run_apart

pytestmark = pytest.mark.system

SCRIPT = """
import subprocess
from mininet.link import TCIntf
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import CPULimitedHost, Node, OVSSwitch
from mininet.nodelib import LinuxBridge

class LinuxRouter(Node):
    def config(self, **params):
        super().config(**params)
        self.cmd("sysctl net.ipv4.ip_forward=1")

def computer(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout

net = Mininet(controller=None, switch=OVSSwitch, listenPort=6634)
a1 = net.addSwitch("A1", failMode="standalone", mac="00:00:00:00:00:77", log_file="/dev/null", stp=True)
c1 = net.addSwitch("C1", failMode="standalone")
b1 = net.addSwitch("b1", cls=LinuxBridge)
h1 = net.addHost("h1", ipv6="fd00::1/64", privateDirs=[("/var/spool", "{folder}/%(name)s/spool"), "/var/cache"])
h2 = net.addHost("h2", ip="10.0.0.1", cls=CPULimitedHost, cpu=.1)
r = net.addHost("r", cls=LinuxRouter, ip="10.0.0.9/8")
root = net.addHost("root", inNamespace=False)
net.addLink(h1, b1, intf=TCIntf)
net.addLink(h2, b1)
net.addLink(r, b1, mtu=9000)
net.addLink(root, b1)
net.addLink(h1, a1)
net.addLink(h2, c1)
h1.intf().config(bw=10)
h2.intf().config(mac="00:00:00:00:00:22")
net.start()
assert h2.cmd("cat /sys/class/net/h2-eth0/address").strip() == "00:00:00:00:00:22"
assert (a1.dpid, c1.dpid) == ("0000000000000001", "0000000000000002")
assert "fd00::1/64" in h1.cmd("ip -6 addr show dev h1-eth0")
assert h1.cmd("hostname") == "h1\\r\\n"
h1.cmd("echo kept > /var/spool/x")
assert computer("cat {folder}/h1/spool/x") == "kept\\n"
assert r.cmd("cat /proc/sys/net/ipv4/ip_forward /sys/class/net/r-eth0/mtu").split() == ["1", "9000"]
assert "1 received" in root.cmd("ping -c 1 10.0.0.9")
assert root.cmd("hostname").strip() == computer("hostname").strip()
b1.stop(deleteIntfs=False)
assert " 0% packet loss" not in root.cmd("ping -c 1 -W 1 10.0.0.9")
net.delLinkBetween(h2, b1)
b1.start([])  # what has gone stays away; and until ARP asks anew, a ping may end with an error
assert "1 received" in root.cmd("timeout 10 sh -c 'until ping -c 1 -W 1 10.0.0.9; do :; done'")
assert computer("ovs-vsctl get bridge A1 stp_enable") == "true\\n"
assert "dpid:0000000000000001" in computer("ovs-ofctl -O OpenFlow13 show tcp:127.0.0.1:6634")
assert type(h1.popen("echo x").communicate()[0]) is bytes
h1.intf().config(bw=5)
r.cmdPrint("echo", "hidden")
setLogLevel("info")
r.cmdPrint("echo", "shown")
r.cmd("ip route add 192.0.2.0/24 via 10.0.0.1")
r.setMAC("00:00:00:00:00:99")
r.cmd("timeout 10 sh -c 'until ip -6 addr show dev r-eth0 | grep -q fe80::200:ff:fe00:99; do :; done'")
assert r.cmd("ip -6 -brief addr show dev r-eth0 scope link").split()[2:] == ["fe80::200:ff:fe00:99/64"]
assert r.cmd("ip route").split() == "10.0.0.0/8 dev r-eth0 proto kernel scope link src 10.0.0.9".split()
net.stop()
"""


def test_options_of_nodes_do_what_they_do_in_mininet(tmp_path: Path) -> None:
    done = run_apart(tmp_path, SCRIPT.replace("{folder}", str(tmp_path)), "-m", "hybridnet.compat.mininet")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "*** r : ('echo', 'shown')\nshown\n" in done.stderr
    assert "hidden" not in done.stderr
    told = [line for line in done.stderr.splitlines() + done.stdout.splitlines() if "*** hybridnet: " in line]
    assert [line.split(": ")[1] for line in told] == ["host h2", "switch A1", "switch C1"], told


LINKED_CONTROLLER = """
from mininet.net import Mininet
from mininet.node import OVSSwitch

net = Mininet(controller=None, switch=OVSSwitch)
s1 = net.addSwitch("s1", failMode="standalone")
h1 = net.addHost("h1")
c0 = net.addController("c0", port=6655)
net.addLink(h1, s1)
link = net.addLink(s1, c0, intfName2="to-s1")
assert (str(link), c0.intfNames(), net.linksBetween(c0, s1)) == ("s1-eth2<->to-s1", ["to-s1"], [link])
net.start()
c0.cmd("ifconfig to-s1 10.0.0.77/8 up")
assert "1 received" in h1.cmd("ping -c 1 10.0.0.77")
later = net.addLink(c0, h1)
assert str(later) == "c0-eth1<->h1-eth1"
c0.setIP("10.9.0.1", 24, intf="c0-eth1")
h1.setIP("10.9.0.2", 24, intf="h1-eth1")
assert "1 received" in h1.cmd("ping -c 1 10.9.0.1")
assert list(net) == ["h1", "s1", "c0"]
net.stop()
"""


def test_a_controller_may_be_linked_to_nodes(tmp_path: Path) -> None:
    done = run_apart(tmp_path, LINKED_CONTROLLER, "-m", "hybridnet.compat.mininet")
    assert done.returncode == 0, done.stdout + done.stderr
