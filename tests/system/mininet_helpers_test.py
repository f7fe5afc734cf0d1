# SPDX-License-Identifier: MIT
"""What scripts for Mininet do with a node's shell, its interfaces and `mininet.util`, while their network runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.system.computer import Ended, run_on_a_computer

pytestmark = pytest.mark.thorough


def run_script(tmp_path: Path, text: str) -> Ended:
    script = tmp_path / "script.py"
    script.write_text(text)
    return run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])


SHELLS = """
import select
from mininet.net import Mininet
from mininet.node import Node

net = Mininet(controller=None)
h1, h2 = net.addHost("h1"), net.addHost("h2")
net.addLink(h1, h2)
net.start()
poller, said = select.poll(), {"h1": "", "h2": ""}
for host in (h1, h2):
    poller.register(host.stdout, select.POLLIN)
    host.sendCmd(f"echo {host} 1; sleep 0.2; echo {host} 2")
while h1.waiting or h2.waiting:
    for descriptor, _ in poller.poll(5000):
        node = Node.outToNode[descriptor]
        said[node.name] += node.monitor()
print("polled", *(text.split() for text in said.values()))
print("known", Node.fdToNode(h1.stdout.fileno()) is h1, Node.fdToNode(0), h1.stdin is h1.stdout)
print("quiet", h1.waitReadable(50))
h1.sendCmd("head -n 1 | rev")
h1.write("typed\\n")
h1.stdin.flush()
print("typed", h1.waitOutput().split()[-1])
h1.cmd("(sleep 0.2; echo later) &")
print("later", "later" in h1.monitor())
print("raw", bool(h1.waitReadable(0)))
h1.sendCmd("echo a line; echo the; echo rest")
print("line", repr(h1.readline()), "rest", *h1.waitOutput().split(), h1.waiting)
h1.sendCmd("echo one; sleep 0.2; echo two")
lines = []
while h1.waiting or h1.readbuf.strip(chr(127)):
    lines.append(h1.readline())
print("lines", *(line.rstrip() for line in lines if line), h1.readline())
h1.sendCmd("printf abcdef")
print("pieces", h1.read(2), h1.read(maxbytes=3), h1.read() + ("" if not h1.waiting else h1.read()) == "f" + chr(127))
print("next", h1.cmd("echo clean").strip())
descriptor = h1.stdout.fileno()
net.stop()
print("forgotten", Node.fdToNode(descriptor))
"""


def test_the_terminal_of_a_shell_can_be_polled_and_typed_into(tmp_path: Path) -> None:
    done = run_script(tmp_path, SHELLS)
    assert done.status == 0, done.err
    assert done.out.splitlines() == [
        "polled ['h1', '1', 'h1', '2'] ['h2', '1', 'h2', '2']",
        "known True None True",
        "quiet []",
        "typed depyt",
        "later True",
        "raw False",
        "line 'a line\\r' rest the rest False",
        "lines one two None",
        "pieces ab cde True",
        "next clean",
        "forgotten None",
    ]
    assert done.left == {}


INTERFACES = """
from mininet.link import TCLink
from mininet.net import Mininet
from mininet.util import waitListening

net = Mininet(controller=None, link=TCLink)
h1, h2, s1 = net.addHost("h1"), net.addHost("h2"), net.addSwitch("s1", failMode="standalone")
link = net.addLink(h1, h2)
net.start()
intf = h1.intf()
print("link", repr(link), link.status())
print("up", h1.intfIsUp(), intf.isUp())
intf.ifconfig("down")
print("down", h1.intfIsUp(), intf.isUp(setUp=True))
print("shown", "inet 10.0.0.1" in intf.ifconfig())
intf.config(ip="10.0.0.7/8", ifconfig="mtu 1400")
print("set", *intf.updateAddr(), h1.cmd("cat /sys/class/net/h1-eth0/mtu").strip(), intf.IP())
results = {}
intf.setParam(results, "setIP", ip=["10.0.0.8", 24])
h1.setParam(results, "setMAC", mac={"mac": "00:00:00:00:00:08"})
h1.setParam(results, "setMAC", mac=None)
h1.setParam(results, "noSuchMethod", value=1)
print("parameters", *intf.updateAddr(), *results)
h1.cmd("ip address flush dev h1-eth0")
print("none", intf.updateIP(), intf.IP())
intf.config(ip="10.0.0.1/8")
print("deaf", waitListening(h1, h2, 5001, timeout=0.2))
server = h2.popen("python3 -m http.server 5001")
print("listening", waitListening(h1, h2, 5001, timeout=20))
server.kill()
h1.configDefault(lo="down")
print("lo", "UP" in h1.cmd("ip -brief link show dev lo").split()[2])
net.addLink(s1, s1)
net.addLink(h1, h1, bw=5)
print("ends", h1.intfNames())
intf.delete()
print("deleted", link in net.links, h2.intfNames())
later = net.addLink(h1, h2)
later.stop()
print("stopped", later in net.links)
net.stop()
"""


def test_interfaces_and_links_do_what_mininets_do(tmp_path: Path) -> None:
    done = run_script(tmp_path, INTERFACES)
    assert done.status == 0, done.err
    said = dict(line.split(" ", 1) for line in done.out.splitlines())
    address, mac, mtu, known = said.pop("set").split()
    assert (address, mtu, known) == ("10.0.0.7", "1400", "10.0.0.7")
    assert re.fullmatch("([0-9a-f]{2}:){5}[0-9a-f]{2}", mac)
    assert said == {
        "link": "<TCLink h1-eth0<->h2-eth0> (OK OK)",
        "up": "True True",
        "down": "False True",
        "shown": "True",
        "parameters": "10.0.0.8 00:00:00:00:00:08 ip mac",
        "none": "None None",
        "deaf": "False",
        "listening": "True",
        "lo": "False",
        "ends": "['h1-eth0', 'h1-eth1', 'h1-eth2']",
        "deleted": "False []",
        "stopped": "False",
    }
    assert "could not connect to h2 on port 5001" in done.err
    assert "link s1-s1: no switch is linked to itself" in done.err
    assert "link h1-h1: its rate, delay, loss or queue: it has none" in done.err
    assert done.left == {}


BY_HAND = """
from mininet.link import Intf, Link
from mininet.net import Mininet
from mininet.node import CPULimitedHost
from mininet.util import makeIntfPair, moveIntf, moveIntfNoRetry

net = Mininet(controller=None, host=CPULimitedHost)
h1, h2 = net.addHost("h1", cores=0), net.addHost("h2", cpu=0.5)
net.start()
macs = "00:00:00:00:00:0a", "00:00:00:00:00:0b"
for _ in range(2):  # the second time, what is there is removed before
    makeIntfPair("own-a", "own-b", *macs, node1=h1, node2=h2)
print("macs", *(h.cmd(f"cat /sys/class/net/own-{end}/address").strip() for h, end in ((h1, "a"), (h2, "b"))))
try:
    makeIntfPair("own-a", "own-c", node1=h1, node2=h2, deleteIntfs=False)
except Exception as problem:
    print("twice", str(problem).split(":")[0])
Link.makeIntfPair("pair-a", "pair-b", node1=h1, node2=h2)
print("pair", "pair-b" in h2.cmd("ls /sys/class/net"))
print("nowhere", moveIntfNoRetry("no-device", h1, printError=True))
try:
    moveIntf("no-device", h1, printError=False, retries=2)
except SystemExit as end:
    print("given", "up", end.code)
shell = h1.popen("sleep 1", shell=True, bufsize=1)
print("cores", h1.cmd("taskset -cp $$").split()[-1], shell.wait())
h2.stop()
print("still", h2.cmd("echo there").strip())
net.stop()
"""


def test_devices_that_a_script_makes_are_where_it_puts_them(tmp_path: Path) -> None:
    done = run_script(tmp_path, BY_HAND)
    assert done.status == 0, done.err
    assert done.out.splitlines() == [
        "macs 00:00:00:00:00:0a 00:00:00:00:00:0b",
        "twice Error creating interface pair (own-a,own-c)",
        "pair True",
        "nowhere False",
        "given up 1",
        "cores 0 0",
        "still there",
    ]
    assert "no-device not successfully moved to h1" in done.err
    assert "popen(bufsize=): it has no effect" in done.err
    assert done.left == {}
