# SPDX-License-Identifier: MIT
"""A hub shows every host what the others send; a switch that has learnt does not."""

from __future__ import annotations

import pytest

from hybridnet import Net, Topo

pytestmark = pytest.mark.system
PINGS = 50


@pytest.mark.parametrize("kind", ["hub", "linux"])
def test_a_third_host_hears_what_two_say_to_each_other(kind: str) -> None:
    topo = Topo()
    topo.addSwitch("b1", kind=kind)
    for number in (1, 2, 3):
        topo.addLink(topo.addHost(f"h{number}"), "b1")
    with Net(topo, controller=None, autoStaticArp=True) as net:
        assert net.pingAll(timeout=2) == 0
        # Non-promiscuous: what is not for h3 reaches its interface all the same, and is counted there.
        before = net["h3"].cmd("cat /sys/class/net/h3-eth0/statistics/rx_packets")
        assert f"{PINGS} received" in net["h1"].cmd(f"ping -c {PINGS} -i 0.01 -W 2", net["h2"].IP())
        after = net["h3"].cmd("cat /sys/class/net/h3-eth0/statistics/rx_packets")
    heard = int(after) - int(before)
    # Hosts send a few frames to all of the segment, such as router solicitations.
    assert 2 * PINGS <= heard < 3 * PINGS if kind == "hub" else heard < PINGS
