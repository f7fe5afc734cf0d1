# SPDX-License-Identifier: MIT
"""Matrices of pings and flows: every pair once, the figures of each, and what is refused."""

from __future__ import annotations

import csv
import functools
import io
import json
from typing import Any

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.run.net import Net
from hybridnet.run.net.iperf import Flow
from hybridnet.run.net.iperf_matrix import checked_pairs, measure_flows
from hybridnet.run.net.ping_matrix import PingMatrix, measure_pings
from hybridnet.run.node import Host
from hybridnet.run.node.link import Intf
from hybridnet.topologies import TOPOS
from tests.hybridnet.run.net.support import FakeCluster

ANSWERS = {("h1", "10.0.0.2"): [1.0, 3.0], ("h2", "10.0.0.1"): [2.0]}


def three_hosts(cluster: FakeCluster) -> list[Host]:
    hosts = []
    for number, machine in (1, "m1"), (2, "m1"), (3, "m2"):
        host = Host(f"h{number}")
        plan = {"mac": f"02:00:00:00:00:0{number}", "addresses": [f"10.0.0.{number}/8"]}
        host.bind(functools.partial(cluster.call, machine), machine, [Intf(f"h{number}-eth0", host, 0, plan)])
        hosts.append(host)
    return hosts


def pinged(count: int = 2) -> tuple[FakeCluster, PingMatrix]:
    cluster = FakeCluster("m1", "m2")
    cluster.answers["echo_pairs"] = lambda machine, pairs, **_: [
        ANSWERS.get(tuple(pair), []) for pair in pairs
    ]
    return cluster, measure_pings(cluster, three_hosts(cluster), count, 0.0, 1.0)  # type: ignore[arg-type]


def test_every_ordered_pair_is_asked_once_by_the_machine_of_its_source() -> None:
    cluster, matrix = pinged()
    asked = [(machine, *pair) for machine, _, arguments in cluster.calls for pair in arguments["pairs"]]
    assert sorted(asked) == [
        ("m1", "h1", "10.0.0.2"), ("m1", "h1", "10.0.0.3"), ("m1", "h2", "10.0.0.1"), ("m1", "h2", "10.0.0.3"),
        ("m2", "h3", "10.0.0.1"), ("m2", "h3", "10.0.0.2"),
    ]  # fmt: skip
    assert matrix.hosts == ["h1", "h2", "h3"]


def test_of_a_slow_network_requests_are_waited_for_longer_and_round_trips_are_as_described() -> None:
    cluster = FakeCluster("m1", "m2")
    cluster.answers["echo_pairs"] = lambda machine, pairs, **_: [[8.0, 12.0] for _ in pairs]
    matrix = measure_pings(cluster, three_hosts(cluster), 2, 0.5, 1.0, 4)  # type: ignore[arg-type]
    assert {(call["interval_s"], call["wait_s"]) for _, _, call in cluster.calls} == {(2.0, 4.0)}
    assert matrix.rtts_ms["h1", "h2"] == [2.0, 3.0]


def test_the_matrix_counts_what_was_lost_and_averages_what_was_not() -> None:
    _, matrix = pinged()
    assert (matrix.sent, matrix.received, matrix.lost_percent) == (12, 3, 75.0)
    assert matrix.rtt_ms("h1", "h2") == 2.0
    assert (matrix.lost("h1", "h2"), matrix.lost("h2", "h1"), matrix.lost("h1", "h3")) == (0, 1, 2)
    assert matrix.rtt_ms("h1", "h3") is None
    with pytest.raises(UsageError, match="there is no pair 'h1', 'h1'"):
        matrix.rtt_ms("h1", "h1")


def test_the_matrix_is_json_and_a_table() -> None:
    _, matrix = pinged()
    data = json.loads(matrix.dumps())
    assert len(data["pairs"]) == 6
    assert data["pairs"][0] == {
        "source": "h1", "target": "h2", "sent": 2, "received": 2, "rtt_min_ms": 1.0, "rtt_avg_ms": 2.0,
        "rtt_max_ms": 3.0,
    }  # fmt: skip
    lines = str(matrix).splitlines()
    assert lines[0].split() == ["ms", "h1", "h2", "h3"]
    assert lines[1].split() == ["h1", "2.000", "X"]
    assert lines[-1].startswith("75% dropped (3/12 received)")


def test_each_pair_of_a_matrix_is_a_line_of_csv() -> None:
    _, pings = pinged()
    rows = list(csv.DictReader(io.StringIO(pings.csv(), newline="")))
    assert [(row["source"], row["target"]) for row in rows] == list(pings.rtts_ms)
    assert [rows[0][name] for name in ("sent", "received", "rtt_min_ms", "rtt_avg_ms")] == [
        "2",
        "2",
        "1.0",
        "2.0",
    ]
    assert rows[1]["rtt_avg_ms"] == ""  # h1 -> h3: nothing was answered
    _, hosts = flowing()
    flows = measure_flows(checked_pairs(hosts, None), Flow(seconds=1), 1)
    found = list(csv.DictReader(io.StringIO(flows.csv(), newline="")))
    assert (found[0]["client"], found[0]["server"], found[0]["received_bps"]) == ("h1", "h2", "9000000.0")
    assert "unable to connect" in found[-1]["error"]
    assert found[-1]["received_bps"] == ""


def test_many_pairs_are_asked_in_slices_and_each_within_what_one_call_takes() -> None:
    cluster = FakeCluster("m1")
    cluster.answers["echo_pairs"] = lambda machine, pairs, **_: [[] for _ in pairs]
    hosts = []
    for number in range(1, 65):
        host = Host(f"h{number}")
        plan = {"mac": "02:00:00:00:00:01", "addresses": [f"10.0.0.{number}/8"]}
        host.bind(functools.partial(cluster.call, "m1"), "m1", [Intf(f"h{number}-eth0", host, 0, plan)])
        hosts.append(host)
    matrix = measure_pings(cluster, hosts, 100, 0.0, 1.0)  # type: ignore[arg-type]
    sizes = [len(arguments["pairs"]) for _, _, arguments in cluster.calls]
    assert sum(sizes) == len(matrix.rtts_ms) == 64 * 63
    assert max(sizes) == 65_536 // 100


def test_pings_side_by_side_refuse_a_host_that_only_ipv6_reaches() -> None:
    cluster = FakeCluster("m1", "m2")
    hosts = three_hosts(cluster)
    host = Host("h4")
    plan = {"mac": "02:00:00:00:00:04", "addresses": ["fd00::4/64"]}
    host.bind(functools.partial(cluster.call, "m2"), "m2", [Intf("h4-eth0", host, 0, plan)])
    with pytest.raises(UsageError, match=r"host h4 has the address fd00::4 only.*without parallel=True"):
        measure_pings(cluster, [*hosts, host], 1, 0.0, 1.0)  # type: ignore[arg-type]


TCP = {
    "end": {"sum_received": {"bits_per_second": 9e6, "seconds": 1.0}, "sum_sent": {"bits_per_second": 1e7}}
}


def flowing() -> tuple[FakeCluster, list[Host]]:
    """Each server listens; clients get a report, but that on h3 an error."""
    cluster = FakeCluster("m1", "m2")

    def start(machine: str, node: str, command: list[str], **_: Any) -> dict[str, int]:
        number = len(cluster.programs) + 1000
        report = {"error": "unable to connect to server"} if node == "h3" else TCP
        cluster.programs[number] = [
            b"Server listening on 5001\n" if "-s" in command else json.dumps(report).encode()
        ]
        return {"number": number, "pid": number}

    cluster.answers["start_process"] = start
    return cluster, three_hosts(cluster)


def test_flows_run_between_all_ordered_pairs_and_a_failure_is_a_row() -> None:
    cluster, hosts = flowing()
    matrix = measure_flows(checked_pairs(hosts, None), Flow(seconds=1), 1)
    assert [(row.client, row.server) for row in matrix.rows] == [
        ("h1", "h2"), ("h1", "h3"), ("h2", "h1"), ("h2", "h3"), ("h3", "h1"), ("h3", "h2"),
    ]  # fmt: skip
    assert matrix.row("h1", "h2").received_bps == 9e6
    assert [row.client for row in matrix.failed] == ["h3", "h3"]
    assert "unable to connect" in str(matrix).splitlines()[-1]
    assert json.loads(matrix.dumps())["rows"][0]["sent_bps"] == 1e7
    assert not cluster.programs


def test_wrong_pairs_ports_and_numbers_are_refused() -> None:
    _, hosts = flowing()
    with pytest.raises(UsageError, match="the pair h1, h1 is one host"):
        checked_pairs(hosts, [(hosts[0], hosts[0])])
    with pytest.raises(UsageError, match="parallel 0 is not a whole number"):
        measure_flows([], Flow(), 0)
    with pytest.raises(UsageError, match="need ports up to 65542"):
        measure_flows([], Flow(port=65535), 8)


def test_before_the_start_there_is_nothing_to_measure() -> None:
    net = Net(TOPOS["single"](k=2))
    for measure in (net.ping_matrix, net.iperf_matrix):
        with pytest.raises(MachineError, match=r"call net\.start\(\) first"):
            measure()
