# SPDX-License-Identifier: MIT
"""iperf: what is started, what is read from its report, and what happens when it fails."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from hybridnet.errors import ExperimentError, MachineError, UsageError
from hybridnet.run.net.iperf import Flow, Found, format_bandwidth, iperf, iperf_pair
from hybridnet.run.node import Host
from hybridnet.run.node.link import Intf
from tests.hybridnet.run.net.support import FakeCluster

TCP = {
    "end": {"sum_received": {"bits_per_second": 9e6, "seconds": 2.0}, "sum_sent": {"bits_per_second": 1e7}}
}
UDP = b"""Connecting to host 10.0.0.1, port 5001
[  5] local 10.0.0.2 port 40000 connected to 10.0.0.1 port 5001
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec  1221 KBytes  10000 Kbits/sec  863
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-5.00   sec  6104 KBytes  10000 Kbits/sec  0.000 ms  0/4000 (0%)  sender
[  5]   0.00-5.04   sec  4883 KBytes  8000 Kbits/sec  0.012 ms  800/4000 (20%)  receiver
"""


def pair(report: bytes, server_says: bytes = b"Server listening on 5001\n") -> tuple[FakeCluster, Host, Host]:
    cluster = FakeCluster()

    def start(machine: str, node: str, **arguments: Any) -> dict[str, int]:
        number = len(cluster.programs) + 1
        cluster.programs[number] = [server_says if node == "h1" else report]
        return {"number": number, "pid": number}

    cluster.answers["start_process"] = start
    hosts = []
    for name in ("h1", "h2"):
        host = Host(name)
        intf = Intf(
            f"{name}-eth0", host, 0, {"mac": "02:00:00:00:00:01", "addresses": [f"10.0.0.{name[1]}/8"]}
        )
        host.bind(functools.partial(cluster.call, "m1"), "m1", [intf])
        hosts.append(host)
    return cluster, hosts[0], hosts[1]


def commands(cluster: FakeCluster) -> list[list[str]]:
    return [arguments["command"] for _, verb, arguments in cluster.calls if verb == "start_process"]


def test_tcp_uses_cubic_and_reports_what_arrived_and_what_was_sent() -> None:
    cluster, server, client = pair(json.dumps(TCP).encode())
    assert iperf(server, client, Flow(seconds=2)) == Found(9e6, 1e7)
    assert commands(cluster)[1] == [
        "iperf3",
        "-c",
        "10.0.0.1",
        "-p",
        "5001",
        "-t",
        "2",
        "-J",
        "-C",
        "cubic",
        "--connect-timeout",
        "30000",
    ]
    assert not cluster.programs, "both programs are closed"


@pytest.mark.parametrize("rate", ["10M", "10 Mbit/s"])
def test_udp_offers_the_rate_and_reports_what_was_left_of_it(rate: str) -> None:
    cluster, server, client = pair(UDP)
    assert iperf(server, client, Flow("UDP", rate)) == Found(8e6, 1e7, 20.0)
    assert commands(cluster)[1][7:10] == ["-u", "-b", "10000000"]
    assert not cluster.programs


def server_says(last: str) -> bytes:
    """A server that got data from 0.50 to 3.50 s, and was told only after 5 s that the flow is over."""
    return f"""Server listening on 5001
[  5]   0.00-0.50   sec  0.00 Bytes  0.00 bits/sec  0.000 ms  0/0 (0%)
[  5]   0.50-3.00   sec  2048 KBytes  6711 Kbits/sec  0.012 ms  200/1000 (20%)
[  5]   3.00-3.50   sec   512 KBytes  8389 Kbits/sec  0.012 ms  20/100 (20%)
[  5]   3.50-5.04   sec  0.00 Bytes  0.00 bits/sec  0.012 ms  0/0 (0%)
[  5]   0.00-5.04   sec  4883 KBytes  8000 Kbits/sec  {last}  receiver
""".encode()


@pytest.mark.parametrize(("seconds", "over"), [(2, 3.0), (3, 3.0), (4, 4.0), (10, 5.04)])
def test_a_server_that_waits_before_or_after_the_flow_does_not_lower_the_rate(
    seconds: float, over: float
) -> None:
    _, server, client = pair(UDP, server_says("0.012 ms  800/4000 (20%)"))
    found = iperf(server, client, Flow("UDP", seconds=seconds))
    assert found == Found(pytest.approx(8e6 * 5.04 / over), 1e7, 20.0)
    received = {"bits_per_second": 9e6, "seconds": 5.04}
    report = {"end": {"sum_received": received, "sum_sent": {"bits_per_second": 1e7}}}
    _, server, client = pair(json.dumps(report).encode(), server_says(""))
    assert iperf(server, client, Flow(seconds=seconds)) == Found(pytest.approx(9e6 * 5.04 / over), 1e7)


def test_a_udp_flow_whose_announcement_is_lost_is_begun_anew() -> None:
    cluster, server, client = pair(b"")
    said = [b"iperf3: error - unable to read from stream socket: Resource temporarily unavailable\n", UDP]
    begin = cluster.answers["start_process"]

    def start(machine: str, node: str, **arguments: Any) -> dict[str, int]:
        begun: dict[str, int] = begin(machine=machine, node=node, **arguments)
        if node == "h2":
            cluster.programs[begun["number"]] = [said.pop(0)]
        return begun

    cluster.answers["start_process"] = start
    assert iperf(server, client, Flow("UDP")).lost_percent == 20.0
    assert said == []
    assert [command[1] for command in commands(cluster)] == ["-s", "-c", "-s", "-c"]


def test_a_udp_flow_that_is_refused_is_not_begun_anew() -> None:
    cluster, server, client = pair(b"iperf3: error - unable to connect to server: No route to host\n")
    with pytest.raises(
        ExperimentError, match="the client on h2 failed: unable to connect to server: No route"
    ):
        iperf(server, client, Flow("UDP"))
    assert len(commands(cluster)) == 2


def test_failures_quote_iperf() -> None:
    cluster, server, client = pair(json.dumps({"error": "unable to connect"}).encode())
    with pytest.raises(ExperimentError, match="the client on h2 failed: unable to connect"):
        iperf(server, client, Flow())
    assert not cluster.programs
    _, server, client = pair(b"Segmentation fault")
    with pytest.raises(MachineError, match="the client on h2 gave no report: Segmentation fault"):
        iperf(server, client, Flow())
    _, server, client = pair(b"", b"iperf3: error - unable to start listener: Address already in use\n")
    with pytest.raises(ExperimentError, match=r"the server on h1 did not start: .*Address already in use"):
        iperf(server, client, Flow())


def test_unknown_protocol_is_refused() -> None:
    _, server, client = pair(b"")
    with pytest.raises(UsageError, match="protocol 'SCTP'"):
        iperf(server, client, Flow("SCTP"))


@pytest.mark.parametrize(
    ("rate", "text"), [(9.412e9, "9.41 Gbits/sec"), (94.1e6, "94.1 Mbits/sec"), (512.0, "512 bits/sec")]
)
def test_bandwidth_is_written_as_iperf_does(rate: float, text: str) -> None:
    assert format_bandwidth(rate) == text


def test_rates_come_in_the_unit_that_is_asked_for() -> None:
    _, server, client = pair(json.dumps(TCP).encode())
    assert iperf_pair([client, server], Flow(), "k") == ["9000 Kbits/sec", "10000 Kbits/sec"]
    with pytest.raises(UsageError, match="fmt 'x' does not exist; write one of k, m, g, K, M, G"):
        iperf_pair([client, server], Flow(), "x")
