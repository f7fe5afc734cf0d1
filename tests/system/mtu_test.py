# SPDX-License-Identifier: MIT
"""The MTU of a host's interface that is changed by hand, while a simulated link leads from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hybridnet import LinuxBridge, Net, Topo
from hybridnet.run.net.iperf import Flow, iperf

JUMBO = 9000
RATE_MBPS = 100
ETHERNET = 14
GOODPUT_BPS = (
    RATE_MBPS * 1e6 * (JUMBO - 20 - 20 - 12) / (JUMBO + ETHERNET)
)  # of IPv4 and TCP with timestamps: 99.3e6


class Three(Topo):
    """h1 - h2, h3 - b1, h4 - v1, by simulated links; v1 is simulated, too."""

    def build(self) -> None:
        for host in ("h1", "h2", "h3", "h4"):
            self.addHost(host)
        self.addSwitch("b1", cls=LinuxBridge)
        self.addSimSwitch("v1")
        for a, b in (("h1", "h2"), ("h3", "b1"), ("h4", "v1")):
            self.addLink(a, b, bw=RATE_MBPS)


@pytest.fixture
def net() -> Iterator[Net]:
    with Net(Three(), controller=None) as net:
        for a, b in (("h1", "h2"), ("h2", "h1")):
            net[a].cmd(f"ip neigh replace {net[b].IP()} lladdr {net[b].MAC()} dev {a}-eth0")
        yield net


def set_mtu(net: Net, host: str, mtu: int) -> None:
    net[host].cmd(f"ip link set dev {host}-eth0 mtu {mtu}")


def ping(net: Net, host: str, to: str, size: int) -> str:
    """Of three packets of `size` bytes each, unfragmented, while they find nobody or answers."""
    return net[host].cmd(f"ping -c 3 -i 0.1 -W 1 -M do -s {size - 20 - 8} {to}")


def test_two_hosts_that_are_given_a_larger_one_use_it(net: Net) -> None:
    for host in ("h1", "h2"):
        set_mtu(net, host, JUMBO)
    assert " 0% packet loss" in ping(net, "h1", net["h2"].IP(), JUMBO)
    found = iperf(net["h2"], net["h1"], Flow(seconds=2))
    assert found.received_bps == pytest.approx(GOODPUT_BPS, rel=0.05)


@pytest.mark.parametrize(("own", "others"), [(JUMBO, 1500), (1500, 600)])
def test_what_the_other_host_does_not_take_is_lost_alone_and_the_verdict_says_why(
    net: Net, own: int, others: int
) -> None:
    set_mtu(net, "h1", own)
    set_mtu(net, "h2", others)
    to = net["h2"].IP()
    with net.measured() as measured:
        assert "100% packet loss" in ping(net, "h1", to, others + 100)
        assert " 0% packet loss" in ping(net, "h1", to, others)
    said = str(measured.verdict)
    assert f"dropped at h2-eth0p, which sends up to {own} bytes, where h2-eth0 takes {others}" in said


@pytest.mark.parametrize(
    ("host", "at", "behind"),
    [
        pytest.param("h3", "b1-eth1p", "b1-eth1", id="Linux bridge"),
        pytest.param("h4", "h4-eth0", "h4-eth0p", id="simulated switch"),
    ],
)
def test_behind_ports_that_keep_theirs_large_frames_are_lost_and_the_verdict_says_where(
    net: Net, host: str, at: str, behind: str
) -> None:
    set_mtu(net, host, JUMBO)
    net[host].cmd(f"ip neigh replace 10.0.0.99 lladdr 02:00:00:00:00:09 dev {host}-eth0")
    with net.measured() as measured:
        assert "100% packet loss" in ping(net, host, "10.0.0.99", JUMBO)
    said = f"dropped at {at}, which sends up to {JUMBO} bytes, where {behind} takes 1500"
    assert said in str(measured.verdict)
