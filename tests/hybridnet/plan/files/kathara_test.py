# SPDX-License-Identifier: MIT
"""Labs of Kathará: what they become, what is told of them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet.errors import HybridnetError, TopologyError
from hybridnet.plan.files import read_topology, write_topology
from tests.hybridnet.plan.files.support import assert_read_or_refused, content, planned

LAB = """\
LAB_NAME="small"
# three on A, two on B, one on C

pc1[0]="A"
pc1[image]="kathara/base"
pc1[mem]="64m"
pc2[0]=A/02:00:00:00:00:02   # with an address
r1[0]='A'
r1[1]="B"
r1[image]="kathara/frr"
pc3[0]="B"
pc3[1]="C"
pc3[sysctl]="net.ipv6.conf.all.forwarding=1"
pc3[env]="GREETING=good day"
"""


def written(tmp_path: Path, text: str = LAB) -> Path:
    (tmp_path / "pc1/etc").mkdir(parents=True, exist_ok=True)
    (tmp_path / "pc1/etc/motd").write_text("hello")
    (tmp_path / "pc1.startup").write_text("ip addr add 10.0.0.1/24 dev eth0\n")
    (tmp_path / "r1/etc/frr").mkdir(parents=True, exist_ok=True)
    (tmp_path / "r1/etc/frr/daemons").write_text("zebra=yes\nospfd=yes\n")
    (tmp_path / "r1/etc/frr/frr.conf").write_text("router ospf\n network 10.0.0.0/8 area 0\n")
    (tmp_path / "r1.startup").write_text("ip addr add 10.0.0.9/24 dev eth0\n# later\nsystemctl start frr\n")
    (tmp_path / "pc3.startup").write_text("/etc/init.d/apache2 start\n")
    file = tmp_path / "lab.conf"
    file.write_text(text)
    return file


def test_devices_become_hosts_and_routers_with_scripts_and_files(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    assert topo.hosts() == ["pc1", "pc2", "pc3", "r1"]
    pc1, pc3, r1 = (topo.nodeInfo(name) for name in ("pc1", "pc3", "r1"))
    assert pc1["files"] == {
        "/etc/motd": "hello",
        "/hostlab/pc1.startup": "ip addr add 10.0.0.1/24 dev eth0\n",
    }
    assert pc1["commands"][1:] == ["bash /hostlab/pc1.startup"]
    assert pc3["commands"][1:3] == [
        "sysctl -qw 'net.ipv6.conf.all.forwarding=1'",
        "export GREETING='good day'",
    ]
    assert (r1["kind"], r1["daemons"], r1["conf"]) == (
        "frr",
        ["ospfd"],
        "router ospf\n network 10.0.0.0/8 area 0\n",
    )
    assert r1["files"] == {
        "/hostlab/r1.startup": "ip addr add 10.0.0.9/24 dev eth0\n# later\n"
        ": systemctl start frr  # hybridnet has started it\n"
    }
    assert topo.controllers == {}


def test_two_members_of_a_domain_are_linked_and_others_have_a_bridge(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    assert [(name, topo.nodeInfo(name)) for name in topo.switches()] == [
        ("A", {"kind": "linux"}),
        ("C", {"kind": "linux"}),
    ]
    assert topo.links() == [("pc1", "A"), ("pc2", "A"), ("r1", "A"), ("r1", "pc3"), ("pc3", "C")]
    assert topo.spec("pc2", "A").a.mac == "02:00:00:00:00:02"
    assert (topo.spec("r1", "pc3").a.inside, topo.spec("r1", "pc3").b.inside) == ("eth1", "eth0")


def test_what_is_done_otherwise_is_told(tmp_path: Path) -> None:
    file = written(tmp_path)
    assert read_topology(file).notes == [
        f"{file}: pc1: image: kathara/base is not run; the host has this computer's programs",
        f"{file}: pc1: mem: no limit of memory is set; leave it out",
        f"{file}: r1: image: kathara/frr is not run; its routing daemons are those of this computer's FRR",
        f"{file}: pc3: pc3.startup: nothing starts services in a host; have the script start the program of apache2",
    ]


def test_what_is_written_as_yaml_is_the_same_network(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    ours = tmp_path / "ours.yaml"
    write_topology(ours, topo, planned(topo), topo.controllers)
    assert content(read_topology(ours)) == content(topo)


@pytest.mark.parametrize(
    ("said", "is_on"), [("yes", True), ("1", True), ("True", True), ("off", False), ("0", False)]
)
def test_ipv6_is_turned_on_by_the_words_that_kathara_takes(tmp_path: Path, said: str, is_on: bool) -> None:
    commands = read_topology(written(tmp_path, f'a[0]="A"\na[ipv6]="{said}"\n')).nodeInfo("a")["commands"]
    assert ("sysctl -qw net.ipv6.conf.all.forwarding=1" in commands) == is_on


def test_both_interfaces_of_a_device_may_be_in_one_domain(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path, 'a[0]="A"\na[1]="A"\nA[0]="A"\n'))
    assert topo.links() == [("a", "A-2"), ("a", "A-2"), ("A", "A-2")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "it has no device"),
        ("pc1[0]", r"line 1: 'pc1\[0\]' is not DEVICE\[KEY\]=\"value\""),
        ('pc1[0]="A B"', r"pc1: \[0\]: 'A B' is not the name of a collision domain"),
        ('pc1[0]="A"\npc1[0]="B"', r"pc1: \[0\]: the interface is there twice"),
        ('pc1[5000]="A"', r"pc1: \[5000\]: interfaces are numbered from 0 to 999"),
        ('pc1[0]="A/00:00:00:00:00:00"', r"pc1: link pc1-A: mac of .* is nobody's address"),
        ('p/c[0]="A"', "p/c: node 'p/c': a name starts with"),
        ('pc1[0]="A"\npc1[cpus]="many"', "pc1: cpus: 'many' is not a number of processors"),
        ('pc1[0]="A"\npc1[ipv6]="ture"', "pc1: ipv6: 'ture' is neither true nor false"),
        ('pc1[0]="A"\npc1[bridged]="x"', "pc1: bridged: 'x' is neither true nor false"),
        ('pc1[0]="A"\npc1[sysctl]="x;y"', "pc1: sysctl: 'x;y' is not NAME=VALUE"),
    ],
)
def test_what_is_no_network_of_hybridnet_is_refused(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(TopologyError, match=line):
        read_topology(written(tmp_path, text))


def test_huge_labs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="more than 10000 devices"):
        read_topology(written(tmp_path, "\n".join(f"pc{number}[0]=A" for number in range(10_001))))
    with pytest.raises(HybridnetError, match="more than 4 MiB"):
        read_topology(written(tmp_path, "#" * (4 << 20) + "\n#\n"))


_DEVICES = st.sampled_from(["pc1", "pc2", "A", "r-1", "..", "/etc", ""]) | st.text(max_size=5)
_KEYS = st.sampled_from(
    ["0", "1", "999", "-1", "image", "mem", "cpus", "bridged", "sysctl", "env", "exec", "x"]
)
_VALUES = st.sampled_from(
    ["A", "B/02:00:00:00:00:01", "kathara/frr", "1", "", "true", "a=b", "ip link"]
) | st.text(max_size=8)
_LINES = st.tuples(_DEVICES, _KEYS, _VALUES).map(lambda each: f'{each[0]}[{each[1]}]="{each[2]}"') | st.text(
    max_size=20
)


@settings(max_examples=300, deadline=None)  # assert_read_or_refused has one
@given(st.lists(_LINES, max_size=12), st.text(max_size=30))
def test_any_lab_is_read_or_refused_with_words(folder: Path, lines: list[str], script: str) -> None:
    file = folder / "lab.conf"
    file.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    (folder / "pc1.startup").write_text(script, encoding="utf-8", errors="replace")
    assert_read_or_refused(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("labs")
