# SPDX-License-Identifier: MIT
"""Mininet's options of links between emulated nodes of one machine: the simulator does them, with or without netem."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from hybridnet import Controller, Mininet, TCLink, Topo

pytestmark = pytest.mark.slow

LOSS, JITTER_MS, DELAY_MS, RATE_MBPS, QUEUE = 0.1, 2, 10, 10, 20
PINGS = 400


class Shaped(Topo):
    """h1 and h2 at a switch; what h1's link does is asked for in Mininet's words."""

    def build(self) -> None:
        for host in ("h1", "h2"):
            self.addHost(host)
        self.addSwitch("s1")
        self.addLink(
            *("h1", "s1"),
            bw=RATE_MBPS,
            delay=f"{DELAY_MS}ms",
            jitter=f"{JITTER_MS}ms",
            loss=100 * LOSS,
            max_queue_size=QUEUE,
            use_htb=True,
        )
        self.addLink("h2", "s1")


@pytest.fixture(scope="module")
def net() -> Iterator[Mininet]:
    with Mininet(topo=Shaped(), link=TCLink, controller=Controller, autoStaticArp=True) as made:
        h1, h2 = made.get("h1", "h2")
        h1.cmd(f"ping -c 20 -i 0.05 {h2.IP()}")  # until the switch has learned both
        yield made


def pinged(net: Mininet, options: str) -> list[float]:
    h1, h2 = net.get("h1", "h2")
    return [float(ms) for ms in re.findall(r"time=([\d.]+) ms", h1.cmd(f"ping -n {options} {h2.IP()}"))]


def test_delay_jitter_and_loss_are_those_of_the_link(net: Mininet) -> None:
    times = pinged(net, f"-i 0.005 -W 1 -c {PINGS}")
    # A ping crosses the link twice: it is lost with probability 1 - (1 - p)^2, here 0.19; six deviations are 0.12.
    assert 0.07 < 1 - len(times) / PINGS < 0.31
    assert min(times) >= 2 * (DELAY_MS - JITTER_MS)
    assert 2 * (DELAY_MS - JITTER_MS) < sorted(times)[len(times) // 20] < 2 * DELAY_MS
    assert 2 * DELAY_MS < sorted(times)[-len(times) // 20] < 2 * (DELAY_MS + JITTER_MS) + 4


def test_rate_and_queue_are_those_of_the_link(net: Mininet) -> None:
    h1, h2 = net.get("h1", "h2")
    h2.cmd("iperf3 -s -1 -D; until ss -Hltn | grep -q :5201; do :; done")
    load = h1.popen(["iperf3", "-c", h2.IP(), "-u", "-b", "30M", "-l", "1400", "-t", "3", "-J"])
    times = pinged(net, "-i 0.02 -W 1 -c 100")
    out, _ = load.communicate(timeout=30)
    ends = json.loads(out)["end"]["sum"]
    arrived = ends["bits_per_second"] * (1 - ends["lost_percent"] / 100)
    goodput_limit = RATE_MBPS * 1e6 * 1400 / 1442  # of each frame, 42 bytes are headers
    assert 0.75 * goodput_limit < arrived < 1.02 * goodput_limit
    queueing_ms = QUEUE * 1442 * 8 / (RATE_MBPS * 1e3)
    assert 0.5 * queueing_ms < sorted(times)[len(times) // 2] - 2 * DELAY_MS < queueing_ms + 4
