# SPDX-License-Identifier: MIT
"""Matrices over real networks: round trips of links with a delay, and UDP over links that lose packets."""

from __future__ import annotations

import pytest

from hybridnet import Net, Topo
from hybridnet.topologies import SingleSwitchTopo, TwoTrees


def test_pings_of_all_pairs_at_once_find_delays_and_an_interface_that_is_down() -> None:
    with Net(TwoTrees(depth=1, delay="10ms")) as net:
        assert net.pingAll(timeout=5, parallel=True) == 0  # Ryu may wait for a processor
        matrix = net.ping_matrix(count=5, interval=0.02)
        assert (matrix.sent, matrix.received) == (60, 60)
        for source, target in (("h1", "h2"), ("h3", "h4")):
            assert min(matrix.rtts_ms[source, target]) < 20  # any may have waited for a processor
        for source, target in (("h1", "h3"), ("h4", "h2")):
            assert min(matrix.rtts_ms[source, target]) >= 20, "10 ms there, 10 ms back"
        net.configLinkStatus("h4", "s2", "down")
        # Of 12 pairs, 3 begin at h4 and 3 end there.
        assert net.pingAll(timeout=0.3, parallel=True) == pytest.approx(50)


def test_all_pairs_of_32_hosts_are_pinged() -> None:
    with Net(SingleSwitchTopo(k=32)) as net:
        matrix = net.ping_matrix()
        assert len(matrix.rtts_ms) == 32 * 31
        assert matrix.lost_percent == 0
        print(f"{matrix} in {matrix.seconds:.1f} s")


@pytest.mark.thorough
def test_iperf_over_links_that_lose_a_tenth() -> None:
    topo = Topo()
    for name in ("h1", "h2", "h3"):
        topo.addHost(name)
    topo.addSimSwitch("w1")
    for name in ("h1", "h2", "h3"):
        topo.addLink(name, "w1", bw=20, delay="1ms", params1={"loss": 10} if name != "h3" else {})
    with Net(topo) as net:
        for _ in range(2):
            offered, received, sent = net.iperf(("h1", "h2"), l4Type="UDP", udpBw="5M", seconds=1)
            assert offered == "5M"
            assert received.endswith("Mbits/sec")
            assert sent.endswith("Mbits/sec")
        matrix = net.iperf_matrix(
            [("h1", "h3"), ("h3", "h2"), ("h2", "h1")], l4Type="UDP", udpBw="5M", seconds=2, parallel=3
        )
        print(matrix)
        assert matrix.failed == []
        # 2 s of 5 Mbit/s in datagrams of 1448 B are 863; a tenth of them has a deviation of 1.02 percent of all.
        for client, server in (("h1", "h3"), ("h2", "h1")):
            assert matrix.row(client, server).lost_percent == pytest.approx(10, abs=5)
        assert matrix.row("h3", "h2").lost_percent == pytest.approx(0, abs=0.5)
