# SPDX-License-Identifier: MIT
"""Real datagrams that are longer than a frame, to simulated hosts, across a link that takes even less.

h1 (namespace) -- veth -- portal -- r1 ---- MTU 600 ---- r2 ---- far (simulated)
                                    `------------------ near (simulated)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from tests.system.live import snapshots
from tests.system.port_type import PORT_TYPE
from tests.system.routed_test import tshark

APPLICATIONS = [{"kind": "udp_echo", "port": 7}]
NARROW = 600


class Fragments(Topo):
    def build(self) -> None:
        self.addHost("h1")
        self.addSimRouter("r1")
        self.addSimRouter("r2")
        self.addSimHost("near", applications=APPLICATIONS)
        self.addSimHost("far", applications=APPLICATIONS, processing_delay="2ms")
        self.addLink("h1", "r1")
        self.addLink("r1", "near", bw=100)
        self.addLink("r1", "r2", bw=100, mtu=NARROW)
        self.addLink("r2", "far", bw=100)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("capture") / "far-eth0.pcap"


@pytest.fixture(scope="module")
def net(capture: Path) -> Iterator[Net]:
    with Net(Fragments(), port_type=PORT_TYPE, captures={"far-eth0": str(capture)}) as net:
        yield net


def address(net: Net, host: str) -> str:
    assert net.plan is not None
    [machine] = net.plan.machines.values()
    [node] = [node for node in machine["instances"][0]["nodes"] if node["name"] == host]
    return str(node["interfaces"][0]["address"].partition("/")[0])


def dropped(net: Net, reason: str) -> int:
    [snapshot] = snapshots(net).values()
    return sum(row["dropped"].get(reason, 0) for row in snapshot["nodes"])


@pytest.mark.parametrize("host", ["near", "far"])
@pytest.mark.parametrize("size", [4000, 1473, 65507])
def test_a_long_ping_is_answered_whole(net: Net, host: str, size: int) -> None:
    # -M dont clears DF; ping compares every byte that comes back.
    said = net["h1"].cmd(f"ping -M dont -s {size} -p 5a -c 3 -i 0.3 -W 5", address(net, host))
    assert " 0% packet loss" in said, said
    assert f"{size + 8} bytes from" in said, said
    assert "wrong data" not in said, said


def test_a_long_datagram_comes_back_from_beyond_the_narrow_link(net: Net) -> None:
    code = (
        "import os, socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5); "
        "s.setsockopt(socket.IPPROTO_IP, 10, 0); "  # IP_MTU_DISCOVER: IP_PMTUDISC_DONT
        f"data = os.urandom(9000); s.sendto(data, ('{address(net, 'far')}', 7)); "
        "print(s.recv(65536) == data)"
    )
    assert net["h1"].cmd(["python3", "-c", code]).strip() == "True"


def test_every_fragment_takes_its_time_in_the_host(net: Net) -> None:
    # Before h1 is told the MTU, and cuts for that itself. 4,008 bytes of ICMP: 3 pieces of at most 1,480, which r1
    # cuts into 3, 3 and 2 of at most 576: 8 times 2 ms.
    said = net["h1"].cmd("ping -M dont -s 4000 -c 3 -i 0.3 -W 5", address(net, "far"))
    rtts = [float(each) for each in re.findall(r"time=([\d.]+) ms", said)]
    assert len(rtts) == 3, said
    assert 16 <= min(rtts) < 26


def test_what_may_not_be_fragmented_is_told_the_mtu(net: Net) -> None:
    before = dropped(net, "too_big")
    said = net["h1"].cmd("ping -M do -s 1400 -c 1 -W 5", address(net, "far"))
    assert re.search(rf"[Ff]rag needed.*mtu = {NARROW}", said), said
    assert dropped(net, "too_big") == before + 1


def test_the_capture_reassembles_without_a_complaint(net: Net, capture: Path) -> None:
    net.stop()  # which closes the file
    wrong = "_ws.malformed || ip.checksum.status == 0 || icmp.checksum.status == 0 || ip.fragment.error"
    assert tshark(capture, wrong) == []
    assert len(tshark(capture, "ip.reassembled.length == 4008")) >= 6
