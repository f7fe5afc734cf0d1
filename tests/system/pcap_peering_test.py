# SPDX-License-Identifier: MIT
"""Instances joined by pcap portals: over a veth pair within a machine, through a tunnel between two."""

from __future__ import annotations

import statistics

import pytest

from hybridnet import Net, Topo
from tests.system.live import rtts_ms, snapshots, wait_until

pytestmark = pytest.mark.system


class Row(Topo):
    """h1 - r1 - 1 ms - r2 - 2 ms - r3 - h2: r1 and r2 in two instances of m1, r3 on m2."""

    def build(self) -> None:
        self.addSimRouter("r1", machine="m1", instance=1)
        self.addSimRouter("r2", machine="m1", instance=2)
        self.addSimRouter("r3", machine="m2")
        self.addLink(self.addHost("h1", machine="m1"), "r1")
        self.addLink("r1", "r2", delay="1ms")
        self.addLink("r2", "r3", delay="2ms")
        self.addLink(self.addHost("h2", machine="m2"), "r3")


def test_pcap_portals_join_instances_of_a_machine_and_of_two() -> None:
    with Net(Row(), controller=None, peering="pcap") as net:
        there = net["h2"].IP()
        wait_until(lambda: " 0% packet loss" in net["h1"].cmd(f"ping -c 1 -W 1 {there}"))
        assert statistics.median(rtts_ms(net, "h1", there, 20)) >= 2 * (1 + 2)
        # A whole frame of 1500 bytes crosses in one piece, in the tunnel too.
        assert " 0% packet loss" in net["h1"].cmd(f"ping -c 2 -i 0.2 -M do -s 1472 {there}")
        for snapshot in snapshots(net).values():
            assert snapshot["peers"] == []
            crossed = [row for row in snapshot["portals"] if row["name"].startswith("p-cross")]
            assert crossed
            assert all(row["captured_frames"] > 20 and row["written_frames"] > 20 for row in crossed)

        net.set_link("r2", "r3", delay="22ms")
        assert statistics.median(rtts_ms(net, "h1", there, 5)) >= 2 * (1 + 22)
        net.configLinkStatus("r1", "r2", "down")
        assert "0 received" in net["h1"].cmd(f"ping -c 1 -W 1 {there}")
        net.configLinkStatus("r1", "r2", "up")
        assert " 0% packet loss" in net["h1"].cmd(f"ping -c 1 -W 2 {there}")
