# SPDX-License-Identifier: MIT
"""Networks of the package topohub, emulated: their hosts reach each other, and no faster than light does."""

from __future__ import annotations

import networkx
import pytest

from hybridnet import Net, Topohub

pytest.importorskip("topohub")
pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("name", ["geant", "polska", "topozoo/Abilene"])
def test_an_emulated_network_carries_pings_from_each_host_to_each_other(name: str) -> None:
    topo = Topohub(name)
    graph = networkx.Graph()
    for one, other in topo.links():
        delay = topo.spec(one, other).options.get("delay", "0us")  # of hosts there is none
        graph.add_edge(one, other, us=int(delay.removesuffix("us")))
    with Net(topo) as net:
        assert net.pingAll(timeout=10) == 0
        hosts = [str(host) for host in net.hosts]
        # Switches send on a tree, so the way may be a longer one.
        far = max(hosts, key=lambda host: networkx.shortest_path_length(graph, "h1", host, weight="us"))
        takes_ms = networkx.shortest_path_length(graph, "h1", far, weight="us") / 1000
        said = net["h1"].cmd("ping -c 3 -i 0.2", net[far].IP())
        least_ms = float(said.partition("rtt min/avg/max/mdev = ")[2].split("/")[0])
        assert 2 * takes_ms <= least_ms
