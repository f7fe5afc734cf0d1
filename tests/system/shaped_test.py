# SPDX-License-Identifier: MIT
"""Mininet's options of links between emulated nodes of one machine: the simulator does them, with or without netem."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from hybridnet import Controller, Net, Topo
from tests.system.live import finish_iperf3, start_iperf3

pytestmark = pytest.mark.slow

LOSS, JITTER_MS, DELAY_MS, RATE_MBPS, QUEUE = 0.1, 2, 10, 10, 20
PINGS = 400


class Shaped(Topo):
    """Three hosts at a switch; what the links of h1 and h3 do is asked for in Mininet's words.

    They differ in loss alone: iperf3 begins a UDP test with one datagram and never repeats it, so over h1's link one
    test in five would not begin.
    """

    def build(self) -> None:
        for host in ("h1", "h2", "h3"):
            self.addHost(host)
        self.addSwitch("s1")
        for host, loss in (("h1", 100 * LOSS), ("h3", 0)):
            self.addLink(
                *(host, "s1"),
                bw=RATE_MBPS,
                delay=f"{DELAY_MS}ms",
                jitter=f"{JITTER_MS}ms",
                loss=loss,
                max_queue_size=QUEUE,
            )
        self.addLink("h2", "s1")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(topo=Shaped(), controller=Controller, autoStaticArp=True) as made:
        for host in ("h1", "h3"):
            pinged(made, host, "-c 20 -i 0.05")  # until the switch has learned all
        yield made


def pinged(net: Net, host: str, options: str) -> list[float]:
    said = net[host].cmd(f"ping -n {options} {net['h2'].IP()}")
    return [float(ms) for ms in re.findall(r"time=([\d.]+) ms", said)]


def test_delay_jitter_and_loss_are_those_of_the_link(net: Net) -> None:
    times = pinged(net, "h1", f"-i 0.005 -W 1 -c {PINGS}")
    # A ping crosses the link twice: it is lost with probability 1 - (1 - p)^2, here 0.19; six deviations are 0.12.
    assert 0.07 < 1 - len(times) / PINGS < 0.31
    assert min(times) >= 2 * (DELAY_MS - JITTER_MS)
    assert 2 * (DELAY_MS - JITTER_MS) < sorted(times)[len(times) // 20] < 2 * DELAY_MS
    assert 2 * DELAY_MS < sorted(times)[-len(times) // 20] < 2 * (DELAY_MS + JITTER_MS) + 4


def test_rate_and_queue_are_those_of_the_link(net: Net) -> None:
    load = start_iperf3(net["h2"], net["h3"], "-u", "-b", "30M", "-l", "1400", "-t", "3")
    times = pinged(net, "h3", "-i 0.02 -W 1 -c 100")
    ends = finish_iperf3(load)["sum"]
    arrived = ends["bits_per_second"] * (1 - ends["lost_percent"] / 100)
    goodput_limit = RATE_MBPS * 1e6 * 1400 / 1442  # of each frame, 42 bytes are headers
    assert 0.75 * goodput_limit < arrived < 1.02 * goodput_limit
    queueing_ms = QUEUE * 1442 * 8 / (RATE_MBPS * 1e3)
    assert 0.5 * queueing_ms < sorted(times)[len(times) // 2] - 2 * DELAY_MS < queueing_ms + 4
