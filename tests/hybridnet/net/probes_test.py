# SPDX-License-Identifier: MIT
"""iperf: what is started, what is read from its report, and what happens when it fails."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from hybridnet.errors import ExperimentError, MachineError, UsageError
from hybridnet.net.probes import format_bandwidth, iperf
from hybridnet.node import Host
from hybridnet.node.link import Intf
from tests.hybridnet.net.support import FakeCluster

TCP = {"end": {"sum_received": {"bits_per_second": 9e6}, "sum_sent": {"bits_per_second": 1e7}}}
UDP = {"end": {"sum": {"bits_per_second": 1e7, "lost_percent": 20.0}}}


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
    assert iperf(server, client, seconds=2) == (9e6, 1e7)
    assert commands(cluster)[1] == ["iperf3", "-c", "10.0.0.1", "-p", "5001", "-t", "2", "-J", "-C", "cubic"]
    assert not cluster.programs, "both programs are closed"


@pytest.mark.parametrize("rate", ["10M", "10 Mbit/s"])
def test_udp_offers_the_rate_and_reports_what_was_left_of_it(rate: str) -> None:
    cluster, server, client = pair(json.dumps(UDP).encode())
    assert iperf(server, client, protocol="UDP", rate=rate) == (pytest.approx(8e6), 1e7)
    assert commands(cluster)[1][-3:] == ["-u", "-b", "10000000"]


def test_failures_quote_iperf() -> None:
    cluster, server, client = pair(json.dumps({"error": "unable to connect"}).encode())
    with pytest.raises(ExperimentError, match="the client on h2 failed: unable to connect"):
        iperf(server, client)
    assert not cluster.programs
    _, server, client = pair(b"Segmentation fault")
    with pytest.raises(MachineError, match="the client on h2 gave no report: Segmentation fault"):
        iperf(server, client)
    _, server, client = pair(b"", b"iperf3: error - unable to start listener: Address already in use\n")
    with pytest.raises(ExperimentError, match=r"the server on h1 did not start: .*Address already in use"):
        iperf(server, client)


def test_unknown_protocol_is_refused() -> None:
    _, server, client = pair(b"")
    with pytest.raises(UsageError, match="protocol 'SCTP'"):
        iperf(server, client, protocol="SCTP")


@pytest.mark.parametrize(
    ("rate", "text"), [(9.412e9, "9.41 Gbits/sec"), (94.1e6, "94.1 Mbits/sec"), (512.0, "512 bits/sec")]
)
def test_bandwidth_is_written_as_iperf_does(rate: float, text: str) -> None:
    assert format_bandwidth(rate) == text
