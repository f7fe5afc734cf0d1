# SPDX-License-Identifier: MIT
"""Routers with FRR's daemons: OSPF finds the shortest ways, BGP those of systems, and nothing stays when they end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

from hybridnet import Net, Topo
from hybridnet.errors import MachineError, UsageError

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not Path("/usr/lib/frr/zebra").exists(), reason="FRR is not installed"),
]

# A ring of five with a chord: some have two shortest ways.
EDGES = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (2, 4)]
PATIENCE_S = 120.0


class Mesh(Topo):
    """OSPF on EDGES; r5 and r6 are two autonomous systems."""

    def build(self) -> None:
        for number in range(1, 6):
            own = f"interface lo\n ip address 10.255.0.{number}/32\n ip ospf area 0\nexit"
            self.addRouter(f"r{number}", ospf=True, conf=own, **({"bgp": 65005} if number == 5 else {}))
        self.addRouter("r6", bgp=65006, conf="ip route 203.0.113.0/24 blackhole")
        for one, other in [*EDGES, (5, 6)]:
            self.addLink(
                f"r{one}",
                f"r{other}",
                params1={"ip": f"10.{one}.{other}.1/24"},
                params2={"ip": f"10.{one}.{other}.2/24"},
            )
        for number in (1, 3):
            self.addHost(f"h{number}", ip=f"10.100.{number}.2/24", defaultRoute=f"via 10.100.{number}.1")
            self.addLink(f"h{number}", f"r{number}", params2={"ip": f"10.100.{number}.1/24"})


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Mesh(), controller=None) as made:
        made.waitConverged(PATIENCE_S)
        yield made


def test_routes_of_ospf_are_the_shortest_ways(net: Net) -> None:
    graph = networkx.Graph(EDGES)
    for number in graph:
        found = json.loads(net[f"r{number}"].vtysh("show ip route ospf json"))
        for other in set(graph) - {number}:
            paths = list(networkx.all_shortest_paths(graph, number, other))
            [route] = [row for row in found[f"10.255.0.{other}/32"] if row.get("selected")]
            assert route["metric"] == 10 * (len(paths[0]) - 1)  # each link costs 10, a loopback nothing
            assert {next_router(net, number, hop["ip"]) for hop in route["nexthops"]} == {
                path[1] for path in paths
            }
    assert reached(net)


def next_router(net: Net, number: int, address: str) -> int:
    [router] = [
        name for name in net if name.startswith("r") and any(i.IP() == address for i in net[name].intfList())
    ]
    assert router != f"r{number}"
    return int(router[1:])


def test_systems_tell_each_other_their_subnets(net: Net) -> None:
    assert "10.5.6.2" in net["r5"].vtysh("show bgp summary")
    there = json.loads(net["r6"].vtysh("show ip route bgp json"))
    assert {"10.4.5.0/24", "10.5.1.0/24"} <= there.keys()
    assert "10.2.3.0/24" not in there  # of OSPF, which nobody redistributes


def test_a_link_that_fails_is_gone_around_and_a_router_begins_anew(net: Net) -> None:
    net.configLinkStatus("r2", "r3", "down")
    for router, prefix in (("r1", "10.100.3.0/24"), ("r3", "10.100.1.0/24")):
        waited(net, router, prefix, metric=40)  # three links and the host's, 10 each
    assert reached(net)
    net.configLinkStatus("r2", "r3", "up")
    net["r4"].restart()
    net.waitConverged(PATIENCE_S)
    assert reached(net)


def waited(net: Net, router: str, prefix: str, metric: int) -> None:
    """Until a router has a way of this metric."""
    ended = time.monotonic() + PATIENCE_S
    while time.monotonic() < ended:
        rows = json.loads(net[router].vtysh(f"show ip route {prefix} json")).get(prefix, [])
        if any(row.get("selected") and row["metric"] == metric for row in rows):
            return
    raise AssertionError(f"{router} has no way of {metric} to {prefix}")


def reached(net: Net) -> bool:
    """Whether a ping of at most 30 is answered."""
    return " 0 received" not in net["h1"].cmd("ping -c 30 -w 30 -i 0.2", net["h3"].IP())


def test_what_the_shell_refuses_is_an_error(net: Net) -> None:
    with pytest.raises(MachineError, match=r"router r1: .*Unknown command"):
        net["r1"].vtysh("show nonsense")


def test_a_router_without_addresses_is_named_and_leaves_nothing() -> None:
    topo = Topo()
    topo.addRouter("r1", ospf=True)
    topo.addRouter("r2", ospf=True)
    topo.addLink("r1", "r2", intfName1="a", intfName2="b", params1={"ip": "10.0.0.1/24"})
    topo.addLink("r1", "r2", intfName1="c", intfName2="d")
    with pytest.raises(MachineError, match="has no address; give the link one"), Net(topo, controller=None):
        pass


WAITING_S = 12
OWN = """\
interface {intf}
 ip ospf hello-interval 1
 ip ospf dead-interval {waiting}
exit
interface lo
 ip address 10.255.1.{number}/32
exit
router ospf
 network 10.0.0.0/8 area 0
exit
"""


def test_routers_whose_ospf_is_all_their_own_have_converged_once_they_have_chosen_a_designated_one() -> None:
    """They wait as long as a neighbour is not gone yet, and meanwhile no table changes."""
    topo = Topo()
    for number in (1, 2):
        own = OWN.format(intf=f"r{number}-eth0", number=number, waiting=WAITING_S)
        topo.addRouter(f"r{number}", daemons=["ospfd"], conf=own)
    topo.addLink("r1", "r2", params1={"ip": "10.9.0.1/24"}, params2={"ip": "10.9.0.2/24"})
    with Net(topo, controller=None) as net:
        net.waitConverged(PATIENCE_S)
        assert "10.255.1.2" in net["r1"].cmd("ip route")
        assert "10.255.1.1" in net["r2"].cmd("ip route")


def test_a_network_without_daemons_cannot_converge() -> None:
    topo = Topo()
    topo.addHost("h1")
    with Net(topo, controller=None) as net, pytest.raises(UsageError, match="no node has routing daemons"):
        net.waitConverged()
