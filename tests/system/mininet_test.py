# SPDX-License-Identifier: MIT
"""Scripts written for Mininet run unchanged through `hybridnet run`, and leave nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

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
assert net.pingAll(timeout=10) == 0
h1, h2 = net.get("h1", "h2")
print("address", h1.IP(), h1.cmd("cat /proc/sys/net/ipv4/ip_forward").strip())
print("bytes", type(h1.popen("echo x").communicate()[0]).__name__)
print("time", h1.cmd("ping -c 20 -i 0.1 -q", h2.IP()).splitlines()[-1])
h1.sendCmd("echo ended, and nobody fetched what it printed")
h1.sendCmd("echo next")
print("read", h1.waitOutput().strip())
print("flows", "actions=" in net["s1"].cmd("ovs-ofctl dump-flows s1"))
net.stop()
"""

CONTROLLER = """
from hybridnet.run.controllers.process import ControllerProcess
running = ControllerProcess(("tree_switch",), address="127.0.0.1", port=6653).start()
"""

AS_MININET_TAKES_IT = """
import multiprocessing, os, subprocess, threading
from mininet.link import Intf, TCLink
from mininet.net import Mininet
from mininet.node import OVSBridge

net = Mininet(topo=None, build=False, controller=None, switch=OVSBridge, link=TCLink)
h1 = net.addHost("h1", ip="10.0.0.1", mac="00:00:00:00:00:00:01")
h2, h3 = net.addHost("h2", ip="10.0.0.300"), net.addHost("h3", ip="", defaultRoute="10.0.0.9")
s1 = net.addSwitch("s1")
net.addLink(h1, s1, addr2="00:00:00:00:00:0b"), net.addLink(h2, s1), net.addLink(h3, s1, delay="fast", bw=-1)
Intf("no-such-device", node=s1)
net.build()
s1.start([])
print("made", subprocess.run(["ovs-vsctl", "list-ports", "s1"], capture_output=True, text=True).stdout.split())
print("ports", s1.intf("s1-eth1").MAC(), "00:00:00:00:00:0b" in s1.cmd("ip link show s1-eth1"), len(s1.MAC("s1-eth2")))
print("addresses", h2.IP(), "inet " in h2.cmd("ip -4 address show dev h2-eth0"), h3.IP() or "none")
h2.setIP("10.0.0.2/8"), h3.setDefaultRoute("via nowhere")
print("ping", net.ping([h1, h2]))
h1.sendCmd("echo started; sleep 0.2")
h1.waiting = False
print("next", h1.cmd("echo next").strip())
print("popen", h1.popen("echo x", bufsize=1, preexec_fn=os.setsid).communicate()[0])
forked = lambda: print("fork", h2.cmd("echo forked").strip(), flush=True)
fork = multiprocessing.get_context("fork").Process(target=forked)
fork.start(), fork.join()
net.stop()

net = Mininet(topo=None, build=False, controller=None, switch=OVSBridge)
hosts = [net.addHost(f"h{number}") for number in (1, 2)]
net.addLink(*hosts)
net.build()
said = []
threads = [threading.Thread(target=lambda host=host: said.append(host.cmd("hostname").strip())) for host in hosts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", sorted(said))
net.stop()
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
assert net.pingAll(timeout=10) == 0
"""

GROWING = """
from mininet.link import TCLink
from mininet.net import Mininet
from mininet.topo import LinearTopo

net = Mininet(LinearTopo(2), controller=None)
net.start()
print("links", *{link.status() for link in net.links})
h3, s3 = net.addHost("h3"), net.addSwitch("s3", failMode="standalone")
s3.start([])
near, far = net.addLink(h3, s3), net.addLink(s3, net["h1"], cls=TCLink, bw=10, delay="5ms")
s3.attach(near.intf2.name)
h1 = net["h1"]
h1.cmd("ip address add 10.0.0.9/32 dev h1-eth1; ip route add 10.0.0.3 dev h1-eth1")
print("address", h3.IP(), h3.intfNames(), s3.intfNames(), h1.intfNames())
print("time", h3.cmd("ip route add 10.0.0.9 dev h3-eth0; ping -c 3 -i 0.2 -q 10.0.0.9").splitlines()[-1])
far.intf1.config(delay="20ms")
print("changed", h3.cmd("ping -c 2 -i 0.2 -q 10.0.0.9").splitlines()[-1])
net.delLink(far)
print("cut", h1.intfNames(), "h1-eth1" in h1.cmd("ip link"), s3.intfNames(), len(net.links))
net.delHost(h3)
print("gone", "h3" in net, net.hosts[0], s3.intfNames(), len(net.links))
try:
    net.addHost("h 4")
except Exception as problem:
    print("refused", "h 4" in net, len(net.hosts))
r5, h6 = net.addHost("r5", ip="0.0.0.0"), net.addHost("h6", ip="10.0.0.6", defaultRoute="via 10.0.0.1")
net.addLink(r5, s3), net.addLink(h6, s3)
print("route", h6.cmd("ip route show default").strip())
print("none", r5.IP(), "inet " in r5.cmd("ip address show dev r5-eth0"))
net.stop()
"""

COMMAND_BEFORE_BUILD = """
from mininet.net import Mininet
from mininet.node import Node

class Router(Node):
    def config(self, **params):
        super().config(**params)
        print("config", self.intfNames())

net = Mininet(controller=None, build=False)
r1 = net.addHost("r1", cls=Router, ip="10.0.1.1", defaultRoute="via 10.0.0.2")
r1.cmd("sysctl -w net.ipv4.ip_forward=1")
h1 = net.addHost("h1", ip="10.0.0.2", defaultRoute="via 10.0.1.1")
h2 = net.addHost("h2", ip="11.0.0.1", defaultRoute="via 11.0.1.1")
net.addLink(h1, r1, params2={"ip": "10.0.0.1/8"})
net.addLink(h2, r1, params2={"ip": "11.0.1.1/8"})
net.build()
print("address", r1.IP())
print("reached", "1 received" in h1.cmd("ping -c 1 11.0.0.1"))
net.stop()
"""

WITHOUT_A_NETWORK = """
import time

from mininet.link import Link
from mininet.node import Controller, Host, OVSSwitch

h1, h2 = Host("h1"), Host("h2")
s1 = OVSSwitch("s1", inNamespace=False)
c0 = Controller("c0", inNamespace=False)
Link(h1, s1)
Link(h2, s1)
h1.setIP("10.1/8")
h2.setIP("10.2/8")
c0.start()
s1.start([c0])
latest = time.monotonic() + 20
while not s1.connected() and time.monotonic() < latest:
    time.sleep(0.1)
print("connected", s1.connected())
print("reached", "1 received" in h1.cmd("ping -c 1", h2.IP()))
s1.stop()
c0.stop()
"""


DAEMON_AND_END = """
import os, signal
from mininet.node import Host

h1, root = Host("h1"), Host("root", inNamespace=False)
h1.linkTo(root)
h1.setIP("10.0.0.1", 8)
root.setIP("10.0.0.2", 8)
daemon = "setsid sh -c 'until [ -e {end} ]; do sleep 0.1; done'"
h1.cmd(daemon + " > /dev/null 2>&1 < /dev/null & until [ $(ps -o sid= -p $!) -eq $! ]; do :; done")
os.kill(os.getpid(), signal.SIGKILL)
"""

REFERENCE_SWITCH = """
from mininet.link import Link
from mininet.node import Node

c0, s0, h0, h1 = (Node(name) for name in ("c0", "s0", "h0", "h1"))
control = Link(c0, s0)
Link(h0, s0), Link(h1, s0)
c0.setIP("10.0.123.1/24", intf=control.intf1)
s0.setIP("10.0.123.2/24", intf=control.intf2)
h0.setIP("192.168.123.1/24")
h1.setIP("192.168.123.2/24")
c0.cmd("controller -v ptcp: &")
s0.cmd("ofdatapath -i s0-eth1,s0-eth2 ptcp: &")
s0.cmd("ofprotocol tcp:10.0.123.1 tcp:localhost &")
print("reached", "1 received" in h0.cmd("until ping -c1 192.168.123.2; do sleep 0.2; done", timeout=60))
c0.cmd("kill %controller; wait")
s0.cmd("kill %ofprotocol %ofdatapath; wait")
"""

BRIDGE_BY_HAND = """
from mininet.link import Link
from mininet.node import Node
from mininet.util import quietRun

root, h0, h1 = Node("root", inNamespace=False), Node("h0"), Node("h1")
Link(h0, root), Link(h1, root)
h0.setIP("192.168.123.1/24")
h1.setIP("192.168.123.2/24")
root.cmd("ovs-vsctl add-br dp0")
for intf in root.intfs.values():
    root.cmd(f"ovs-vsctl add-port dp0 {intf}")
print("type", quietRun("ovs-vsctl get Bridge dp0 datapath_type").strip())
print("reached", "1 received" in h0.cmd("ping -c1", h1.IP()))
root.cmd("ovs-vsctl del-br dp0")
"""


ONE_ADDRESS_TWICE = """
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import Topo

class Twins(Topo):
    def build(self):
        switch = self.addSwitch("s1")
        for name in "a", "b":
            self.addLink(self.addHost(name, ip="10.0.0.1/8", defaultRoute="via 10.0.0.254"), switch)

net = Mininet(Twins(), switch=OVSBridge, controller=None)
net.start()
for host in net.hosts:
    print(host, host.cmd("hostname -I").strip(), host.cmd("ip route show default").strip())
net.stop()
"""

BETWEEN_SWITCHES = """
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import LinearTopo

net = Mininet(LinearTopo(3), switch=OVSBridge, controller=None)
net.start()
watching = net["s2"].popen("tcpdump -c 2 -n -i s2-eth2 icmp", stderr=-2)
while b"listening" not in watching.stdout.readline():
    pass
print("lost", net.ping([net["h1"], net["h3"]]))
print("seen", watching.communicate()[0].decode().count("10.0.0.1 > 10.0.0.3: ICMP echo request"))
for way, timeout in ("down", "1"), ("up", None):
    net.configLinkStatus("s1", "s2", way)
    print(way, net.ping([net["h1"], net["h3"]], timeout=timeout))
net.stop()
"""


def run_script(tmp_path: Path, text: str) -> Ended:
    script = tmp_path / "script.py"
    script.write_text(text)
    return run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])


FILES_BESIDE_IT = """
import os
from mininet.net import Mininet

os.chdir({folder!r})
net = Mininet(controller=None)
h1, h2, s1 = net.addHost("h1", privateDirs=["/run/private"]), net.addHost("h2"), net.addSwitch("s1")
net.addLink(h1, s1), net.addLink(h2, s1)
net.start()
h1.cmd("echo made > by_shell")
h2.popen("echo made > by_popen", shell=True).wait()
h2.pexec("cp", "by_popen", "by_words")
h1.pexec("sh", "-c", "cp by_shell /run/private; cat < /run/private/by_shell > 'by a copy'")
s1.cmd("touch by_switch")
print(h1.cmd("pwd").strip(), h2.pexec("pwd")[0].strip(), *sorted(os.listdir()), sep=";")
net.stop()
"""

ITS_OWN_NEIGHBOUR = """
from mininet.net import Mininet
from mininet.topo import Topo

class Looped(Topo):
    def build(self):
        h1, h2 = self.addHost("h1"), self.addHost("h2")
        self.addLink(h1, h2)
        self.addLink(h1, h1, port1=1, port2=2, addr1="00:00:00:00:00:0a")

net = Mininet(Looped(), controller=None)
h1 = net["h1"]
h1.setMAC("00:00:00:00:00:0b", intf="h1-eth2")
net.start()
print("ends", h1.intfNames(), *h1.cmd("cat /sys/class/net/h1-eth[12]/address /sys/class/net/h1-eth1/operstate").split())
net.addLink(h1, h1)
print("later", "h1-eth4" in h1.cmd("ip link show dev h1-eth3"), net.pingAll(timeout=10))
net.delLink(net.links[-1])
print("gone", "does not exist" in h1.cmd("ip link show dev h1-eth3"))
net.stop()
"""

ROUTERS = """
from mininet.net import Mininet
from mininet.node import Switch
from mininet.topo import LinearTopo

class Router(Switch):
    def __init__(self, name, **params):
        super().__init__(name, **{**params, "inNamespace": True})
        self.cmd("sysctl net.ipv4.ip_forward=1")

    def start(self, controllers):
        self.cmd(f"ip address add 10.0.{self.name[1:]}.254/24 dev {self.name}-eth1")
        self.cmd(f"ip address add 10.0.9.{self.name[1:]}/24 dev {self.name}-eth2")
        other = 3 - int(self.name[1:])
        self.cmd(f"ip route add 10.0.{other}.0/24 via 10.0.9.{other}")

    def stop(self):
        # Not what the kernel's tunnels add to every namespace.
        print("stop", *sorted(self.cmd("ls /sys/class/net | grep -e lo -e -eth").split()))
        super().stop()

net = Mininet(LinearTopo(2), switch=Router, controller=None)
for number in (1, 2):
    net[f"h{number}"].setIP(f"10.0.{number}.1/24")
    net[f"h{number}"].setDefaultRoute(f"via 10.0.{number}.254")
net.start()
print("reached", net.pingAll(timeout=10), "ttl=62" in net["h1"].cmd("ping -c 1 10.0.2.1"))
net.stop()
"""

OWN_AND_LATE_CONTROLLERS = """
from mininet.net import *
from mininet.node import RemoteController
from mininet.term import makeTerm
from mininet.topo import SingleSwitchTopo

class Own(Controller):
    "Starts its program in its own way."
    def start(self):
        self.cmd("cd /run")
        self.cmd("controller -v ptcp:6653 > /dev/null 2>&1 &")
    def stop(self):
        print("folder", self.cmd("pwd").strip())
        self.cmd("kill %controller")

net = Mininet(SingleSwitchTopo(2), controller=Own, waitConnected=True)
net.start()
c0 = net.get("c0")
print("node", c0.intfList(), c0.defaultIntf(), c0.pexec("echo", "beside")[0].strip())
net.terms.append(makeTerm(c0))
print("own", net.pingAll(timeout=10))
net.stop()

net = Mininet(controller=Controller)
h1, h2, s1 = net.addHost("h1"), net.addHost("h2"), net.addSwitch("s1")
h1.cmd("true")  # makes the network
c1, c2 = net.addController("c1"), net.addController("c2", RemoteController, ip="127.0.0.1", port=6699)
net.addLink(h1, s1), net.addLink(h2, s1)
net.start()
net.waitConnected()
print("late", net.pingAll(timeout=10), *s1.cmd("ovs-vsctl get-controller s1").split())
s1.start([c2])
print("told", *s1.cmd("ovs-vsctl get-controller s1").split())
net.stop()
"""

PROMPT = """
from mininet.cli import CLI
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo

net = Mininet(SingleSwitchTopo(2))
net.start()
h2 = net.get("h2")
h2.cmd("ip address flush dev h2-eth0; ip address add 10.0.0.77/8 dev h2-eth0")
h2.sendCmd("sleep 60")  # while it runs, the prompt asks for the address
CLI(net, cmd="h1 ping -c1 h2\\npy h2.name\\npy None\\npy h2.IP(), 1")
h2.sendInt()
net.stop()
"""

WATCHED_QUEUE = """
import re, subprocess, time
from mininet.link import TCLink
from mininet.net import Mininet

net = Mininet(controller=None, link=TCLink)
h1, h2, s1 = net.addHost("h1"), net.addHost("h2"), net.addSwitch("s1", failMode="standalone")
net.addLink(h1, s1)
net.addLink(s1, h2, bw=1, delay="5ms", max_queue_size=50)
net.start()
def tc(words):
    return subprocess.run(f"tc {words}", shell=True, capture_output=True, text=True)
net.ping([h1, h2])
blast = h1.popen("iperf -u -c 10.0.0.2 -b 3M -t 30")
waiting = lambda: int(re.findall(r"backlog\\s[^\\s]+\\s([\\d]+)p", tc("-s qdisc show dev s1-eth2").stdout)[1])
deadline = time.monotonic() + 20
while (most := waiting()) < 50 and time.monotonic() < deadline:
    pass
print("full", most)
blast.terminate()
print("class", tc("class show dev s1-eth2").stdout.split("prio 0 ")[1].split(" burst")[0])
print("own", "noqueue" in tc("qdisc show dev lo").stdout)
print("changed", tc("qdisc change dev s1-eth2 parent 5:1 handle 10: netem delay 200ms").returncode)
net.iperf([h1, h2], seconds=1)  # until what waited is gone
print("time", h1.cmd("ping -c 1 10.0.0.2 | tail -1").strip())
print("again", tc("qdisc add dev s1-eth2 root netem delay 1ms").returncode, tc("qdisc del dev s1-eth2 root").returncode)
print("plain", tc("qdisc add dev s1-eth1 root netem delay 100ms").returncode)
print("slow", h1.cmd("ping -c 2 10.0.0.2 | tail -1").strip())
print("none", "noqueue" in tc("qdisc show dev s1-eth2").stdout, h2.cmd("tc qdisc show dev h2-eth0").split()[1])
net.stop()
"""

OWN_SWITCH_IN_A_THREAD = """
from threading import Thread
from mininet.cli import CLI
from mininet.net import Mininet
from mininet.node import OVSSwitch
from mininet.topo import Topo

class Watched(OVSSwitch):
    "Has its shell busy while it starts."
    def start(self, controllers):
        self.watch = Thread(target=lambda: print("watch", self.cmd("sleep 2; echo over").strip()))
        self.watch.start()
        while not self.waiting and self.watch.is_alive():
            pass
        return OVSSwitch.start(self, controllers[:1])

class Addressed(Topo):
    def build(self):
        s2, s10 = self.addSwitch("s2", cls=Watched), self.addSwitch("s10")
        self.addLink(s10, s2)
        self.addLink(self.addHost("h1"), s2, intfName2="eth-h1", params2={"ip": "192.168.7.1/24"})

net = Mininet(Addressed())
net.addController("c1")
net.start()
print("links", *net.links)
print("told", *net["s2"].vsctl("get-controller s2").split())
net["s2"].watch.join()
print("port", net["s2"].intf("eth-h1").IP(), "192.168.7.1/24" in net["s10"].cmd("ip address show dev eth-h1"))
class Own(CLI):
    def do_known(self, line):
        print("known", sorted(self.locals), sorted(self.getLocals()))
Own(net, cmd="px x = 1\\nknown")
net.stop()
"""


def test_a_usual_script_runs_unchanged(tmp_path: Path) -> None:
    done = run_script(tmp_path, USUAL)
    assert done.status == 0, done.err
    assert "imports mininet: hybridnet takes its place" in done.err
    assert "h1 h1-eth0:s1-eth1" in done.err
    told = dict(line.split(" ", 1) for line in done.out.splitlines())
    assert told["address"] == "10.0.0.1 1"
    assert told["bytes"] == "bytes"
    assert told["read"] == "next"
    assert told["flows"] == "True"
    least_ms = float(told["time"].split("= ")[1].split("/")[0])
    assert 20.0 <= least_ms < 25.0  # two links of 5 ms, there and back
    assert done.left == {}


def test_a_controller_on_loopback_is_reached_and_a_forgotten_network_is_removed(tmp_path: Path) -> None:
    done = run_script(tmp_path, CONTROLLER + LIKE_MINIEDIT.format(port=6653))
    assert done.status == 0, done.err
    assert "ended without net.stop()" in done.err
    assert done.left == {}


def test_a_script_goes_on_where_mininet_does(tmp_path: Path) -> None:
    done = run_script(tmp_path, AS_MININET_TAKES_IT)
    assert done.status == 0, done.err
    told = dict(line.split(" ", 1) for line in done.out.splitlines())
    assert told["made"] == "['s1-eth1', 's1-eth2', 's1-eth3']"  # by `s1.start`, before any command in a node
    assert told["ports"] == "00:00:00:00:00:0b True 17"
    assert told["addresses"] == "10.0.0.300 False none"
    assert told["ping"] == "0.0"
    assert told["next"] == "next"
    assert told["popen"] == "b'x\\n'"
    assert told["fork"] == "forked"
    assert told["threads"] == "['h1', 'h2']"
    for passed_over in (
        "mac '00:",
        "ip '10.0.0.300'",
        "no-such-device",
        "delay='fast'",
        "bw=-1",
        "via nowhere",
    ):
        assert passed_over in done.err
    assert done.left == {}


def test_without_its_remote_controller_a_network_starts_and_says_so(tmp_path: Path) -> None:
    text = LIKE_MINIEDIT.format(port=6653).replace("timeout=20", "timeout=1")
    done = run_script(tmp_path, text.replace("assert net.pingAll(timeout=10) == 0", "net.stop()"))
    assert done.status == 0, done.err
    assert "Unable to contact the remote controller" in done.err


def test_controllers_run_their_own_commands_and_may_come_once_the_network_is_made(tmp_path: Path) -> None:
    ended = run_script(tmp_path, OWN_AND_LATE_CONTROLLERS)
    assert ended.out.splitlines() == [
        "node [] None beside",
        "own 0.0",
        "folder /run",
        "late 0.0 tcp:127.0.0.1:6653 tcp:127.0.0.1:6699",
        "told tcp:127.0.0.1:6699",
    ], ended.err
    assert ended.left == {}


def test_switches_of_a_script_s_own_making_are_nodes_that_its_class_starts_and_stops(tmp_path: Path) -> None:
    ended = run_script(tmp_path, ROUTERS)
    stopped = [f"stop lo s{number}-eth1 s{number}-eth2" for number in (1, 2)]
    assert ended.out.splitlines() == ["reached 0.0 True", *stopped], ended.err
    assert ended.left == {}


def test_names_at_the_prompt_stand_for_the_addresses_that_hosts_have_now(tmp_path: Path) -> None:
    ended = run_script(tmp_path, PROMPT)
    assert "64 bytes from 10.0.0.77" in ended.out, ended.err
    shown = [line for line in ended.err.splitlines() if not line.startswith("***")]
    assert shown == ["h2", "('10.0.0.77', 1)"]
    assert ended.left == {}


@pytest.mark.thorough
def test_tc_shows_and_changes_how_a_link_is_shaped(tmp_path: Path) -> None:
    done = run_script(tmp_path, WATCHED_QUEUE)
    assert done.status == 0, done.err
    told = dict(line.split(" ", 1) for line in done.out.splitlines())
    assert told["full"] in ("50", "51")  # and the one that is being sent
    assert told["class"] == "rate 1Mbit ceil 1Mbit"
    assert told["own"] == "True"
    assert told["changed"] == "0"
    assert 205.0 <= float(told["time"].split("= ")[1].split("/")[0]) < 230.0  # 200 ms there, 5 ms back
    assert told["again"] == "2 0"
    assert told["plain"] == "0"  # by the kernel where it has netem, else by the simulator
    assert 105.0 <= float(told["slow"].split("= ")[1].split("/")[0]) < 130.0
    assert told["none"] == "True htb"
    assert done.left == {}


def test_switches_start_beside_their_shells_and_their_ports_may_have_addresses(tmp_path: Path) -> None:
    done = run_script(tmp_path, OWN_SWITCH_IN_A_THREAD)
    assert sorted(done.out.splitlines()) == [
        "known ['net', 'x'] ['c0', 'c1', 'h1', 'net', 's10', 's2', 'x']",
        "links h1-eth0<->eth-h1 s10-eth1<->s2-eth1",
        "port 192.168.7.1 True",
        "told tcp:127.0.0.1:6653",
        "watch over",
    ], done.err
    assert done.left == {}


def test_hosts_of_one_address_each_have_it_and_their_default_route(tmp_path: Path) -> None:
    done = run_script(tmp_path, ONE_ADDRESS_TWICE)
    assert done.status == 0, done.err
    assert done.out.splitlines() == [
        f"{name} 10.0.0.1 default via 10.0.0.254 dev {name}-eth0" for name in "ab"
    ]
    assert done.left == {}


def test_a_device_between_two_switches_that_a_script_names_is_there(tmp_path: Path) -> None:
    done = run_script(tmp_path, BETWEEN_SWITCHES)
    assert done.status == 0, done.err
    assert done.out.splitlines() == ["lost 0.0", "seen 1", "down 100.0", "up 0.0"]
    assert done.left == {}


def test_commands_run_in_the_folder_of_the_script(tmp_path: Path) -> None:
    folder = tmp_path / "own folder"
    folder.mkdir()
    ended = run_script(tmp_path, FILES_BESIDE_IT.format(folder=str(folder)))
    made = ["by a copy", "by_popen", "by_shell", "by_switch", "by_words"]
    assert ended.out.strip().split(";") == [str(folder), str(folder), *made], ended.err


def test_a_host_may_be_its_own_neighbour(tmp_path: Path) -> None:
    ended = run_script(tmp_path, ITS_OWN_NEIGHBOUR)
    assert ended.out.splitlines() == [
        "ends ['h1-eth0', 'h1-eth1', 'h1-eth2'] 00:00:00:00:00:0a 00:00:00:00:00:0b up",
        "later True 0.0",
        "gone True",
    ], ended.err
    assert ended.left == {}


def test_nodes_and_links_come_and_go_while_a_network_runs(tmp_path: Path) -> None:
    done = run_script(tmp_path, GROWING)
    assert done.status == 0, done.err
    told = dict(line.split(" ", 1) for line in done.out.splitlines())
    assert told["links"] == "(OK OK)"  # also the one between the switches, whose ends are no devices
    assert told["address"] == "10.0.0.3 ['h3-eth0'] ['lo', 's3-eth1', 's3-eth2'] ['h1-eth0', 'h1-eth1']"
    assert 10.0 <= float(told["time"].split("= ")[1].split("/")[0]) < 20.0  # a link of 5 ms, there and back
    assert 25.0 <= float(told["changed"].split("= ")[1].split("/")[0]) < 40.0  # 20 ms there, 5 ms back
    assert told["cut"] == "['h1-eth0'] False ['lo', 's3-eth1'] 4"
    assert told["gone"] == "False h1 ['lo'] 3"
    assert told["refused"] == "False 2"
    assert told["route"] == "default via 10.0.0.1 dev h6-eth0"
    assert told["none"] == "0.0.0.0 False"
    assert done.left == {}


def test_a_command_before_build_changes_nothing_of_how_hosts_are_configured(tmp_path: Path) -> None:
    done = run_script(tmp_path, COMMAND_BEFORE_BUILD)
    assert done.status == 0, done.err
    assert done.out.splitlines() == ["config ['r1-eth0', 'r1-eth1']", "address 10.0.1.1", "reached True"]


def test_nodes_of_a_script_that_has_no_network_work_as_well(tmp_path: Path) -> None:
    done = run_script(tmp_path, WITHOUT_A_NETWORK)
    assert done.status == 0, done.err
    assert done.out == "connected True\nreached True\n", done.err
    assert done.left == {}


def test_the_reference_switch_that_a_script_starts_by_hand_is_a_simulated_one(tmp_path: Path) -> None:
    done = run_script(tmp_path, REFERENCE_SWITCH)
    assert "reached True" in done.out, done.err
    assert done.left.keys() <= {"files"}, done.left


def test_a_bridge_that_a_script_makes_by_hand_works_where_the_kernel_has_no_datapath(tmp_path: Path) -> None:
    done = run_script(tmp_path, BRIDGE_BY_HAND)
    assert "reached True" in done.out, done.err
    wanted = '""' if Path("/sys/module/openvswitch").exists() else "netdev"
    assert f"type {wanted}" in done.out
    assert done.left.keys() <= {"files"}, done.left


def test_nodes_without_a_network_stay_with_their_daemons_where_their_script_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(DAEMON_AND_END.format(end=tmp_path / "end"))
    run = f"{sys.executable} -m hybridnet.cli run {script}"
    command = f"{run}; ping -c1 -W5 10.0.0.1; touch {tmp_path}/end"  # which ends the daemon
    done = run_on_a_computer(["sh", "-c", command], patience_s=60.0)
    assert "1 received" in done.out, done.err
    assert done.left == {}


LIMITED_HOSTS = """
from mininet.net import Mininet
from mininet.node import CPULimitedHost

net = Mininet(controller=None)
hosts = [net.addHost(name, cls=CPULimitedHost, cpu=0.1) for name in ("h1", "h2")]
net.start()
for host in hosts:
    host.sendCmd("sleep 1000")
print("shares", *net.runCpuLimitTest(cpu=0.1, duration=3))
for host in hosts:
    host.sendInt()
    host.waitOutput()
print("left", *(host.cmd("pgrep -f 'while [:];'").split() for host in hosts))
net.stop()
"""


def test_limited_hosts_are_measured_from_outside_while_their_shells_are_busy(tmp_path: Path) -> None:
    """A command that measured would wait for its part of what the loops take, and so report late."""
    done = run_script(tmp_path, LIMITED_HOSTS)
    assert done.status == 0, done.err
    said = dict(line.split(" ", 1) for line in done.out.splitlines() if line.startswith(("shares", "left")))
    shares = [float(share) for share in said["shares"].split()]
    assert len(shares) == 6
    assert all(share > 0 for share in shares)
    assert sum(shares) / len(shares) <= 13  # a quota of 10 % is a bound from above
    assert said["left"] == "[] []"
