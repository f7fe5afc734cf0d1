# SPDX-License-Identifier: MIT
"""Real programs in a namespace talk to the applications of a simulated host, over a simulated link.

h1 (namespace) -- veth -- portal -- r1 ---- 0.5 ms, 100 Mbit/s ---- server (simulated)
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from hybridnet import Net, Topo
from tests.system.live import only, rtts_ms, snapshots, wait_until
from tests.system.port_type import PORT_TYPE
from tests.system.routed_test import tshark

pytestmark = pytest.mark.slow

DELAY_MS = 0.5
RATE_MBPS = 100
SIZE = 20_000_000
APPLICATIONS = [
    {"kind": "http_server", "port": 80, "path": "/file", "size": SIZE},
    {"kind": "iperf3_server", "port": 5201},
    {"kind": "tcp_echo", "port": 7},
    {"kind": "udp_echo", "port": 7},
    {"kind": "tcp_discard", "port": 9},
    {"kind": "tcp_chargen", "port": 19},
]


class Interop(Topo):
    def build(self) -> None:
        self.addHost("h1")
        self.addSimRouter("r1")
        self.addSimHost("server", applications=APPLICATIONS)
        self.addLink("h1", "r1")
        # 100 packets are 12 ms: what is under way when a test ends is little beside what it counted.
        self.addLink("r1", "server", bw=RATE_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=100)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("capture") / "server-eth0.pcap"


@pytest.fixture(scope="module")
def net(capture: Path) -> Iterator[Net]:
    with Net(Interop(), port_type=PORT_TYPE, captures={"server-eth0": str(capture)}) as net:
        yield net


@pytest.fixture(scope="module")
def server(net: Net) -> str:
    """The simulated host's address: the plan's."""
    assert net.plan is not None
    [machine] = net.plan.machines.values()
    [node] = [node for node in machine["instances"][0]["nodes"] if node["name"] == "server"]
    return str(only(node["interfaces"])["address"].partition("/")[0])


FRAMES_READ = 40_000
"""By tshark, which reads about 5,000 a second: a part of each kind of conversation."""


def application(net: Net, kind: str) -> dict[str, Any]:
    """The counters of the server's application of that kind."""
    [snapshot] = snapshots(net).values()
    return dict(only([row for row in snapshot["applications"] if row["name"].split(":")[1] == kind]))


def file_digest() -> str:
    """SHA-256 of what the HTTP server serves: byte i is the exclusive or of the four octets of i."""
    offsets = numpy.arange(SIZE, dtype=numpy.uint32)
    body = (offsets ^ offsets >> 8 ^ offsets >> 16 ^ offsets >> 24).astype(numpy.uint8)
    return hashlib.sha256(body.tobytes()).hexdigest()


def iperf3(net: Net, server: str, *options: str) -> dict[str, Any]:
    report = json.loads(net["h1"].cmd("iperf3 -J -c", server, *options))
    assert "error" not in report, report["error"]
    end: dict[str, Any] = report["end"]
    return end


def test_ping_takes_the_delays_of_the_way(net: Net, server: str) -> None:
    assert rtts_ms(net, "h1", server, 5)[0] >= 2 * DELAY_MS


def test_traceroute_names_the_router_and_the_host(net: Net, server: str) -> None:
    said = net["h1"].cmd("traceroute -n -q 1 -w 5", server)
    hops = re.findall(r"^ *\d+  (\S+)", said, re.MULTILINE)
    assert len(hops) == 2, said
    assert hops[1] == server


def test_curl_fetches_every_byte(net: Net, server: str) -> None:
    said = net["h1"].cmd(f"curl -sS --max-time 60 http://{server}/file | sha256sum")
    assert said.split()[0] == file_digest()


def test_curl_fetches_twice_over_one_connection_and_is_told_what_is_not_there(net: Net, server: str) -> None:
    before = application(net, "http_server")
    form = "-w '%{http_code} %{num_connects} %{size_download}\\n' -o /dev/null"
    said = net["h1"].cmd(
        f"curl -sS --max-time 60 {form} http://{server}/file -o /dev/null http://{server}/none"
    )
    status = [line.split() for line in said.split("\n") if line]
    assert [row[0] for row in status] == ["200", "404"], said
    assert [row[1] for row in status] == ["1", "0"], said
    head = net["h1"].cmd(f"curl -sSI --max-time 10 http://{server}/file | cat")
    assert f"Content-Length: {SIZE}" in head
    after = application(net, "http_server")
    assert after["requests"] - before["requests"] == 3
    assert after["connections"] - before["connections"] == 2
    assert after["refused"] == before["refused"]


def test_nc_gets_back_what_it_sends(net: Net, server: str) -> None:
    text = "".join(f"line {number} of a text that comes back\n" for number in range(2000))
    said = net["h1"].cmd(
        f"seq -f 'line %g of a text that comes back' 0 1999 | nc -N -w 10 {server} 7 | sha256sum"
    )
    assert said.split()[0] == hashlib.sha256(text.encode()).hexdigest()


def test_nc_gets_back_a_datagram(net: Net, server: str) -> None:
    assert net["h1"].cmd(f"echo across | nc -u -W 1 -w 5 {server} 7").strip() == "across"


def test_nc_is_given_characters(net: Net, server: str) -> None:
    lines = net["h1"].cmd(f"nc -d {server} 19 2>/dev/null | head -c 148").splitlines()
    printing = "".join(map(chr, range(32, 127)))
    assert [line.rstrip("\r") for line in lines] == [printing[:72], printing[1:73]]


@pytest.mark.parametrize("options", [(), ("-R",), ("-P", "3"), ("-P", "2", "-R"), ("--bidir",)])
def test_iperf3_over_tcp(net: Net, server: str, options: tuple[str, ...]) -> None:
    before = application(net, "iperf3_server")
    end = iperf3(net, server, "-t", "2", *options)
    # 1448 of 1514 bytes of a frame are payload. Half of it within two seconds with slow start is far from a stall.
    payload_rate = RATE_MBPS * 1e6 * 1448 / 1514
    assert 0.5 * payload_rate < end["sum_received"]["bits_per_second"] <= 1.02 * payload_rate
    # The client ends when it has sent its last word; the server has it half a round trip later.
    wait_until(lambda: application(net, "iperf3_server")["tests"] == before["tests"] + 1)
    assert application(net, "iperf3_server")["failed_tests"] == before["failed_tests"]


@pytest.mark.parametrize("options", [(), ("-R",), ("-P", "2")])
def test_iperf3_over_udp(net: Net, server: str, options: tuple[str, ...]) -> None:
    end = iperf3(net, server, "-u", "-b", "20M", "-t", "2", *options)
    streams = int(options[1]) if "-P" in options else 1
    assert end["sum"]["bits_per_second"] == pytest.approx(streams * 20e6, rel=0.05)
    assert end["sum"]["lost_packets"] == 0
    assert end["sum"]["packets"] > 0


def test_a_capture_holds_nothing_malformed(net: Net, server: str, capture: Path) -> None:
    net["h1"].cmd(f"curl -sS --max-time 60 -o /dev/null http://{server}/file")
    net.stop()  # which closes the file
    wrong = "_ws.malformed || ip.checksum.status == 0 || icmp.checksum.status == 0"
    assert tshark(capture, wrong, frames=FRAMES_READ) == []
    assert len(tshark(capture, "http.request", frames=FRAMES_READ)) >= 1
