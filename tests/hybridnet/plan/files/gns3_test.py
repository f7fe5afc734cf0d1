# SPDX-License-Identifier: MIT
"""Projects of GNS3: what they become, what is told of them, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet.errors import HybridnetError, TopologyError
from hybridnet.plan.files import read_topology, write_topology
from tests.hybridnet.plan.files.support import assert_read_or_refused, content, planned

PORTS = {
    "ports_mapping": [
        {"name": f"Ethernet{n}", "port_number": n, "type": "access", "vlan": 1} for n in range(3)
    ]
}


def node(number: int, name: str, kind: str, **properties: Any) -> dict[str, Any]:
    return {
        "node_id": f"{number:08x}",
        "name": name,
        "node_type": kind,
        "properties": properties,
        "x": 0,
        "y": 0,
    }


def link(*ends: tuple[int, int, int], **more: Any) -> dict[str, Any]:
    """From (node, adapter, port) to another."""
    return {
        "link_id": "1",
        "nodes": [{"node_id": f"{n:08x}", "adapter_number": a, "port_number": p} for n, a, p in ends],
        **more,
    }


def project() -> dict[str, Any]:
    return {
        "name": "small",
        "revision": 9,
        "type": "topology",
        "topology": {
            "nodes": [
                node(1, "PC1", "vpcs"),
                node(2, "Switch1", "ethernet_switch", **PORTS),
                node(3, "frr-1", "docker", image="frrouting/frr:latest", environment="A=b c\n"),
                node(4, "Hub1", "ethernet_hub"),
                node(5, "box-1", "docker", image="alpine", start_command="/bin/sh", adapters=2),
            ],
            "links": [
                link((1, 0, 0), (2, 0, 0), filters={"delay": [10, 2], "packet_loss": [1], "corrupt": [2]}),
                link((2, 0, 1), (3, 0, 0)),
                link((3, 1, 0), (4, 0, 0)),
                link((4, 0, 1), (5, 1, 0)),
                link((4, 0, 2), (5, 0, 0), suspend=True),
            ],
        },
    }


def written(folder: Path, said: Any | None = None, scripts: Mapping[str, str] | None = None) -> Path:
    for name, text in (scripts or {}).items():
        place = folder / "project-files" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    file = folder / "small.gns3"
    file.write_text(said if isinstance(said, str) else json.dumps(project() if said is None else said))
    return file


SCRIPTS = {
    "vpcs/00000001/startup.vpc": "# mine\nset pcname PC1\nip 10.0.0.1 255.255.255.0 10.0.0.254\n"
    "ip 2001:db8::1/64\nip dhcp\n",
    "docker/00000003/etc/frr/daemons": "zebra=yes\nospfd=yes\n",
    "docker/00000003/etc/frr/frr.conf": "router ospf\n network 10.0.0.0/8 area 0\n",
    "docker/00000005/etc/network/interfaces": (
        "# static\nauto eth1\niface eth1 inet static\n\taddress 10.1.0.2\n\tnetmask 255.255.0.0\n\tgateway 10.1.0.1\n"
        "\tup echo nameserver 10.1.0.1 > /etc/resolv.conf\nauto eth0\niface eth0 inet dhcp\n"
    ),
    "docker/00000005/etc/motd": "hello\n",
}  # fmt: skip


def test_nodes_become_hosts_routers_and_switches(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path, scripts=SCRIPTS))
    assert topo.hosts() == ["PC1", "box-1", "frr-1"]
    assert {name: topo.nodeInfo(name)["kind"] for name in topo.switches()} == {
        "Hub1": "hub",
        "Switch1": "linux",
    }
    assert topo.nodeInfo("PC1")["commands"] == [
        "ip address add 10.0.0.1/24 dev eth0",
        "ip route replace default via 10.0.0.254",
        "ip address add 2001:db8::1/64 dev eth0",
    ]
    router, box = topo.nodeInfo("frr-1"), topo.nodeInfo("box-1")
    assert (router["kind"], router["daemons"], router["conf"]) == (
        "frr",
        ["ospfd"],
        "router ospf\n network 10.0.0.0/8 area 0\n",
    )
    assert router["commands"][1:] == ["export A='b c'"]
    assert box["commands"][1:] == [
        "ip address add 10.1.0.2/16 dev eth1",
        "ip route replace default via 10.1.0.1",
        "echo nameserver 10.1.0.1 > /etc/resolv.conf",
    ]
    assert box["files"] == {"/etc/motd": "hello\n"}
    assert topo.controllers == {}


def test_links_have_the_ports_and_the_filters_of_the_project(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    assert sorted(topo.links()) == [
        ("Hub1", "box-1"),
        ("PC1", "Switch1"),
        ("Switch1", "frr-1"),
        ("frr-1", "Hub1"),
    ]
    first = topo.spec("PC1", "Switch1")
    assert first.a_to_b == first.b_to_a
    assert (first.a_to_b.delay_ns, first.a_to_b.jitter_ns) == (10_000_000, 2_000_000)
    assert first.a_to_b.text().endswith("loss 1 %, corrupt 2 %")
    assert (topo.spec("Hub1", "box-1").b.inside, topo.spec("frr-1", "Hub1").a.inside) == ("eth1", "eth1")


def test_what_is_done_otherwise_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, scripts=SCRIPTS)
    assert read_topology(file).notes == [
        f"{file}: PC1: startup.vpc: 'ip dhcp' is not done; do it at the prompt",
        f"{file}: frr-1: image: frrouting/frr:latest is not run; its routing daemons are those of this computer's FRR",
        f"{file}: box-1: image: alpine is not run; the host has this computer's programs",
        f"{file}: box-1: start_command: no image is run, so nor is its command; start what the network needs at "
        "the prompt",
        f"{file}: box-1: interfaces: 'iface eth0 inet dhcp' is not done; do it at the prompt",
        f"{file}: links.5: suspend: a link that is suspended is not made; resume it in GNS3",
    ]


def test_what_is_written_as_yaml_is_the_same_network(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path, scripts=SCRIPTS))
    ours = tmp_path / "ours.yaml"
    write_topology(ours, topo, planned(topo), topo.controllers)
    assert content(read_topology(ours)) == content(topo)


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """The project with one value changed."""
    found = at = project()
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return found


NODES, LINKS = ("topology", "nodes"), ("topology", "links")
TAGGED = {"ports_mapping": [{"port_number": 0, "type": "dot1q", "vlan": 1}]}
TEXT_VLANS = {
    "ports_mapping": [
        {"port_number": n, "type": "access", "vlan": vlan} for n, vlan in enumerate(("10", "20"))
    ]
}
TWO_VLANS = {"ports_mapping": [{"port_number": n, "type": "access", "vlan": n + 1} for n in range(2)]}


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("", "it is no project of GNS3"),
        ("[" * 100_000, "it is no project of GNS3: it is nested too deeply"),
        ([], "it has no topology with nodes"),
        (changed("topology", to=5), "it has no topology with nodes"),
        (changed("revision", to=4), "revision 4 is of a GNS3 before 2.0"),
        (
            changed(*NODES, 0, "node_type", to="qemu"),
            "PC1: node_type: qemu is an image of its own, or leads out",
        ),
        (
            changed(*NODES, 0, "node_type", to="cloud"),
            "PC1: node_type: cloud is an image of its own, or leads out",
        ),
        (changed(*NODES, 0, "node_id", to="00000002"), "Switch1: node_id: '00000002' is there twice"),
        (changed(*NODES, 0, "name", to="../PC1"), "../PC1: node '../PC1': a name starts with"),
        (changed(*NODES, 0, to="PC1"), "nodes.1: it has no name, node_id and node_type"),
        (
            changed(*NODES, 1, "properties", to=TAGGED),
            "Switch1: ports_mapping: port 0 is dot1q, VLAN 1; a bridge has no",
        ),
        (changed(*NODES, 1, "properties", to=TWO_VLANS), "Switch1: ports_mapping: port 1 is access, VLAN 2"),
        (
            changed(*NODES, 1, "properties", to=TEXT_VLANS),
            "Switch1: ports_mapping: port 1 is access, VLAN 20",
        ),
        *(
            (
                changed(*NODES, 1, "properties", to={"ports_mapping": [port]}),
                f"Switch1: ports_mapping: {words}",
            )
            for port, words in (
                ({"port_number": 0, "vlan": "blue"}, "port 0: VLAN 'blue' is no number; correct it in GNS3"),
                ({"port_number": 0, "vlan": None}, "port 0: VLAN None is no number"),
                (
                    {"port_number": "0", "vlan": 2},
                    r".*'port_number': '0'.* is no port; save the project in GNS3",
                ),
                ("port 0", "'port 0' is no port"),
            )
        ),
        (
            changed(*NODES, 1, "properties", to={"ports_mapping": {}}),
            "Switch1: ports_mapping: {} is not a list",
        ),
        (
            changed(*NODES, 2, "properties", "environment", to="x y"),
            "frr-1: environment: 'x y' is not NAME=value",
        ),
        (changed("topology", "links", to={}), "topology.links is not a list; save the project"),
        (changed(*LINKS, 0, to=5), "links.1: nodes: it does not have two ends"),
        (changed(*LINKS, 0, "nodes", 0, "node_id", to="9"), "links.1: nodes: there is no node '9'"),
        (
            changed(*LINKS, 0, "nodes", 0, "adapter_number", to=-1),
            "links.1: nodes: it does not have two ends",
        ),
        (
            changed(*LINKS, 0, "filters", to={"bpf": ["tcp"]}),
            "links.1: filters: bpf is none that hybridnet has",
        ),
        (changed(*LINKS, 0, "filters", to={"packet_loss": [101]}), "links.1: link PC1-Switch1: loss"),
        (
            changed(*LINKS, 0, "filters", to={"delay": 5}),
            "links.1: filters: delay: 5 is not a list of values",
        ),
    ],
)
def test_what_is_no_network_of_hybridnet_is_refused(tmp_path: Path, said: Any, line: str) -> None:
    with pytest.raises(TopologyError, match=line):
        read_topology(written(tmp_path, said))


def test_a_nodes_number_is_no_way_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "startup.vpc").write_text("ip 10.0.0.1/24\n")
    inner = tmp_path / "project"
    (inner / "project-files/vpcs").mkdir(parents=True)
    said = changed(*NODES, 0, "node_id", to="../../../secret")
    said["topology"]["links"] = []
    assert read_topology(written(inner, said)).nodeInfo("PC1")["commands"] == []


def test_huge_projects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HybridnetError, match="more than 4 MiB"):
        read_topology(written(tmp_path, " " * (4 << 20) + json.dumps(project())))
    said = changed("topology", "nodes", to=[node(n, f"P{n}", "vpcs") for n in range(10_001)])
    with pytest.raises(TopologyError, match="has 10001 nodes, and may have 10000"):
        read_topology(written(tmp_path, said))


_PLACES = st.sampled_from(
    [
        ("revision",), ("topology",), NODES, LINKS, *[(*NODES, 2, key) for key in ("name", "node_id", "properties")],
        (*NODES, 2, "properties", "environment"), (*NODES, 1, "properties", "ports_mapping"), (*NODES, 0, "node_type"),
        *[(*LINKS, 0, key) for key in ("nodes", "filters", "suspend")], (*LINKS, 0, "filters", "delay"),
        (*LINKS, 1, "nodes", 0), (*LINKS, 1, "nodes", 1, "port_number"),
    ]
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)  # assert_read_or_refused has one
@given(_PLACES, _JSON, st.text(max_size=30), st.text(max_size=30))
def test_any_project_is_read_or_refused_with_words(
    folder: Path, path: tuple[Any, ...], value: Any, script: str, interfaces: str
) -> None:
    file = written(folder, changed(*path, to=value))
    for name, text in (
        ("vpcs/00000001/startup.vpc", f"ip {script}"),
        ("docker/00000005/etc/network/interfaces", f"iface {interfaces}"),
    ):
        place = folder / "project-files" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", errors="replace")
    assert_read_or_refused(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("projects")
