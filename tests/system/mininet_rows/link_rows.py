# SPDX-License-Identifier: MIT
"""Rows of interfaces and links, with tc and without."""

from __future__ import annotations

from tests.system.mininet_rows.node_rows import TWO_HOSTS
from tests.system.mininet_rows.rows import Group, Row, each

INTF = Group(
    "interfaces",
    TWO_HOSTS + "i = h1.intf(); j = s1.intf('s1-eth1')\n",
    (
        *each("Intf", "i", "name node link ip prefixLen params", link="shown", prefixLen="numbers"),
        *each("Intf", "j", "name node link ip prefixLen params", link="shown"),
        *each("Intf", "s1.intf()", "name node link ip prefixLen params mac"),
        Row("Intf.mac", "i.mac is None, len(i.MAC())"),
        Row("Intf", "repr(i), str(i), '%s' % i"),
        Row("Intf.IP", "i.IP(), j.IP()"),
        Row("Intf.MAC", "i.MAC() == h1.MAC(), type(j.MAC()).__name__"),
        Row("Intf.cmd", "i.cmd('echo a'), i.cmd('echo', i, printPid=True)"),
        Row("Intf.ifconfig", "'inet 10.0.0.1' in i.ifconfig(), i.ifconfig('down')"),
        Row("Intf.isUp", "i.isUp()"),
        Row("Intf.isUp", "i.isUp(setUp=True), i.isUp(True), i.isUp()"),
        Row("Intf.ifconfig", "i.ifconfig('mtu', '1400'), i.ifconfig('nonsense')"),
        Row("Intf.ifconfig", "i.ifconfig('10.0.0.4/8', 'up'), i.IP()"),
        Row("Intf.updateIP", "i.updateIP(), i.ip"),
        Row("Intf.updateMAC", "i.updateMAC() == h1.cmd('cat /sys/class/net/h1-eth0/address').strip()"),
        Row("Intf.updateAddr", "i.updateAddr()"),
        Row("Intf.updateIP", "j.updateIP(), j.updateAddr()[0]"),
        Row("Intf.setIP", "i.setIP('10.0.0.5/16'), i.ip, i.prefixLen", "numbers"),
        Row("Intf.setIP", "i.setIP(ipstr='10.0.0.6', prefixLen=24), i.ip, i.prefixLen"),
        Row("Intf.setIP", "i.setIP('10.0.0.7')", "works"),
        Row("Intf.setIP", "i.setIP('nonsense/8')", "refused"),
        Row("Intf.setIP", "i.setIP('10.0.0.1/8')", "follows"),
        Row("Intf.setMAC", "i.setMAC('00:00:00:00:00:31'), i.mac"),
        Row("Intf.setMAC", "i.setMAC(macstr='nonsense'), i.mac", "refused"),
        Row("Intf.setMAC", "i.setMAC('00:00:00:00:00:31')"),
        Row("Intf.setParam", "r = {}; i.setParam(r, 'setIP', ip='10.0.0.8/8'), r, i.setParam(results=r, method='x', y=None)"),
        Row("Intf.config", "i.config()"),
        Row("Intf.config", "i.config(mac='00:00:00:00:00:32', ip='10.0.0.9/8', ifconfig='mtu 1300', up=True, other=1)"),
        Row("Intf.config", "i.config(up=False), i.isUp()"),
        Row("Intf.config", "i.config(mtu=1200)"),
        Row("Intf.status", "i.status(), j.status(), s1.intf().status()"),
        Row("Intf.rename", "i.rename('newname'), str(i), h1.intfNames(), sorted(h1.nameToIntf)"),
        Row("Intf.rename", "i.rename(newname='h1-eth0')"),
        Row("Intf.rename", "i.rename('a-name-that-is-too-long')"),
        Row("Intf.rename", "i.rename('h1-eth0'), i.name"),
        Row("Intf", "Intf('nothing', node=h1), h1.intfNames()", "works"),
        Row("Intf", "Intf('x').name", "error"),
        Row("Intf", "makeIntfPair('in1', 'in2'); k = Intf(name='in1', node=h1, port=5, link=None, mac='00:00:00:00:00:41'); h1.ports[k], k.mac, 'in1' in h1.cmd('ip link')"),
        Row("Intf.delete", "k.delete(), h1.intfNames(), k.link"),
        Row("Intf.delete", "i.delete(), h1.intfNames(), i.link, i.status()", "ports"),
        Row("Intf.status", "j.status(), l1.status()"),
        Row("Intf.delete", "j.delete(), s1.intfNames()"),
    ),
)  # fmt: skip

LINK = Group(
    "links",
    TWO_HOSTS,
    (
        *each("Link", "l1", "intf1 intf2"),
        Row("Link", "str(l1), type(l1).__name__, l1.intf1.link is l1"),
        Row("Link.status", "l1.status()"),
        Row("Link.intfName", "l1.intfName(h1, 3), l1.intfName(node=s1, n=4)"),
        Row("Link.makeIntfPair", "Link.makeIntfPair('lp1', 'lp2'), 'lp1@lp2' in quietRun('ip -o link')"),
        Row("Link.makeIntfPair", "Link.makeIntfPair(intfname1='lp1', intfname2='lp2', addr1='00:00:00:00:00:51', addr2='00:00:00:00:00:52', node1=None, node2=None, deleteIntfs=True)"),
        Row("Link", "l3 = Link(h1, h2); str(l3), h1.intfNames(), h2.intfNames()"),
        Row("Link", "l4 = Link(node1=h1, node2=h2, port1=7, port2=8, intfName1='ha', intfName2='hb', addr1='00:00:00:00:00:61', addr2='00:00:00:00:00:62'); str(l4), h1.ports, l4.intf1.mac, l4.intf2.MAC()"),
        Row("Link", "l5 = Link(h1, h2, intf=TCIntf, cls1=Intf, cls2=None, params1={'ip': '10.1.0.1/24'}, params2={'ip': '10.1.0.2/24'}, fast=True); str(l5), type(l5.intf1).__name__, type(l5.intf2).__name__, l5.intf1.IP(), l5.intf1.params"),
        Row("Link", "Link(h1, h2, fast=False).status()"),
        Row("Link", "Link(h1, h2, 3, 4)", "shown"),
        Row("Link.stop", "l3.stop(), h1.intfNames(), l3.intf1", "ends"),
        Row("Link.delete", "l4.delete(), h1.intfNames(), l4.intf1", "ends"),
        Row("Link.delete", "l4.delete()", "ends"),
        Row("Link.delete", "l1.delete(), h1.intfNames(), s1.intfNames()", "ports"),
        Row("OVSLink", "issubclass(OVSLink, Link)"),
    ),
)  # fmt: skip

TC = Group(
    "shaped links",
    """
net = Bare(link=TCLink)
h1, h2, h3, s1 = net.addHost("h1"), net.addHost("h2"), net.addHost("h3"), net.addSwitch("s1")
l1, l2 = net.addLink(h1, s1, bw=10, delay="5ms"), net.addLink(h2, s1)
l3 = net.addLink(h3, s1, bw=5, max_queue_size=50, loss=0, use_tbf=False, use_hfsc=False, speedup=0)
net.start()
i = h1.intf()
""",
    (
        *each("TCIntf", "i", "name ip params bwParamMax"),
        Row("TCIntf", "type(i).__name__, issubclass(TCIntf, Intf), repr(i)"),
        Row("TCLink", "type(l1).__name__, str(l1), TCLink(h1, h2).intf1.params"),
        Row("TCIntf.bwCmds", "i.bwCmds(), i.bwCmds(bw=10), i.bwCmds(10, 0, False, True)", "simulated"),
        Row("TCIntf.bwCmds", "i.bwCmds(bw=10, speedup=0, use_hfsc=True), i.bwCmds(bw=10, use_tbf=True, latency_ms=5)", "simulated"),
        Row("TCIntf.bwCmds", "i.bwCmds(bw=10, enable_ecn=True), i.bwCmds(bw=10, enable_red=True)"),
        Row("TCIntf.bwCmds", "i.bwCmds(bw=1001), i.bwCmds(bw=-1), i.bwCmds(bw=0)"),
        Row("TCIntf.bwCmds", "s1.intf('s1-eth1').bwCmds(bw=10, speedup=100)"),
        Row("TCIntf.delayCmds", "i.delayCmds(' root '), i.delayCmds(parent=' root ', delay='5ms', jitter='1ms', loss=1, max_queue_size=9)", "simulated"),
        Row("TCIntf.delayCmds", "i.delayCmds(' root ', loss=101), i.delayCmds(' root ', delay='5ms', loss=0)", "simulated"),
        Row("TCIntf.tc", "i.tc('%s -V > /dev/null; echo %s'), i.tc(cmd='%s; echo %s', tc='true')"),
        Row("TCIntf.tc", "[word for word in i.tc('%s qdisc show dev %s').split() if word in ('htb', 'netem')]", "simulated"),
        Row("TCIntf.config", "sorted(i.config())"),
        Row("TCIntf.config", "i.config(bw=20)", "simulated"),
        Row("TCIntf.config", "sorted(i.config(bw=10, delay='1ms', jitter='1ms', loss=1, max_queue_size=100))", "simulated"),
        Row("TCIntf.config", "i.config(bw=10, gro=False, txo=True, rxo=True, speedup=0)['parent']", "simulated"),
        Row("TCIntf.config", "i.config(bw=10, use_hfsc=False, use_tbf=False, latency_ms=None, enable_ecn=False, enable_red=True)['parent']", "simulated"),
        Row("TCIntf.config", "i.config(bw=2000)", "simulated"),
        Row("TCIntf.config", "i.config(loss=200)", "simulated"),
        Row("TCIntf.config", "i.config(delay='')"),
        Row("TCIntf.config", "i.config(ip='10.0.0.50/8')"),
        Row("TCULink", "TCULink(h1, h2).intf1.params", "simulated"),
        Row("Link.delete", "l1.delete(), h1.intfNames()", "ports"),
    ),
)  # fmt: skip

PATCH = Group(
    "patches",
    """
net = Bare()
s1, s2 = net.addSwitch("s1"), net.addSwitch("s2")
l = net.addLink(s1, s2, cls=OVSLink)
net.start()
""",
    (
        Row("OVSLink", "str(l), type(l.intf1).__name__, l.intf1.params"),
        Row("OVSLink.makeIntfPair", "l.makeIntfPair('a', 'b')", "patch"),
        Row("OVSIntf", "issubclass(OVSIntf, Intf), repr(l.intf1)"),
        Row("OVSIntf.ifconfig", "l.intf1.ifconfig(), l.intf1.ifconfig('up')"),
        Row("OVSIntf.ifconfig", "l.intf1.ifconfig('10.0.0.1')"),
        Row("OVSIntf.isUp", "l.intf1.isUp(), l.intf1.isUp(setUp=True)", "patch"),
        Row("OVSIntf.MAC", "l.intf1.MAC(), l.intf1.IP()", "patch"),
        Row("OVSLink.status", "l.intf1.status()", "patch"),
        Row("OVSSwitch.intfOpts", "s1.intfOpts(l.intf1), s1.intfOpts(intf=l.intf1)"),
    ),
)  # fmt: skip

GROUPS = (INTF, LINK, TC, PATCH)
