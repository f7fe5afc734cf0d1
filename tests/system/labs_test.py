# SPDX-License-Identifier: MIT
"""Labs of other programs run as their files say: names of interfaces, addresses, files, scripts, daemons, bridges."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.plan.files import read_topology, write_topology
from tests.hybridnet.plan.files.support import planned

pytestmark = pytest.mark.system

NEEDS_FRR = pytest.mark.skipif(not Path("/usr/lib/frr/zebra").exists(), reason="FRR is not installed")
PATIENCE_S = 60.0

CONTAINERLAB = """\
name: two
topology:
  groups:
    routers:
      image: quay.io/frrouting/frr:10.1.0
      binds: ["daemons:/etc/frr/daemons", "__clabNodeName__.conf:/etc/frr/frr.conf"]
  nodes:
    r1: {group: routers}
    r2: {group: routers}
    pc1: {exec: [ip addr add 10.1.0.2/24 dev eth1, ip route replace default via 10.1.0.1]}
    pc2: {exec: [ip addr add 10.2.0.2/24 dev eth1, ip route replace default via 10.2.0.1]}
    sw: {kind: bridge}
    ovs: {kind: ovs-bridge}
  links:
    - endpoints: ["pc1:eth1", "sw:port1"]
    - endpoints: ["sw:port2", "r1:eth2"]
    - endpoints: ["r1:eth1", "r2:eth1"]
    - {endpoints: ["r2:eth2", "ovs:port3"]}
    - type: veth
      endpoints: [{node: pc2, interface: eth1, mac: "02:00:00:00:00:22"}, {node: ovs, interface: port4}]
"""
ROUTER = """\
interface eth1
 ip address 10.0.12.{number}/24
 ip ospf network point-to-point
 ip ospf hello-interval 1
 ip ospf dead-interval 4
interface eth2
 ip address 10.{number}.0.1/24
router ospf
 network 10.0.0.0/8 area 0
"""
KATHARA = """\
pc1[0]="A"
pc2[0]="A/02:00:00:00:00:02"
r1[0]="A"
r1[1]="B"
pc3[0]="B"
"""


def containerlab(folder: Path) -> Path:
    (folder / "daemons").write_text("zebra=yes\nospfd=yes\n")
    for number in (1, 2):
        (folder / f"r{number}.conf").write_text(ROUTER.format(number=number))
    file = folder / "two.clab.yml"
    file.write_text(CONTAINERLAB)
    return file


def lost_at_last(net: Net, *names: str) -> float:
    """What is still lost of the pings between hosts when routes have come, or the patience is over."""
    deadline = time.monotonic() + PATIENCE_S
    while (lost := net.ping([net[name] for name in names], timeout=1)) and time.monotonic() < deadline:
        net.waitConverged(PATIENCE_S)
    return lost


@NEEDS_FRR
@pytest.mark.slow
def test_a_lab_of_containerlab_and_what_it_is_written_as_are_the_same_network(tmp_path: Path) -> None:
    lab = read_topology(containerlab(tmp_path))
    write_topology(tmp_path / "ours.yaml", lab, planned(lab), lab.controllers)
    for topo in (lab, read_topology(tmp_path / "ours.yaml")):
        with Net(topo, controller=None) as net:
            assert lost_at_last(net, "pc1", "pc2") == 0
            r1, pc2 = net["r1"], net["pc2"]
            assert "via 10.0.12.2 dev eth1 proto ospf" in r1.cmd("ip route")
            assert "10.2.0.0/24" in r1.vtysh("show ip route ospf")
            assert (pc2.IP(), r1.IP()) == ("10.2.0.2", "10.0.12.1")
            assert pc2.cmd("cat /sys/class/net/eth1/address").strip() == "02:00:00:00:00:22"
            assert pc2.cmd("cat /sys/class/net/eth1/mtu").strip() == "9500"
            assert "is FRRouting" not in net["pc1"].cmd("ls /etc/frr 2>/dev/null")


def test_a_lab_of_kathara_runs_with_its_scripts_and_folders(tmp_path: Path) -> None:
    (tmp_path / "lab.conf").write_text(KATHARA)
    for number in (1, 2):
        (tmp_path / f"pc{number}.startup").write_text(
            f"ip address add 10.0.0.{number}/24 dev eth0\nip route add default via 10.0.0.254\n"
        )
    (tmp_path / "r1.startup").write_text(
        "ip address add 10.0.0.254/24 dev eth0\nip address add 10.0.1.254/24 dev eth1\n"
    )
    (tmp_path / "pc3.startup").write_text(
        "ip address add 10.0.1.1/24 dev eth0\nip route add default via 10.0.1.254\n"
    )
    for path, text in (
        ("etc/issue", "the lab's\n"),
        ("etc/opt/a/b", "new\n"),
        ("etc/hosts", "10.0.1.1 pc3\n"),
        ("web/x", "y"),
    ):
        (tmp_path / "pc1" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pc1" / path).write_text(text)
    computers = Path("/etc/issue").read_text()
    with Net(read_topology(tmp_path / "lab.conf"), controller=None) as net:
        assert net.pingAll(timeout=5) == 0
        pc1 = net["pc1"]
        assert pc1.cmd("cat /etc/issue /etc/opt/a/b /web/x") == "the lab's\nnew\ny"
        assert pc1.cmd("getent hosts pc3").split()[0] == "10.0.1.1"
        assert net["pc2"].cmd("cat /etc/issue") == computers
        assert net["pc2"].cmd("cat /sys/class/net/eth0/address").strip() == "02:00:00:00:00:02"
        assert [intf.inside for intf in net["r1"].intfList()] == ["eth0", "eth1"]
        assert pc1.cmd("touch /etc/opt/a/mine && ls /etc/opt/a").split() == ["b", "mine"]
        net.set_link("r1", "pc3", delay="20ms")
        assert net["pc3"].cmd("ip -br link show eth0").split()[0].startswith("eth0@")
    assert not Path("/web").exists()
    assert not Path("/etc/opt/a").exists()


def test_a_command_that_fails_is_told_and_the_next_one_runs(capsys: pytest.CaptureFixture[str]) -> None:
    topo = Topo()
    topo.addHost("h1", commands=["echo words; false", "export GREETING=hello"])
    topo.addLink("h1", topo.addSwitch("s1", kind="linux"))
    with Net(topo, controller=None) as net:
        assert net["h1"].cmd("echo $GREETING") == "hello\n"
    told = capsys.readouterr()
    assert "*** h1: 'echo words; false' ended with 1: words" in told.out + told.err
