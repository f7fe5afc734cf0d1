# SPDX-License-Identifier: MIT
"""Labs of containerlab: what they become, what is told of them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet.errors import HybridnetError, TopologyError
from hybridnet.plan.files import read_topology, write_topology
from tests.hybridnet.plan.files.support import assert_read_or_refused, content, planned

LAB = """\
name: two
topology:
  defaults:
    kind: linux
    env: {WHERE: "here and there"}
  kinds:
    linux: {image: "alpine:3", exec: [ip link show lo]}
  groups:
    routers: &routers
      image: quay.io/frrouting/frr:10.1.0
      binds: ["daemons:/etc/frr/daemons:ro", "__clabNodeName__.conf:/etc/frr/frr.conf"]
  nodes:
    r1: {group: routers}
    a-long-name-of-a-host: {exec: ["ip addr add 10.1.0.2/24 dev eth1", "echo a > b"], mgmt-ipv4: 172.20.20.5}
    sw: {kind: bridge}
    ovs: {kind: ovs-bridge}
  links:
    - endpoints: ["r1:eth1", "sw:port1"]
    - endpoints: ["sw:port2", "a-long-name-of-a-host:eth1"]
      mtu: 1400
    - type: veth
      endpoints:
        - {node: r1, interface: eth2, mac: "02:00:00:00:00:22"}
        - {node: ovs, interface: port3}
"""
CONF = "hostname r1\nservice integrated-vtysh-config\ninterface eth1\n ip address 10.1.0.1/24\nlog syslog\n"


def written(tmp_path: Path, text: str = LAB) -> Path:
    (tmp_path / "daemons").write_text(
        'zebra=yes\nbgpd=no\nospfd=yes\nvtysh_enable=yes\nzebra_options="-A 127.0.0.1"\n'
    )
    (tmp_path / "r1.conf").write_text(CONF)
    file = tmp_path / "two.clab.yml"
    file.write_text(text)
    return file


def lab(nodes: str, links: str = "[]") -> str:
    return f"topology:\n  nodes: {nodes}\n  links: {links}\n"


def test_nodes_become_hosts_routers_and_bridges_with_what_they_inherit(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    assert topo.hosts() == ["a-long-name-of-a-host", "r1"]
    assert topo.nodeInfo("sw") == {"kind": "linux"}
    assert topo.nodeInfo("ovs") == {"failMode": "standalone", "dpid": "1"}
    r1, host = topo.nodeInfo("r1"), topo.nodeInfo("a-long-name-of-a-host")
    assert (r1["kind"], r1["daemons"]) == ("frr", ["ospfd"])
    assert r1["conf"] == "hostname r1\ninterface eth1\n ip address 10.1.0.1/24\n"
    assert "files" not in r1, "FRR's files are its options"
    assert r1["commands"] == host["commands"][:3]
    assert host["commands"] == [
        "sysctl -qw net.ipv4.ip_forward=1",
        "export WHERE='here and there'",
        "ip link show lo",
        "ip addr add 10.1.0.2/24 dev eth1",
        "echo a '>' b",
    ]
    assert host["ip"] is None, "it has no address but those that its commands give it"
    assert topo.controllers == {}


def test_a_key_without_a_value_takes_nothing_from_what_is_inherited(tmp_path: Path) -> None:
    text = "topology: {defaults: {exec: [ip link], env: {A: 1}}, nodes: {a: {exec: , env: }}}"
    spec = read_topology(written(tmp_path, text)).node_spec("a")
    assert spec.options["commands"][1:] == ["export A=1", "ip link"]


def test_interfaces_have_the_names_addresses_and_sizes_of_the_file(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    first, second, third = topo.link_specs()
    assert (first.a.interface, first.a.inside, first.a.port, first.a.mtu) == ("r1-eth1", "eth1", 1, 9500)
    assert first.b.interface == "port1"
    assert (second.b.interface, second.b.inside, second.b.mtu) == ("a-long-na-eth1", "eth1", 1400)
    assert (third.a.inside, third.a.mac) == ("eth2", "02:00:00:00:00:22")
    [plan] = planned(topo).machines.values()
    assert [each["inside"] for host in plan["hosts"] for each in host["interfaces"]] == [
        "eth1",
        "eth2",
        "eth1",
    ]


def test_what_is_done_otherwise_is_told_with_the_node_and_the_key(tmp_path: Path) -> None:
    notes = read_topology(written(tmp_path)).notes
    file = tmp_path / "two.clab.yml"
    assert (
        f"{file}: a-long-name-of-a-host: image: alpine:3 is not run; the host has this computer's programs"
        in notes
    )
    assert any(
        note.startswith(f"{file}: r1: image: quay.io/frrouting/frr:10.1.0 is not run") for note in notes
    )
    assert any(
        note.startswith(f"{file}: a-long-name-of-a-host: mgmt-ipv4: there is no management") for note in notes
    )


def test_what_is_written_as_yaml_is_the_same_network(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    ours = tmp_path / "ours.yaml"
    write_topology(ours, topo, planned(topo), topo.controllers)
    again = read_topology(ours)
    assert content(again) == content(topo)
    assert again.controllers == {}
    assert planned(again).machines == planned(topo).machines


def test_frr_that_a_command_turns_on_and_starts_is_started_by_hybridnet(tmp_path: Path) -> None:
    text = lab(
        "{r1: {kind: linux, image: frrouting/frr, exec: [sed -i -e 's/bgpd=no/bgpd=yes/g' /etc/frr/daemons, "
        "/usr/lib/frr/frrinit.sh start, vtysh -c 'conf t' -c 'router bgp 65001']}}"
    )
    r1 = read_topology(written(tmp_path, text)).nodeInfo("r1")
    assert r1["daemons"] == ["bgpd"]
    assert r1["commands"][1:] == ["vtysh -c 'conf t' -c 'router bgp 65001'"]


def test_a_folder_that_is_bound_is_laid_over_with_all_its_texts(tmp_path: Path) -> None:
    (tmp_path / "www/deep").mkdir(parents=True)
    (tmp_path / "www/index.html").write_text("hello")
    (tmp_path / "www/deep/a").write_text("b")
    (tmp_path / "www/picture").write_bytes(b"\xff\xfe\x00")
    topo = read_topology(
        written(tmp_path, lab("{h: {binds: ['www:/var/www/html', '/lib/modules:/lib/modules']}}"))
    )
    assert topo.nodeInfo("h")["files"] == {"/var/www/html/index.html": "hello", "/var/www/html/deep/a": "b"}
    assert any("picture is left out" in note for note in topo.notes)


def test_variables_of_the_environment_are_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KIND", "bridge")
    text = lab(
        "{a: {kind: '${LAB_KIND}'}, b: {kind: '${NO_SUCH_VARIABLE:=bridge}'}, c: {kind: '${NO_SUCH_VARIABLE}'}}"
    )
    with pytest.raises(TopologyError, match=r"c: \$\{NO_SUCH_VARIABLE\}: the environment has no") as told:
        read_topology(written(tmp_path, text))
    assert " a: " not in str(told.value)
    assert " b: " not in str(told.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            lab("{s: {kind: nokia_srlinux}, t: {kind: nokia_srlinux}}"),
            "s, t: kind: nokia_srlinux is an image of its own",
        ),
        (
            lab("{a: {}}", "[{endpoints: ['a:eth1', 'b:eth1']}]"),
            "links.1: endpoints: there is no node 'b'; add it",
        ),
        (
            lab("{a: {}}", "[{endpoints: ['a:eth1', 'host:x']}]"),
            "links.1: endpoints: host is outside the lab",
        ),
        (
            lab("{a: {}}", "[{type: macvlan, endpoint: {node: a}}]"),
            "links.1: type: macvlan leads out of the lab",
        ),
        (lab("{a: {}}", "[{endpoints: [a]}]"), "links.1: endpoints: write two"),
        (
            lab("{a: {}, b: {}}", "[{endpoints: ['a:eth1', 'b:lo']}]"),
            "links.1: link a-b: name of b-lo 'lo' is not",
        ),
        (
            lab("{a: {}, b: {}}", "[{endpoints: ['a:e1', 'b:e1']}, {endpoints: ['a:e1', 'b:e2']}]"),
            "links.2: link a-b: host a has an interface e1 already, at link a-b",
        ),
        (lab("{a: {binds: ['nothing:/etc/x']}}"), "a: binds: .*nothing is no file; add it"),
        (lab("{a: {exec: [echo 'x]}}"), 'a: exec: "echo \'x": No closing quotation'),
        (
            "topology: {defaults: {exec: ip link}, nodes: {a: {exec: [ip route]}}}",
            "a: exec: 'ip link' is not a list",
        ),
        ("topology: {defaults: {env: x}, nodes: {a: {env: {B: 1}}}}", "a: env: 'x' are not values by name"),
        ("topology: {defaults: 5, nodes: {a: {}}}", "topology: defaults: 5 are not values by name"),
        ("topology: {kinds: {linux: [x]}, nodes: {a: {}}}", r"topology: kinds.linux: \['x'\] are not values"),
        ("topology: {groups: no, nodes: {a: {}}}", "topology: groups: 'no' are not values by name"),
        (lab("{a: {exec: ''}}"), "a: exec: '' is not a list of commands"),
        (lab("{a: {}}", "''"), "topology.links is not a list"),
        (
            lab("{a: {}, b: {}}", "[{endpoints: ['a:e1', 'b:e1'], ipv4: 10.0.0.1/24}]"),
            "links.1: ipv4: '10.0.0.1/24' is not a list of an address for each end",
        ),
        (lab("{a: {network-mode: host}}"), "a: network-mode: host is another's network"),
        (lab("{'a b': {}}"), "a b: node 'a b': a name starts with"),
        (lab("{a: 5}"), "a: nodes: 5 is not a node"),
        ("topology: {nodes: {}}", "it has no nodes"),
        ("topology: 5", "it has no topology"),
    ],
)
def test_what_is_no_network_of_hybridnet_is_refused_before_anything_is_made(
    tmp_path: Path, text: str, line: str
) -> None:
    with pytest.raises(TopologyError, match=line):
        read_topology(written(tmp_path, text))


@pytest.mark.parametrize("merging", [False, True])
def test_what_repeats_itself_without_end_is_refused_at_once(tmp_path: Path, merging: bool) -> None:
    key = "<<" if merging else "k"
    levels = [
        f"x{at + 1}: &x{at + 1} {{a{at}: 1, {key}: [{', '.join([f'*x{at}'] * 9)}]}}" for at in range(12)
    ]
    text = "\n".join(["x0: &x0 {a: 1}", *levels, "topology: {nodes: {a: {labels: *x12}}}"])
    with pytest.raises(TopologyError, match="too large: more than 200000 values"):
        read_topology(written(tmp_path, text))


def test_deep_nesting_and_huge_labs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError):
        read_topology(written(tmp_path, f"topology: {'[' * 20_000}"))
    nodes = "\n".join(f"    n{number}:" for number in range(10_001))
    with pytest.raises(TopologyError, match="the lab has 10001 nodes, and may have 10000"):
        read_topology(written(tmp_path, f"topology:\n  nodes:\n{nodes}\n"))
    with pytest.raises(HybridnetError, match="more than 4 MiB"):
        read_topology(written(tmp_path, "topology: {}\n" + "#" * (4 << 20)))


_WORDS = st.sampled_from(
    [
        "linux",
        "bridge",
        "a:eth1",
        "b:eth1",
        "frrouting/frr",
        "x:/etc/x",
        "ip link",
        "",
        "veth",
        "host",
        "${A:-b}",
        "\x00",
    ]
) | st.text(max_size=8)
_KEYS = st.sampled_from(
    [
        *(
            "kind",
            "image",
            "exec",
            "binds",
            "env",
            "group",
            "cpu",
            "cpu-set",
            "sysctls",
            "network-mode",
            "startup-config",
        ),
        *("type", "endpoints", "mtu", "node", "interface", "mac", "ipv4", "a", "b"),
    ]
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**18) | st.floats(-2, 3) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=8,
)
_LABS = st.fixed_dictionaries(
    {},
    optional={
        "name": _VALUES,
        "mgmt": _VALUES,
        "topology": st.fixed_dictionaries(
            {"nodes": st.dictionaries(st.sampled_from(["a", "b", "c d"]), _VALUES, max_size=3) | _VALUES},
            optional={
                "links": st.lists(_VALUES, max_size=3) | _VALUES,
                "defaults": _VALUES,
                "kinds": st.dictionaries(_WORDS, _VALUES, max_size=2) | _VALUES,
                "groups": _VALUES,
            },
        )
        | _VALUES,
    },
)


@settings(max_examples=300, deadline=None)  # assert_read_or_refused has one
@given(_LABS)
def test_any_lab_is_read_or_refused_with_words(folder: Path, drawn: Any) -> None:
    import json

    file = folder / "drawn.clab.yml"
    file.write_text(json.dumps(drawn))
    assert_read_or_refused(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("labs")
