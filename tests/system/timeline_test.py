# SPDX-License-Identifier: MIT
"""A timeline over two machines: h1 ─ r1 ─ 5 ms ─ r2 ─ h2, a detour r1 ─ 10 ms ─ r3 ─ 10 ms ─ r2, and a veth pair."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import PlanError, TopologyError

TIMELINE = """
- at: 0.5
  link: [r1, r2]
  delay: 15ms
- at: 1s
  link: [r1, r2]
  status: down
  reroute: true
- {at: 1s, link: [h3, h4], status: down}
- {at: 1500ms, link: [h3, h4], status: up}
- at: 1.5
  link: [r1, r2]
  status: up
  reroute: true
- at: 2.0
  link: [r1, r2]
  delay: 5ms
"""


class Detour(Topo):
    def build(self, **_: object) -> None:
        for name, machine in (("h1", "m1"), ("h2", "m2"), ("h3", "m1"), ("h4", "m1")):
            self.addHost(name, machine=machine)
        for name, machine in (("r1", "m1"), ("r2", "m2"), ("r3", "m2")):
            self.addSimRouter(name, machine=machine)
        self.addLink("h1", "r1")
        self.addLink("h2", "r2")
        self.addLink("r1", "r2", delay="5ms")
        self.addLink("r1", "r3", delay="10ms")
        self.addLink("r3", "r2", delay="10ms")
        self.addLink("h3", "h4")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Detour()) as net:
        yield net


def pings(text: str) -> list[tuple[float, float]]:
    """When each reply came, as time.time() counts, and its round trip in milliseconds."""
    return [
        (float(at), float(rtt))
        for at, rtt in re.findall(r"^\[([\d.]+)\].* time=([\d.]+) ms", text, re.MULTILINE)
    ]


def test_links_change_fail_and_are_routed_around_at_their_instants(net: Net, tmp_path: Path) -> None:
    file = tmp_path / "timeline.yaml"
    file.write_text(TIMELINE)
    net["h1"].cmd("ping -c1", net["h2"].IP())  # ARP
    timeline = net.timeline(file)
    net["h1"].sendCmd("ping -D -i 0.01 -w 3", net["h2"].IP())
    events = timeline.wait()
    text = net["h1"].waitOutput()
    # Of the link over two machines each change is made by both; the veth pair is set at both ends.
    assert [round(event.at_s, 3) for event in events] == sorted([0.5, 2.0] * 2 + [1.0, 1.5] * (2 + 2 + 2))
    assert not any(event.error for event in events)
    assert min(event.late_s for event in events) >= 0
    # 10 ms, 30 ms, the detour of 40 ms, and back: half a second each. A busy computer holds some replies up, and a new
    # way begins with ARP, so what counts is the middle of each half second, and of it the median.
    replies = pings(text)
    begun = timeline.begins_at
    medians = [
        median(rtt for at, rtt in replies if begun + middle - 0.15 < at < begun + middle + 0.15)
        for middle in (0.25, 0.75, 1.25, 1.75, 2.25)
    ]
    assert [round(rtt / 10) for rtt in medians] == [1, 3, 4, 3, 1]
    interface = net["h3"].cmd("ip -br link show h3-eth0")
    assert "UP" in interface


def test_what_holds_after_a_timeline_is_what_set_link_goes_on_from(net: Net) -> None:
    net.timeline([(0, {"link": ("r3", "r2"), "delay": "20ms", "bw": 10})], lead=0.2).wait()
    net.set_link("r3", "r2", bw=20)
    assert net.plan is not None
    link = next(link for link in net.plan.links if {link.a.node, link.b.node} == {"r2", "r3"})
    assert (link.a_to_b.delay_ns, link.a_to_b.rate_bps) == (20_000_000, 20_000_000)


def test_links_between_simulated_nodes_are_set_down_and_up(net: Net) -> None:
    net.configLinkStatus("r1", "r2", "down")
    assert "100% packet loss" in net["h1"].cmd("ping -c2 -i0.01 -W1", net["h2"].IP())
    net.configLinkStatus("r1", "r2", "down", reroute=True)
    assert " 0% packet loss" in net["h1"].cmd("ping -c2 -i0.01 -W2", net["h2"].IP())
    net.configLinkStatus("r1", "r2", "up", reroute=True)
    assert " 0% packet loss" in net["h1"].cmd("ping -c2 -i0.01 -W2", net["h2"].IP())


def test_what_cannot_be_kept_is_refused_and_a_timeline_can_be_cancelled(net: Net) -> None:
    with pytest.raises(TopologyError, match="entry 0: link"):
        net.timeline([(1, {"link": ("r1", "h2"), "delay": "5ms"})])
    with pytest.raises(PlanError, match=r"entry 0: link .* cannot hide the transit"):
        net.timeline([(1, {"link": ("r1", "r2"), "delay": "1us"})])
    with pytest.raises(PlanError, match="it is a veth"):
        net.timeline([(1, {"link": ("h3", "h4"), "delay": "1ms"})])
    timeline = net.timeline(
        [(0, {"link": ("r1", "r2"), "delay": "6ms"}), (60, {"link": ("r1", "r2"), "delay": "7ms"})],
        lead=10,
    )
    timeline.cancel()
    net.set_link("r1", "r2", delay="5ms")
    assert timeline.events == []
