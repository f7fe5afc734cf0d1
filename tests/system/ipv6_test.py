# SPDX-License-Identifier: MIT
"""Real programs speak IPv6 through simulated routers, on two machines, and with the applications of a simulated host.

h1 (namespace) -- s1 (Open vSwitch) -- r1 ======== 2 ms ======== r2 ---- 1 ms, 100 Mbit/s ---- server (simulated)
                                           machines m1 | m2      |
                                                                 '---- MTU 1400 ---- r3 -- h2 (namespace)
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pytest

from hybridnet import Net, Topo
from tests.system.interop_test import APPLICATIONS, RATE_MBPS, file_digest
from tests.system.live import finish_iperf3, rtts_ms, snapshots, start_iperf3
from tests.system.port_type import PORT_TYPE
from tests.system.routed_test import tshark

pytestmark = pytest.mark.slow

LINK_MS, SERVER_MS = 2.0, 1.0
SMALL_MTU = 1400


class Routed(Topo):
    def build(self) -> None:
        self.addHost("h1", machine="m1")
        self.addSwitch("s1", machine="m1", failMode="standalone")
        self.addSimRouter("r1", machine="m1")
        self.addSimRouter("r2", machine="m2")
        self.addSimRouter("r3", machine="m2")
        self.addSimHost("server", machine="m2", applications=APPLICATIONS)
        self.addHost("h2", machine="m2")
        self.addLink("h1", "s1")
        self.addLink("s1", "r1")
        self.addLink("r1", "r2", delay=f"{LINK_MS}ms")
        self.addLink("r2", "server", bw=RATE_MBPS, delay=f"{SERVER_MS}ms", max_queue_size=100)
        self.addLink("r2", "r3", mtu=SMALL_MTU, delay="0.1ms")
        self.addLink("r3", "h2")


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("captures")
    return {name: directory / f"{name}.pcap" for name in ("r1-eth1", "server-eth0")}


@pytest.fixture(scope="module")
def net(captures: dict[str, Path]) -> Iterator[Net]:
    files = {name: str(path) for name, path in captures.items()}
    with Net(Routed(), ip6_base="fd00::/48", controller=None, port_type=PORT_TYPE, captures=files) as net:
        yield net


@pytest.fixture(scope="module")
def address(net: Net) -> dict[str, str]:
    """Of each simulated interface, its IPv6 address: the plan's."""
    assert net.plan is not None
    return {
        interface["name"]: interface["address6"].partition("/")[0]
        for plan in net.plan.machines.values()
        for node in plan["instances"][0]["nodes"]
        for interface in node["interfaces"]
    }


def nodes(net: Net) -> dict[str, dict[str, Any]]:
    return {node["name"]: node for snapshot in snapshots(net).values() for node in snapshot["nodes"]}


def test_every_interface_of_a_router_answers_ping(net: Net, address: dict[str, str]) -> None:
    for interface in ("r1-eth1", "r1-eth2", "r2-eth1", "r2-eth2"):
        least_ms = 0 if interface.startswith("r1") else 2 * LINK_MS
        assert rtts_ms(net, "h1", address[interface], 3)[0] >= least_ms


def test_a_simulated_host_answers_ping_after_the_delays_of_the_way(net: Net, address: dict[str, str]) -> None:
    assert rtts_ms(net, "h1", address["server-eth0"], 5)[0] >= 2 * (LINK_MS + SERVER_MS)


def test_real_hosts_reach_each_other(net: Net) -> None:
    there = net["h2"].IP6()
    assert there is not None
    assert rtts_ms(net, "h1", there, 3)[0] >= 2 * LINK_MS


def link_local(net: Net, interface: str) -> str:
    """fe80:: with the modified EUI-64 of the interface's MAC address, as RFC 4291 makes it."""
    assert net.plan is not None
    nodes = [node for plan in net.plan.machines.values() for node in plan["instances"][0]["nodes"]]
    [mac] = [each["mac"] for node in nodes for each in node["interfaces"] if each["name"] == interface]
    octets = [int(octet, 16) for octet in mac.split(":")]
    return str(
        IPv6Address(0xFE80 << 112 | int.from_bytes((octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:])))
    )


def test_a_router_answers_at_its_link_local_address_and_in_the_group_of_all_nodes(net: Net) -> None:
    said = net["h1"].cmd(f"ping -n -c 3 -i 0.2 -W 5 {link_local(net, 'r1-eth1')}%h1-eth0")
    assert " 0% packet loss" in said, said
    said = net["h1"].cmd("ping -n -c 2 -i 0.2 -W 5 ff02::1%h1-eth0")
    assert "duplicates" in said, said  # h1 itself answers, too


def test_a_traceroute_names_the_routers_in_order(net: Net, address: dict[str, str]) -> None:
    there = net["h2"].IP6()
    said = net["h1"].cmd("traceroute -6 -n -q 2 -w 5", there)
    hops = re.findall(r"^ *\d+  (\S+)", said, re.MULTILINE)
    assert hops == [address["r1-eth1"], address["r2-eth1"], address["r3-eth1"], there], said


def test_the_router_at_which_a_hop_limit_ends_says_so(net: Net, address: dict[str, str]) -> None:
    said = net["h1"].cmd("ping -n -c 1 -W 5 -t 2", address["server-eth0"])
    assert re.search(rf"From {address['r2-eth1']} icmp_seq=1 Time exceeded: Hop limit", said), said
    assert nodes(net)["r2"]["dropped"]["ttl_expired"] >= 1


def test_the_router_without_a_route_says_so(net: Net, address: dict[str, str]) -> None:
    said = net["h1"].cmd("ping -n -c 1 -W 5 2001:db8:9::1")
    assert re.search(rf"From {address['r1-eth1']} icmp_seq=1 Destination unreachable: No route", said), said


def test_the_router_before_a_silent_host_says_so(net: Net, address: dict[str, str]) -> None:
    absent = re.sub(r":[^:]*$", ":200", address["server-eth0"])
    said = net["h1"].cmd("ping -n -c 1 -W 10", absent)
    assert re.search(rf"From {address['r2-eth1']} icmp_seq=1 Destination unreachable: Address", said), said


def test_a_closed_port_of_a_simulated_host_is_refused(net: Net, address: dict[str, str]) -> None:
    said = net["h1"].cmd(f"curl -sS --max-time 10 'http://[{address['server-eth0']}]:81/' 2>&1")
    assert "Connection refused" in said or "Couldn't connect" in said, said


def test_curl_fetches_every_byte(net: Net, address: dict[str, str]) -> None:
    said = net["h1"].cmd(f"curl -sS --max-time 60 'http://[{address['server-eth0']}]/file' | sha256sum")
    assert said.split()[0] == file_digest()


def test_nc_gets_back_what_it_sends(net: Net, address: dict[str, str]) -> None:
    text = "".join(f"line {number} of a text that comes back\n" for number in range(2000))
    said = net["h1"].cmd(
        f"seq -f 'line %g of a text that comes back' 0 1999 | nc -6 -N -w 10 {address['server-eth0']} 7 | sha256sum"
    )
    assert said.split()[0] == hashlib.sha256(text.encode()).hexdigest()
    assert net["h1"].cmd(f"echo across | nc -6 -u -W 1 -w 5 {address['server-eth0']} 7").strip() == "across"


@pytest.mark.parametrize("options", [(), ("-R",)])
def test_iperf3_over_tcp(net: Net, address: dict[str, str], options: tuple[str, ...]) -> None:
    report = json.loads(net["h1"].cmd("iperf3 -6 -J -t 2 -c", address["server-eth0"], *options))
    assert "error" not in report, report["error"]
    # 1428 of 1514 bytes of a frame are payload. Half of it within two seconds with slow start is far from a stall.
    payload_rate = RATE_MBPS * 1e6 * 1428 / 1514
    assert 0.5 * payload_rate < report["end"]["sum_received"]["bits_per_second"] <= 1.02 * payload_rate


def test_iperf3_over_udp(net: Net, address: dict[str, str]) -> None:
    report = json.loads(net["h1"].cmd("iperf3 -6 -J -t 2 -u -b 20M -c", address["server-eth0"]))
    assert "error" not in report, report["error"]
    assert report["end"]["sum"]["lost_packets"] == 0
    assert report["end"]["sum"]["bits_per_second"] == pytest.approx(20e6, rel=0.05)


def test_real_tcp_learns_the_mtu_of_the_path(net: Net) -> None:
    there = net["h2"].IP6()
    assert there is not None
    # Open vSwitch 3.1 gives super-packets the segment size of its port's MTU (docs/limitations.md).
    net["h1"].cmd("ethtool -K h1-eth0 tso off gso off")
    end = finish_iperf3(start_iperf3(net["h2"], net["h1"], "-c", there, "-n", "20M"))
    # What is under way when the client has sent all is not counted: at most its socket's buffer, 4 MiB.
    assert end["sum_received"]["bytes"] >= (20 - 4) << 20
    assert nodes(net)["r2"]["dropped"]["too_big"] >= 1
    assert f"mtu {SMALL_MTU}" in net["h1"].cmd("ip -6 route get", there)


def test_captures_hold_nothing_malformed(
    net: Net, captures: dict[str, Path], address: dict[str, str]
) -> None:
    rtts_ms(net, "h1", address["server-eth0"], 3)
    net.stop()  # which closes the files
    for path in captures.values():
        wrong = "_ws.malformed || icmpv6.checksum.status == 0"
        assert tshark(path, wrong, frames=20_000) == []
        assert tshark(path, "icmpv6.type == 135 || icmpv6.type == 136", frames=20_000)
        assert len(tshark(path, "icmpv6.type == 128", frames=20_000)) >= 3


class WithoutIPv4(Topo):
    """Two hosts at a switch, with addresses of IPv6 only."""

    def build(self) -> None:
        self.addSwitch("s1", failMode="standalone")
        for name in ("h1", "h2"):
            self.addLink(self.addHost(name, ip=None), "s1")


def test_pings_go_by_ipv6_where_hosts_have_no_other_address(capsys: pytest.CaptureFixture[str]) -> None:
    with Net(WithoutIPv4(), ip6_base="fd00::/48", controller=None, port_type=PORT_TYPE) as net:
        assert net["h1"].IP() is None
        assert net.pingAll(timeout=10) == 0.0
        assert "Results: 0% dropped (2/2 received)" in capsys.readouterr().err
        net["h2"].cmd("ip -6 addr flush dev h2-eth0 scope global")
        assert net.pingAll() == 100.0
