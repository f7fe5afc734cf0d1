# SPDX-License-Identifier: MIT
"""Flows that the live page begins: they run until their time is over or somebody ends them, and say what they sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import UsageError
from hybridnet.run.live import Client
from tests.system.live import wait_until

pytestmark = pytest.mark.thorough

RATE_BPS = 2e6


class Pair(Topo):
    """Two hosts on a veth pair, and a switch."""

    def build(self) -> None:  # type: ignore[override]
        self.addLink(self.addHost("h1"), self.addHost("h2"))
        self.addLink(self.addHost("h3"), self.addSwitch("s1"))


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Pair(), controller=None) as started:
        yield started


@pytest.fixture(scope="module")
def client(net: Net) -> Iterator[Client]:
    with net.live() as page:
        yield Client(page.url)


PROGRAMS = "pgrep --ns $$ --nslist net -f"  # of the host: other runs have such programs, too


def ended(client: Client, number: int) -> dict[str, Any]:
    wait_until(lambda: client.flow(number)["state"] != "running")
    return client.flow(number)


@pytest.mark.alone  # it measures a rate
def test_a_flow_of_udp_sends_at_its_rate_and_says_what_came(client: Client) -> None:
    number = client.start_flow("h1", "h2", protocol="UDP", rate="2 Mbit/s", seconds=2)
    assert client.flow(number)["state"] == "running"
    done = ended(client, number)
    assert (done["state"], done["error"]) == ("done", "")
    assert [end for end, _ in done["rates"]] == pytest.approx([1, 2], abs=0.2)
    assert [rate for _, rate in done["rates"]] == pytest.approx([RATE_BPS] * 2, rel=0.2)
    assert done["received_bps"] == pytest.approx(RATE_BPS, rel=0.2)


def test_a_flow_of_tcp_sends_what_goes(client: Client) -> None:
    done = ended(client, client.start_flow("h2", "h1", protocol="TCP", seconds=1))
    assert done["state"] == "done"
    assert done["received_bps"] > 10 * RATE_BPS


def test_a_flow_ends_when_somebody_stops_it_and_stays_known(client: Client) -> None:
    number = client.start_flow("h1", "h2", protocol="UDP", seconds=600)
    assert client.stop_flow(number)["state"] == "stopped"
    assert client.stop_flow(number)["state"] == "stopped", "a second time does nothing"
    assert client.flow(number)["error"] == ""
    assert client.flow(number)["received_bps"] is None


def test_a_flow_whose_server_is_killed_fails_and_says_why(client: Client, net: Net) -> None:
    number = client.start_flow("h1", "h2", protocol="UDP", seconds=600)
    port = 6301 + number % 1000
    net["h2"].cmd(f"kill -9 $({PROGRAMS} 'iperf3 -s .*-p {port}')")
    failed = ended(client, number)
    assert failed["state"] == "failed"
    assert "iperf3" in failed["error"]


def test_a_server_that_cannot_listen_is_an_error_that_quotes_it(client: Client, net: Net) -> None:
    following = client.start_flow("h1", "h2", protocol="UDP", seconds=600) + 1
    client.stop_flow(following - 1)
    holder = net["h2"].popen(["iperf3", "-s", "-p", str(6301 + following % 1000), "--forceflush"])
    assert "listening" in "".join(holder.stdout.readline() for _ in range(2))
    try:
        with pytest.raises(Exception, match=r"the server on h2 did not start: .*(in use|unable)"):
            client.start_flow("h1", "h2", protocol="UDP", seconds=1)
    finally:
        holder.close()


@pytest.mark.parametrize(
    ("ends", "options", "why"),
    [
        (("h1", "h1"), {}, "flow from h1 to h1: h1 would send to itself; choose another host"),
        (("h1", "s1"), {}, "flow at s1: it is a switch; choose a host"),
        (("h1", "h9"), {}, "node h9: there is no such node"),
        (("h1", "h2"), {"rate": "much"}, "flow from h1 to h2: rate"),
    ],
)
def test_a_flow_that_makes_no_sense_is_refused(
    client: Client, ends: tuple[str, str], options: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        client.start_flow(*ends, protocol="UDP", seconds=1, **options)


def test_an_unknown_flow_is_an_error(client: Client) -> None:
    with pytest.raises(UsageError, match="flow 4711: there is no such flow"):
        client.flow(4711)


def test_flows_end_with_their_page(net: Net) -> None:
    with net.live() as page:
        own = Client(page.url)
        own.start_flow("h1", "h2", protocol="UDP", seconds=600)
        assert net["h1"].cmd(f"{PROGRAMS} '^iperf3 -c'").strip()
    assert net["h1"].cmd(f"{PROGRAMS} '^iperf3 -c'") == ""
