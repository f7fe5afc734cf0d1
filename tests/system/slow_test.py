# SPDX-License-Identifier: MIT
"""--slow: a network that is four times slower than what is described, and what hybridnet reports is as described."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.observe.series.table import read_series

SLOW, RATE_MBPS, DELAY_MS = 4, 100, 10
PAYLOAD = 1448 / 1490  # of iperf3's datagrams: 8 bytes of UDP, 20 of IP and 14 of Ethernet are headers


class Pair(Topo):
    """Two hosts with a link."""

    def build(self) -> None:
        self.addLink(self.addHost("h1"), self.addHost("h2"), bw=RATE_MBPS, delay=f"{DELAY_MS}ms")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("slow") / "run"


@pytest.fixture(scope="module")
def net(out: Path) -> Iterator[Net]:
    with Net(Pair(), controller=None, slow=SLOW, autoStaticArp=True, out=out, record_series="50ms") as made:
        yield made


def test_round_trips_are_as_described_and_four_times_as_long_for_programs(net: Net) -> None:
    least_ms = min(net.ping_matrix(["h1", "h2"], count=10).rtts_ms["h1", "h2"])
    assert 2 * DELAY_MS <= least_ms < 2 * DELAY_MS + 1
    said = net["h1"].cmd("ping -n -c 5 -i 0.2 -W 5", net["h2"].IP())
    assert (
        SLOW * 2 * DELAY_MS
        <= min(map(float, re.findall(r"time=([\d.]+) ms", said)))
        < SLOW * 2 * DELAY_MS + 4
    )


def test_rates_are_as_described_and_take_four_times_as_long(net: Net) -> None:
    began = time.monotonic()
    [row] = net.iperf_matrix([("h1", "h2")], l4Type="UDP", udpBw="150M", seconds=1).rows
    assert time.monotonic() - began >= SLOW
    assert row.error is None
    assert row.received_bps is not None
    assert row.sent_bps is not None
    assert 0.85 * PAYLOAD * RATE_MBPS < row.received_bps / 1e6 < RATE_MBPS
    assert row.sent_bps / 1e6 < 151


def test_a_timeline_is_as_described(net: Net) -> None:
    began = time.monotonic()
    timeline = net.timeline(
        [(0.1, {"link": ("h1", "h2"), "status": "down"}), (0.4, {"link": ("h1", "h2"), "status": "up"})]
    )
    events = timeline.wait()
    assert time.monotonic() - began >= SLOW * 0.4
    assert {event.at_s for event in events} == {0.1, 0.4}
    assert all(event.fired_s >= event.at_s for event in events)
    assert net.ping_matrix(["h1", "h2"], count=3).received > 0


def test_the_verdict_says_how_slow_it_was_and_series_are_as_described(net: Net, out: Path) -> None:
    net.stop()
    assert any(note.startswith("4 times slower than described") for note in net.verdict().notes)
    series = read_series(out / "network-1")
    [(_, times_s, simulated_ns)] = series.each("instances", "simulated_ns")
    # Two clocks of described time; each sample is read a moment after its instant.
    assert abs((times_s[-1] - times_s[0]) - (simulated_ns[-1] - simulated_ns[0]) / 1e9) < 0.5
    assert times_s[-1] - times_s[0] > 1.4  # the flow and the timeline
