# SPDX-License-Identifier: MIT
"""Labs of other programs run as their files say: names of interfaces, addresses, files, scripts, daemons, bridges."""

from __future__ import annotations

import json
import re
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


CORE = """\
<scenario>
  <networks><network id="9" name="sw" type="SWITCH"/></networks>
  <devices>
    <device id="1" name="n1" type="PC"/>
    <device id="2" name="r2" type="router"><services/></device>
    <device id="3" name="n3" type="PC"/>
  </devices>
  <links>
    <link node1="9" node2="1"><iface2 id="0" name="eth0" mac="00:00:00:aa:00:01" ip4="10.1.0.2" ip4_mask="24"/></link>
    <link node1="9" node2="2"><iface2 id="0" name="eth0" ip4="10.1.0.1" ip4_mask="24"/></link>
    <link node1="2" node2="3">
      <iface1 id="1" name="eth1" ip4="10.2.0.1" ip4_mask="24"/>
      <iface2 id="0" name="eth0" ip4="10.2.0.2" ip4_mask="24"/>
      <options delay="20000" bandwidth="10000000" loss="0.0" jitter="0" unidirectional="0"/>
    </link>
  </links>
</scenario>
"""


def test_a_session_of_core_runs_with_its_addresses_routes_and_delays(tmp_path: Path) -> None:
    (tmp_path / "session.xml").write_text(CORE)
    with Net(read_topology(tmp_path / "session.xml"), controller=None) as net:
        assert net.pingAll() == 0
        n1, n3 = net["n1"], net["n3"]
        assert n1.cmd("cat /sys/class/net/eth0/address").strip() == "00:00:00:aa:00:01"
        assert "default via 10.1.0.1 dev eth0" in n1.cmd("ip route")
        assert min(net.ping_matrix([n1, n3], count=3).rtts_ms["n1", "n3"]) >= 2 * 20  # there and back


def gns3(folder: Path) -> Path:
    """PC1 (VPCS) - Switch1 - box-1 (Docker) - Hub1 - PC2 (VPCS); box-1 forwards between the two."""
    nodes = [
        ("PC1", "vpcs"),
        ("Switch1", "ethernet_switch"),
        ("box-1", "docker"),
        ("Hub1", "ethernet_hub"),
        ("PC2", "vpcs"),
    ]
    links = [(0, 0, 1, 0), (1, 1, 2, 0), (2, 1, 3, 0), (3, 1, 4, 0)]  # node, port, node, port
    port = [
        ("port_number", "adapter_number"),
        ("adapter_number", "port_number"),
    ]  # of a container each is an adapter
    project = {
        "revision": 9,
        "topology": {
            "nodes": [
                {"name": name, "node_id": f"{at:08x}", "node_type": kind, "properties": {"image": "alpine"}}
                for at, (name, kind) in enumerate(nodes)
            ],
            "links": [
                {
                    "nodes": [
                        {"node_id": f"{node:08x}", port[node == 2][0]: number, port[node == 2][1]: 0}
                        for node, number in (link[:2], link[2:])
                    ],
                    "filters": {"delay": [10, 0]} if at == 0 else {},
                }
                for at, link in enumerate(links)
            ],
        },
    }
    for at, number in ((0, 1), (4, 2)):
        place = folder / f"project-files/vpcs/{at:08x}"
        place.mkdir(parents=True)
        (place / "startup.vpc").write_text(f"set pcname PC{number}\nip 10.{number}.0.2/24 10.{number}.0.1\n")
    place = folder / "project-files/docker/00000002/etc/network"
    place.mkdir(parents=True)
    (place / "interfaces").write_text(
        "".join(
            f"auto eth{at}\niface eth{at} inet static\n\taddress 10.{at + 1}.0.1\n\tnetmask 255.255.255.0\n"
            for at in (0, 1)
        )
    )
    file = folder / "lab.gns3"
    file.write_text(json.dumps(project))
    return file


def test_a_project_of_gns3_runs_with_its_scripts_and_filters(tmp_path: Path) -> None:
    with Net(read_topology(gns3(tmp_path)), controller=None) as net:
        assert net.pingAll() == 0
        assert (net["PC1"].IP(), net["box-1"].IP()) == ("10.1.0.2", "10.1.0.1")
        assert min(net.ping_matrix([net["PC1"], net["PC2"]], count=3).rtts_ms["PC1", "PC2"]) >= 2 * 10


@NEEDS_FRR
@pytest.mark.slow
def test_routers_of_core_find_the_ways_by_ospf(tmp_path: Path) -> None:
    routers = CORE.replace('type="router"><services/></device>', 'type="router"/>')
    chain = (
        '<device id="4" name="r4" type="router"/></devices>',
        '<link node1="2" node2="4"><iface1 id="2" name="eth2" ip4="10.3.0.1" ip4_mask="24"/>'
        '<iface2 id="0" name="eth0" ip4="10.3.0.2" ip4_mask="24"/></link></links>',
    )
    text = routers.replace("</devices>", chain[0]).replace("</links>", chain[1])
    (tmp_path / "session.xml").write_text(text)
    with Net(read_topology(tmp_path / "session.xml"), controller=None) as net:
        assert lost_at_last(net, "n1", "r4", "n3") == 0
        assert re.search(
            r"^10\.1\.0\.0/24 .*via 10\.3\.0\.1 .*proto ospf", net["r4"].cmd("ip route"), re.MULTILINE
        )
