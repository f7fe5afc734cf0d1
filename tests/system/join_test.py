# SPDX-License-Identifier: MIT
"""A laptop joins a network that runs here: it leaves, returns, is killed, has a wrong key; and nothing stays behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.observe.results import Verdict
from tests.system.laptop import SERVER, Laptop, laptop, left
from tests.system.live import snapshots, wait_until

pytestmark = [pytest.mark.system, pytest.mark.thorough]

DELAY_MS = 5.0
RATE_MBPS = 20


class Visited(Topo):
    """h1 - s1 - laptop, and a router to h2 on another subnet."""

    def build(self, **options: Any) -> None:
        self.addSimSwitch("s1")
        self.addSimRouter("r1")
        self.addLink(self.addHost("h1"), "s1")
        self.addLink("s1", "r1")
        self.addLink("r1", self.addHost("h2"))
        self.addLink(self.addGuest("laptop"), "s1", delay=f"{DELAY_MS}ms", **options)


@pytest.fixture
def guest() -> Iterator[Laptop]:
    with (
        tempfile.TemporaryDirectory(prefix="hn") as short,
        laptop(Path(short)) as made,
    ):  # a socket's path is
        yield made


def peer(net: Net) -> dict[str, Any]:
    """What the run's instance counts of its guest."""
    (snapshot,) = snapshots(net).values()
    (row,) = snapshot["peers"]
    return dict(row)


def lost_packets(verdict: Verdict) -> float:
    """How many packets from its guest the instance missed."""
    (lost,) = [row["peer_lost_packets"] for row in verdict.figures.values() if "peer_lost_packets" in row]
    return lost


def test_a_guest_joins_at_its_links_delay_leaves_without_a_trace_and_returns(guest: Laptop) -> None:
    before = guest.traces()
    with Net(Visited(), controller=None) as net:
        assert peer(net)["peer_silent"]  # the network does not wait for it
        h1, h2 = net["h1"], net["h2"]
        assert "0 received" in h1.cmd("ping -c 2 -i 0.2 -W 1 10.1.0.2")
        absent = peer(net)
        assert absent["dropped"]["no_listener"] >= 1  # requests for its MAC address
        assert absent["sent_datagrams"] == 0

        mark = net.mark()
        process = guest.join(guest.ticket(net))
        for host in (h1, h2):
            round_trips = guest.ping_ms(host.IP())
            assert 2 * DELAY_MS <= round_trips[0] < 2 * DELAY_MS + 1.5
        assert "2 received" in h1.cmd("ping -c 2 -i 0.2 10.1.0.2")
        assert peer(net)["sessions"] == 1
        figures = left(process)
        assert figures["received_packets"] >= 40
        assert figures["lost_packets"] == 0
        assert guest.traces() == before

        wait_until(lambda: peer(net)["peer_silent"])
        missed = peer(net)["dropped"]["no_listener"]
        h1.cmd("ping -c 2 -i 0.2 -W 1 10.1.0.2")
        assert peer(net)["dropped"]["no_listener"] > missed
        assert lost_packets(net.verdict(mark)) == 0

        process = guest.join(guest.ticket(net))
        assert guest.ping_ms(h1.IP())[0] >= 2 * DELAY_MS
        assert peer(net)["sessions"] == 2
        left(process, signal.SIGTERM)
    assert guest.traces() == before


def test_tcp_gets_the_rate_of_the_guests_link(guest: Laptop) -> None:
    with Net(Visited(bw=RATE_MBPS), controller=None) as net:
        process = guest.join(guest.ticket(net))
        serving = net["h1"].popen(["iperf3", "-s", "-1", "--forceflush"], stderr=subprocess.STDOUT)
        line = ""
        while "listening" not in line:
            line = serving.stdout.readline()
            assert line
        report = json.loads(guest.run("iperf3", "-c", net["h1"].IP(), "-C", "cubic", "-t", "3", "-J"))
        serving.communicate()
        received = report["end"]["sum_received"]["bits_per_second"] / 1e6
        # Of 1514 bytes on the wire 1448 are TCP's; its first moments and what the receiver has not read are the rest.
        assert 0.8 * RATE_MBPS < received <= RATE_MBPS * 1448 / 1514
        assert left(process)["sent_packets"] > 1000


@pytest.mark.slow
def test_with_another_key_nobody_joins_and_the_run_counts_it(guest: Laptop) -> None:
    before = guest.traces()
    with Net(Visited(), controller=None) as net:
        ticket = guest.ticket(net)
        content = json.loads(ticket.read_text())
        key, content["key"] = content["key"], "5" * 64
        ticket.write_text(json.dumps(content))
        process = guest.begin(ticket)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert f"guest laptop: no answer from {SERVER}, UDP port 47900 within 15 s" in err
        assert key not in out + err
        assert content["key"] not in out + err
        row = peer(net)
        assert row["dropped"]["forged"] >= 10
        assert row["received_packets"] == row["sessions"] == 0
        assert guest.traces() == before

        ticket.write_text(json.dumps({**content, "key": key}))  # and who has the right one is not kept out
        process = guest.join(ticket)
        assert key not in subprocess.run(["ps", "axww"], capture_output=True, text=True, check=True).stdout
        assert guest.ping_ms(net["h1"].IP(), 5)
        left(process)


def test_a_guest_that_is_killed_leaves_nothing_and_its_place_is_free(guest: Laptop) -> None:
    before = guest.traces()
    with Net(Visited(), controller=None) as net:
        ticket = guest.ticket(net)
        for _ in range(2):
            process = guest.join(ticket)
            guest.ping_ms(net["h1"].IP(), 5)
            joined = os.pidfd_open(process.pid)
            process.kill()
            process.communicate()
            assert select.select([joined], [], [], 20)[0]
            os.close(joined)
            wait_until(lambda: guest.traces() == before)
        assert peer(net)["sessions"] == 2
        (lost,) = [
            row["peer_lost_packets"] for row in net.verdict().figures.values() if "peer_lost_packets" in row
        ]
        assert lost == 0  # what was on its way to a guest that is gone is not held against the run


def test_a_guest_whose_run_ends_says_so_and_leaves_nothing(guest: Laptop) -> None:
    before = guest.traces()
    with Net(Visited(), controller=None) as net:
        directory = net.cluster.journal.directory
        process = guest.join(guest.ticket(net))
        assert (directory / "tickets" / "laptop.json").exists()
    assert not directory.exists()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"the run at {SERVER}, UDP port 47900 has not been heard from for 10 s" in err
    assert guest.traces() == before


def test_a_ticket_is_printed_for_a_pipe_and_a_guest_joins_a_network_of_the_computer_itself(
    guest: Laptop,
) -> None:
    with Net(Visited(), controller=None, cluster="here") as net:
        cli = [sys.executable, "-m", "hybridnet.cli"]
        ticket = subprocess.run([*cli, "ticket", "laptop"], capture_output=True, text=True, check=True).stdout
        refused = subprocess.run([*cli, "ticket", "phone"], capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert "there is no guest phone; the guests here are: laptop of run" in refused.stderr
        process = subprocess.Popen(
            guest.inside(*cli, "join", SERVER, "--device", "tap7"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=guest.environment,
        )
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(ticket)
        process.stdin.close()
        process.stdin = None
        assert "joined as laptop: tap7 has 10.1.0.2/16" in process.stderr.readline()
        assert guest.ping_ms(net["h1"].IP(), 5)[0] >= 2 * DELAY_MS
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        assert "packets sent" in out
        assert "trusted" in out or "saturated" in out or "broken" in out


def test_a_network_that_would_hide_its_own_computer_is_not_joined(guest: Laptop) -> None:
    before = guest.traces()
    guest.run("ip", "route", "add", "default", "via", SERVER)  # the way to a server far away
    topo = Topo()
    topo.addSimSwitch("s1")
    topo.addLink(topo.addHost("h1"), "s1")
    topo.addLink(topo.addGuest("laptop", ip="10.0.0.9/8"), "s1", delay="5ms")
    with Net(topo, controller=None) as net:
        process = guest.begin(guest.ticket(net), host="10.77.0.1")
        _, err = process.communicate(timeout=60)
        assert process.returncode == 3, err
        assert "10.77.0.1 (10.77.0.1) lies in the network that it would join (10.0.0.0/8)" in err
    guest.run("ip", "route", "del", "default")
    assert guest.traces() == before
