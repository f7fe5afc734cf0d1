# SPDX-License-Identifier: MIT
"""The applications of a simulated host that talk to real programs: iperf3 and traceroute.

h1 (namespace) -- veth -- portal -- r1 ---- 0.5 ms, 100 Mbit/s ---- v1 (simulated)
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net, Topo
from tests.system.live import snapshots, wait_until
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.slow

DELAY_MS = 0.5
RATE_MBPS = 100
SECONDS = 2
FIRST_S = 10  # from the start of the instance until the first test: the server is there by then
EACH_S = 5  # from one test to the next
UDP = {"udp": True, "rate": "20 Mbit/s"}
TESTS: list[dict[str, Any]] = [
    {},
    {"reverse": True},
    {"streams": 3, "tcp": {"preset": "linux", "congestion": "reno"}},
    UDP,
    {**UDP, "reverse": True, "streams": 2},
]


class Clients(Topo):
    def build(self) -> None:
        self.addHost("h1")
        self.addSimRouter("r1")
        tests = [
            {
                "kind": "iperf3_client",
                "destination": "h1",
                "port": 5201,
                "time": f"{SECONDS}s",
                "start": f"{FIRST_S + EACH_S * index}s",
                **test,
            }
            for index, test in enumerate(TESTS)
        ]
        traceroute = {"kind": "traceroute", "destination": "h1", "start": "2s"}
        self.addSimHost("v1", applications=[*tests, traceroute])
        self.addLink("h1", "r1")
        self.addLink("r1", "v1", bw=RATE_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=100)


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Clients(), port_type=PORT_TYPE) as net:
        server = net["h1"].popen(["iperf3", "-s"], stdout=subprocess.DEVNULL)
        [snapshot] = snapshots(net).values()
        assert snapshot["time_ns"] < FIRST_S * 1e9, "the network took too long to start"
        yield net
        server.terminate()
        server.wait()


def rows(net: Net, kind: str) -> list[dict[str, Any]]:
    [snapshot] = snapshots(net).values()
    return [dict(row) for row in snapshot["applications"] if row["name"].split(":")[1] == kind]


def test_traceroute_names_the_router_and_the_host(net: Net) -> None:
    wait_until(lambda: rows(net, "traceroute")[0]["finished"] == 1, patience_s=20)
    whole, *hops = rows(net, "traceroute")
    assert (whole["reached"], whole["hops"]) == (1, 2)
    assert [hop["answered"] for hop in hops] == [3, 3]
    assert hops[1]["address"] == str(net["h1"].IP())
    assert all(hop["least_rtt_ns"] >= 2 * DELAY_MS * 1e6 for hop in hops)


@pytest.mark.parametrize("index", range(len(TESTS)))
def test_iperf3_to_a_real_server(net: Net, index: int) -> None:
    def row() -> dict[str, Any]:
        return rows(net, "iperf3_client")[index]

    wait_until(
        lambda: row()["finished"] + row()["failed"] == 1, patience_s=FIRST_S + EACH_S * len(TESTS) + 20
    )
    assert row()["finished"] == 1
    bits = 8 * row()["received_bytes"] / (row()["lasted_ns"] / 1e9)
    test = TESTS[index]
    if "udp" in test:
        assert bits == pytest.approx(20e6 * test.get("streams", 1), rel=0.05)
        assert row()["datagrams"] > 0
        assert row()["lost_datagrams"] == 0
    else:
        payload_rate = RATE_MBPS * 1e6 * 1448 / 1514
        assert 0.5 * payload_rate < bits <= 1.02 * payload_rate
        assert row()["sent_bytes"] >= row()["received_bytes"]
