# SPDX-License-Identifier: MIT
"""Sessions of CORE: what they become, what is told of them, and what is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet.errors import HybridnetError, TopologyError
from hybridnet.plan.files import read_topology, write_topology
from hybridnet.plan.files.xml_text import MOST_DEPTH
from tests.hybridnet.plan.files.support import assert_read_or_refused, content, planned

# n1 - sw - r2 - r3 - hb - n6: a bridge, an OSPF link with all options, and a hub with a link of two unlike directions.
SESSION = """<?xml version='1.0' encoding='UTF-8'?>
<scenario name="sample">
  <networks>
    <network id="4" name="sw" type="SWITCH"><position x="1" y="2"/></network>
    <network id="5" name="hb" type="HUB"/>
  </networks>
  <devices>
    <device id="1" name="n1" type="PC" class="" image="">
      <services><service name="DefaultRoute"/></services>
    </device>
    <device id="2" name="r2" type="router"/>
    <device id="3" name="r3" type="router">
      <configservices><service name="FRRzebra"/><service name="FRROSPFv2"/></configservices>
    </device>
    <device id="6" name="n6" type="host"/>
  </devices>
  <links>
    <link node1="4" node2="1">
      <iface2 id="0" name="eth0" mac="00:00:00:aa:00:10" ip4="10.0.1.20" ip4_mask="24"
        ip6="2001:db8::20" ip6_mask="64"/>
    </link>
    <link node1="4" node2="2">
      <iface2 id="0" name="eth0" ip4="10.0.1.1" ip4_mask="24" ip6="2001:db8::1" ip6_mask="64"/>
      <options delay="0" bandwidth="0" loss="0.0" dup="0" jitter="0" unidirectional="0"/>
    </link>
    <link node_one="2" node_two="3">
      <interface_one id="1" name="eth1" ip4="10.0.2.1" ip4_mask="24"/>
      <interface_two id="0" name="eth0" ip4="10.0.2.2" ip4_mask="24"/>
      <options delay="25000" bandwidth="100000000" per="1.5" dup="2" jitter="500" unidirectional="0" buffer="50"/>
    </link>
    <link node1="3" node2="5"><iface1 id="1" name="eth1" ip4="10.0.3.1" ip4_mask="24"/></link>
    <link node1="5" node2="6">
      <iface2 id="0" name="eth0" ip4="10.0.3.9" ip4_mask="24"/><options delay="1000" unidirectional="1"/>
    </link>
    <link node1="6" node2="5">
      <iface1 id="0" name="eth0" ip4="10.0.3.9" ip4_mask="24"/><options delay="2000" unidirectional="1"/>
    </link>
  </links>
</scenario>
"""


def written(tmp_path: Path, text: str = SESSION) -> Path:
    file = tmp_path / "session.xml"
    file.write_text(text)
    return file


def test_devices_become_hosts_and_routers_and_networks_bridges_and_hubs(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    assert topo.hosts() == ["n1", "n6", "r2", "r3"]
    assert {name: topo.nodeInfo(name)["kind"] for name in topo.switches()} == {"hb": "hub", "sw": "linux"}
    assert topo.nodeInfo("n1") == {"ip": None, "ip6": None, "defaultRoute": "via 10.0.1.1"}
    assert topo.nodeInfo("n6")["defaultRoute"] == "via 10.0.3.1"
    r2, r3 = topo.nodeInfo("r2"), topo.nodeInfo("r3")
    assert (r2["kind"], r2["daemons"]) == ("frr", ["ospf6d", "ospfd"])  # what CORE gives routers
    assert (r3["kind"], r3["daemons"]) == ("frr", ["ospfd"])
    timers = " ip ospf area 0\n ip ospf hello-interval 1\n ip ospf dead-interval 4\n"
    assert r3["conf"] == (
        f"interface eth0\n{timers} ip ospf network point-to-point\nexit\ninterface eth1\n{timers}exit\n"
        "router ospf\nexit\n"
    )
    assert topo.controllers == {}


def test_links_have_the_files_addresses_and_options(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    end = topo.spec("sw", "n1").b
    assert (end.inside, end.ip, end.ip6, end.mac) == (
        "eth0",
        "10.0.1.20/24",
        "2001:db8::20/64",
        "00:00:00:aa:00:10",
    )
    core = topo.spec("r2", "r3")
    for direction in (core.a_to_b, core.b_to_a):
        assert direction.text() == "100 Mbit/s, 25 ms ± 500 us, queue 50 packets, loss 1.5 %, duplicate 2 %"
    assert topo.spec("sw", "r2").a_to_b == topo.spec("r3", "hb").a_to_b  # zeros are nothing
    unlike = topo.spec("hb", "n6")
    assert (unlike.a_to_b.delay_ns, unlike.b_to_a.delay_ns) == (1_000_000, 2_000_000)
    assert len(topo.links()) == 5


def test_what_is_done_otherwise_is_told_and_a_routers_own_configuration_is_taken(tmp_path: Path) -> None:
    own = (
        '<service_configurations><service name="zebra" node="3"><files><file name="/usr/local/etc/quagga/Quagga.conf">'
        "router ospf\n network 10.0.0.0/8 area 0\n</file></files></service></service_configurations></scenario>"
    )
    file = written(tmp_path, SESSION.replace("</scenario>", own))
    topo = read_topology(file)
    assert topo.nodeInfo("r3")["conf"] == "router ospf\n network 10.0.0.0/8 area 0\n"
    assert topo.notes[-1] == (
        f"{file}: n6: SSH: the service is not started; start it at the prompt, or by commands"
    )


def test_what_is_written_as_yaml_is_the_same_network(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path))
    ours = tmp_path / "ours.yaml"
    write_topology(ours, topo, planned(topo), topo.controllers)
    assert content(read_topology(ours)) == content(topo)


BOMB = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><scenario><devices>&b;</devices></scenario>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><scenario>&a;</scenario>'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "session.xml:1: it is no XML: no element found"),
        ("<scenario><devices></scenario>", "session.xml:1: it is no XML: mismatched tag"),
        ("<project/>", "it is no session of CORE"),
        (BOMB, r"session.xml:1: it has a document type \(<!DOCTYPE ...>\)"),
        (OUTSIDE, r"session.xml:1: it has a document type"),
        ("<scenario>&a;</scenario>", "it is no XML: undefined entity"),
        ("<a>" * (MOST_DEPTH + 1), "elements are nested more than 50 deep"),
        (
            SESSION.replace('type="HUB"', 'type="WIRELESS_LAN"'),
            "hb: type: WIRELESS_LAN is no network of cables",
        ),
        (SESSION.replace('type="HUB"', 'type="RJ45"'), "hb: type: RJ45 is no network of cables"),
        (SESSION.replace('type="host"', 'type="mdr"'), "n6: type: mdr is none that hybridnet has"),
        (SESSION.replace('id="6" name="n6"', 'id="3" name="n6"'), "n6: id: '3' is no number of its own"),
        (SESSION.replace('node1="3"', 'node1="9"'), "links.4: there is no node '9'"),
        (SESSION.replace('delay="25000"', 'delay="x"'), "links.3: delay: 'x' is not a number"),
        (SESSION.replace('per="1.5"', 'per="150"'), "links.3: link r2-r3: loss"),
        (SESSION.replace('ip4="10.0.3.1"', 'ip4="10.0.3"'), "links.4: link r3-hb: ip"),
        (
            SESSION.replace('name="eth1" ip4="10.0.3.1"', 'name="eth0" ip4="10.0.3.1"'),
            "r3: eth0: the interface is in two",
        ),
        (SESSION.replace('name="n6"', 'name="../n6"'), "../n6: node '../n6': a name starts with"),
    ],
)
def test_what_is_no_network_of_hybridnet_is_refused(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(TopologyError, match=line):
        read_topology(written(tmp_path, text))


def test_all_that_is_refused_is_said_at_once(tmp_path: Path) -> None:
    wrong = SESSION.replace('type="HUB"', 'type="EMANE"').replace('type="host"', 'type="mdr"')
    with pytest.raises(TopologyError, match=r"n6: type: mdr.*\n.*hb: type: EMANE"):
        read_topology(written(tmp_path, wrong))


def test_huge_sessions_are_refused_and_large_ones_read_in_seconds(tmp_path: Path) -> None:
    with pytest.raises(HybridnetError, match="more than 4 MiB"):
        read_topology(written(tmp_path, " " * (4 << 20) + SESSION))
    with pytest.raises(TopologyError, match="more than 200000 elements"):
        read_topology(written(tmp_path, f"<scenario><devices>{'<a/>' * 200_000}</devices></scenario>"))
    devices = "".join(f'<device id="{n}" name="n{n}" type="PC"/>' for n in range(10_001))
    with pytest.raises(TopologyError, match="more than 10000 nodes"):
        read_topology(written(tmp_path, f"<scenario><devices>{devices}</devices></scenario>"))
    networks = "".join(f'<network id="{n}" name="s{n}" type="SWITCH"/>' for n in range(5_000))
    links = "".join(f'<link node1="{n}" node2="{n + 1}"/>' for n in range(4_999))
    began = time.process_time()
    text = f"<scenario><networks>{networks}</networks><devices/><links>{links}</links></scenario>"
    assert len(read_topology(written(tmp_path, text)).links()) == 4_999
    assert time.process_time() - began < 30


_KEYS = ["id", "name", "type", "node1", "node2", "ip4", "ip4_mask", "mac", "delay", "loss", "unidirectional"]
_VALUES = st.sampled_from(
    ["1", "2", "PC", "router", "SWITCH", "eth0", "10.0.0.1", "24", "-1", "nan", "inf", "1e400"]
)
_CUT = st.tuples(st.integers(0, len(SESSION)), st.integers(0, 60), st.text(max_size=6))
_CHANGED = st.tuples(st.sampled_from(_KEYS), _VALUES)


@settings(max_examples=300, deadline=None)  # assert_read_or_refused has one
@given(st.lists(_CUT, max_size=2), st.lists(_CHANGED, max_size=3))
def test_any_session_is_read_or_refused_with_words(
    folder: Path, cuts: list[tuple[int, int, str]], changes: list[tuple[str, str]]
) -> None:
    text = SESSION
    for key, value in changes:
        text = text.replace(f'{key}="', f'{key}="{value}" x="', 1) if f'{key}="' in text else text
    for at, length, more in cuts:
        text = text[:at] + more + text[at + length :]
    file = folder / "session.xml"
    file.write_text(text, encoding="utf-8", errors="replace")
    assert_read_or_refused(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sessions")
