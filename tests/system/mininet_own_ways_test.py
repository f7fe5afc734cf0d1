# SPDX-License-Identifier: MIT
"""Scripts written for Mininet that shape, find and move things in their own ways."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.system.computer import Ended, run_on_a_computer


def run_script(tmp_path: Path, text: str) -> Ended:
    script = tmp_path / "script.py"
    script.write_text(text)
    return run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])


def told(ended: Ended) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in ended.out.splitlines())


OWN_INTERFACES = """
import re
from mininet.link import Link, TCIntf, TCLink
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import Topo

class Fixed(TCIntf):
    "As its commands of tc say, whatever its options are."
    def bwCmds(self, **params):
        return ["%s qdisc add dev %s root handle 5:0 htb default 1",
                "%s class add dev %s parent 5:0 classid 5:1 htb rate 3Mbit burst 15k quantum 1514"], " parent 5:1 "

class Told(TCIntf):
    "Says what its configuration gave."
    def config(self, **params):
        result = super().config(**params)
        print("parent", self, result["parent"].strip(), result["tcoutputs"])
        return result

class Own(Link):
    def __init__(self, node1, node2, **params):
        params.pop("port1", None), params.pop("port2", None)
        Link.__init__(self, node1, node2, cls1=Fixed, cls2=Told, params1=params, params2=params)

class Pair(Topo):
    def build(self):
        for name in ("h1", "h2"):
            self.addHost(name)
        self.addLink("h1", "h2", cls=Own, bw=10, delay="10ms")

net = Mininet(Pair(), controller=None)
net.start()
h1, h2 = net.get("h1", "h2")
link = net.links[0]
shown = lambda host: re.findall("rate ([^ ]+)", host.cmd(f"tc class show dev {host.defaultIntf()}"))[0]
time = lambda: h1.cmd("ping -c 3 -i 0.2 -q 10.0.0.2").split(" = ")[1].split("/")[0]
print("rates", shown(h1), shown(h2))
print("first", time())
commands, parent = TCIntf.bwCmds(link.intf2, bw=5)
commands += TCIntf.delayCmds(parent, delay="40ms")[0]
for command in ["%s qdisc del dev %s root", *commands]:
    h2.popen(command % ("tc", link.intf2)).wait()
print("second", time())
print("kept", link.intf2.params["delay"], shown(h2))
net.stop()
"""

FOUND_AND_MOVED = """
import os, subprocess
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import SingleSwitchTopo
from mininet.util import makeIntfPair, moveIntf

net = Mininet(SingleSwitchTopo(2), switch=OVSBridge, controller=None)
net.start()
h1, h2 = net.get("h1", "h2")
said = lambda command: subprocess.run(command, shell=True, capture_output=True, text=True).stdout.strip()
print("found", said("pgrep -f 'mininet:h1$'") == str(h1.pid))
print("entered", said("nsenter -n -t $(pgrep -f 'mininet:h2$') hostname -I"))
h3 = net.addHost("h3")
print("later", said("pgrep -f 'mininet:h3$'") == str(h3.pid))
h1.cmd("sh -c 'exit 3'")
print("status", h1.cmd("echo $?").strip())
print("job", h1.cmd("sleep 100 &") == f"[1] {h1.cmd('echo $!')}")
makeIntfPair("own-a", "own-b")
moveIntf("own-a", h1), moveIntf("own-b", h2)
h1.cmd("ip address add 192.168.9.1/24 dev own-a; ip link set own-a up")
h2.cmd("ip address add 192.168.9.2/24 dev own-b; ip link set own-b up")
print("moved", "1 received" in h1.cmd("ping -c1 -W5 192.168.9.2"))
net.stop()
"""

BY_SUDO = """
import os
from mininet.link import TCLink
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo

os.system("sudo mn -c")
net = Mininet(SingleSwitchTopo(2), link=TCLink, controller=None)
net["s1"].failMode = "standalone"
h1 = net["h1"]
net.links[0].intf1.config(bw=100)
net.start()
net.ping([h1, net["h2"]])
h1.cmd("sudo tc qdisc del dev h1-eth0 root")
h1.cmd("sudo tc qdisc add dev h1-eth0 root handle 1: netem delay 20ms")
h1.cmd("sudo tc qdisc add dev h1-eth0 parent 1: handle 2: tbf rate 10mbit burst 5000 limit 150000")
print("time", h1.cmd("ping -c 3 -i 0.2 -q 10.0.0.2").split(" = ")[1].split("/")[0])
print("shown", *h1.cmd("sudo -n tc class show dev h1-eth0").split()[8:10])
print("other", h1.cmd("sudo -u root id -u").strip(), os.system("sudo -n true"))
net.stop()
"""


def test_interfaces_of_a_script_s_own_classes_are_configured_and_shaped_by_their_commands(
    tmp_path: Path,
) -> None:
    ended = run_script(tmp_path, OWN_INTERFACES)
    said = told(ended)
    assert said["parent"] == "h2-eth0 parent 10:1 []", ended.err
    assert said["rates"] == "3Mbit 10Mbit"
    assert 20 <= float(said["first"]) < 25
    assert 50 <= float(said["second"]) < 55
    assert said["kept"] == "10ms 5Mbit"
    assert ended.left == {}


def test_nodes_are_found_among_the_processes_and_devices_move_into_them(tmp_path: Path) -> None:
    ended = run_script(tmp_path, FOUND_AND_MOVED)
    assert told(ended) == {
        "found": "True",
        "entered": "10.0.0.2",
        "later": "True",
        "status": "3",
        "job": "True",
        "moved": "True",
    }, ended.err
    assert ended.left == {}


@pytest.mark.skipif(shutil.which("sudo") is None, reason="sudo is not installed")
def test_what_sudo_runs_is_what_the_script_would_run_itself(tmp_path: Path) -> None:
    ended = run_script(tmp_path, BY_SUDO)
    said = told(ended)
    assert 20 <= float(said["time"]) < 25, ended.err
    assert said["shown"] == "rate 10Mbit"
    assert said["other"] == "0 0"
    assert ended.left == {}


BY_THE_KERNEL = """
import re
from statistics import median
from mininet.link import TCLink
from mininet.net import Mininet
from mininet.node import OVSBridge

net = Mininet(controller=None, switch=OVSBridge, autoStaticArp=True)
h1, h2 = net.addHost("h1"), net.addHost("h2")
s1 = net.addSwitch("s1")
link = net.addLink(h1, s1, cls=TCLink, kernel=True, bw=10, max_queue_size=50)
net.addLink(h2, s1)
net.start()

def rate(sender, receiver):
    "What arrives of more than the link takes, in Mbit/s of frames: the median second, but for the first and last."
    server = receiver.popen("iperf3", "-s", "-1", "-f", "k", "--forceflush")
    while b"listening" not in server.stdout.readline():
        pass
    sender.cmd("iperf3 -u -b 30M -l 1448 -t 6 -c", receiver.IP())
    kbps = [float(each) for each in re.findall("([0-9.]+) Kbits/sec", server.communicate()[0].decode())]
    return median(kbps[1:5]) * 1490 / 1448 / 1000

print("simulated", sum(len(machine["instances"]) for machine in net.plan.machines.values()))
print("there", rate(h1, h2))
print("back", rate(h2, h1))
link.intf1.config(bw=4)
print("changed", rate(h1, h2))
print("class", h1.cmd("tc class show dev h1-eth0").split(" rate ")[1].split()[0])
print("queue", s1.cmd("tc qdisc show dev s1-eth1").split("pfifo 10:")[1].split("limit ")[1].split()[0])
net.stop()
"""


@pytest.mark.slow
def test_a_link_with_kernel_true_has_the_kernels_rate_within_one_percent(tmp_path: Path) -> None:
    ended = run_script(tmp_path, BY_THE_KERNEL)
    assert ended.status == 0, ended.err
    said = told(ended)
    assert said["simulated"] == "0"
    for name, rate in (("there", 10), ("back", 10), ("changed", 4)):
        assert float(said[name]) == pytest.approx(rate, rel=0.01), name
    assert (said["class"], said["queue"]) == ("4Mbit", "50p")
    assert ended.left == {}


LACKING = """
from mininet.link import TCLink
from mininet.net import Mininet
net = Mininet(controller=None)
net.addLink(net.addHost("h1"), net.addHost("h2"), cls=TCLink, kernel=True, delay="5ms")
net.start()
time = net["h1"].cmd("ping -c 3 -i 0.2 -q 10.0.0.2").split(" = ")[1].split("/")[0]
print("time", time)
net.stop()
"""


def test_a_delay_by_a_kernel_without_netem_is_refused_with_the_cure(tmp_path: Path) -> None:
    ended = run_script(tmp_path, LACKING)
    if ended.status == 0:  # it has netem
        assert 10 <= float(told(ended)["time"]) < 20
        return
    assert ended.status == 3
    assert "h1-eth0: this kernel has no netem; leave kernel=True out, and the simulator" in ended.err
    assert ended.left == {}
