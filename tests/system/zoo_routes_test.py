# SPDX-License-Identifier: MIT
"""Networks of the Topology Zoo whose routers are daemons: OSPF of BIRD and of FRR finds the simulator's own ways."""

from __future__ import annotations

import ipaddress
import json
from collections import deque
from pathlib import Path

import pytest

from hybridnet import MachineSpec, Net, PlanOptions, Topo, Topohub, make_plan
from hybridnet.errors import EnvironmentLackError
from tests.system.daemon_routes import routes_of_bird, routes_of_frr

pytestmark = pytest.mark.thorough

PATIENCE_S = 120.0
COST = 10  # of each link: docs/kinds.md
ZOO = [
    "Abilene", "Aarnet", "Agis", "Arnes", "Bellsouth", "Bics", "BtNorthAmerica", "Cesnet200706", "Chinanet",
    "Garr201001",
]  # fmt: skip
"""Of the Topology Zoo: 11 to 50 places."""
KINDS = [
    pytest.param(
        kind, marks=pytest.mark.skipif(not Path(program).exists(), reason=f"{program} is not installed")
    )
    for kind, program in {"bird": "/usr/sbin/bird", "frr": "/usr/lib/frr/ospfd"}.items()
]


def edges(name: str) -> list[tuple[int, int]]:
    """The links of a network of the Zoo between its places, which have numbers; one where several are parallel."""
    drawn = Topohub(name, nodes="simrouter", hosts=0)
    numbers = {place: number for number, place in enumerate(drawn.nodes(), 1)}
    return sorted({tuple(sorted((numbers[a], numbers[b]))) for a, b in drawn.links()})  # type: ignore[misc]


class Routers(Topo):
    """r1, r2 and on, joined by links of one delay, with the same addresses whatever they are made of."""

    def build(self, name: str, kind: str) -> None:
        """`kind`: of the daemons; empty: simulated routers."""
        links = edges(name)
        for number in range(1, max(max(pair) for pair in links) + 1):
            if kind:
                self.addRouter(f"r{number}", kind=kind, ospf=True)
            else:
                self.addSimRouter(f"r{number}")
        for number, (one, other) in enumerate(links):
            near, far = (str(ipaddress.IPv4Address("10.0.0.0") + 4 * number + at) for at in (1, 2))
            self.addLink(
                f"r{one}",
                f"r{other}",
                params1={"ip": f"{near}/30"},
                params2={"ip": f"{far}/30"},
                **({} if kind else {"delay": "1ms"}),
            )


def simulators_ways(name: str) -> dict[str, dict[str, str]]:
    """Of each router, by subnet, the next router's address: what the plan gives simulated routers."""
    plan = make_plan(
        Routers(name=name, kind=""), [MachineSpec("m1", "198.18.0.1")], PlanOptions(token="0" * 16)
    )
    return {
        node["name"]: {route["prefix"]: route["via"] for route in node.get("routes", []) if route.get("via")}
        for instance in plan.instances.values()
        for node in instance["nodes"]
    }


def distances(links: list[tuple[int, int]], start: int) -> dict[int, int]:
    """How many links each router is away."""
    far, waiting = {start: 0}, deque([start])
    while waiting:
        at = waiting.popleft()
        for pair in links:
            for near, other in (pair, pair[::-1]):
                if near == at and other not in far:
                    far[other] = far[at] + 1
                    waiting.append(other)
    return far


def compared_routes(name: str, kind: str) -> int:
    """Have routers of a kind find their ways through a network of the Zoo, and compare them; returns how many."""
    links, expected = edges(name), simulators_ways(name)
    with Net(Routers(name=name, kind=kind), controller=None) as net:
        net.waitConverged(PATIENCE_S)
        routes_of = routes_of_bird if kind == "bird" else routes_of_frr
        found = {router: routes_of(net, router) for router in expected}
        protocol = "bird" if kind == "bird" else "ospf"
        kernels = {
            router: json.loads(net[router].cmd(f"ip -json route show proto {protocol}"))
            for router in expected
        }
    compared = 0
    for router, ways in expected.items():
        far = distances(links, int(router[1:]))
        assert len(far) == len(expected)
        for number, pair in enumerate(links):
            subnet = f"{ipaddress.IPv4Address('10.0.0.0') + 4 * number}/30"
            cost, next_routers = found[router][subnet]
            assert cost == COST * (1 + min(far[end] for end in pair)), (router, subnet)
            if int(router[1:]) in pair:
                assert not next_routers  # its own link
                continue
            assert ways[subnet] in next_routers, (router, subnet)
            [row] = [row for row in kernels[router] if row["dst"] == subnet]
            hops = [hop["gateway"] for hop in row.get("nexthops", [row])]
            assert set(hops) == next_routers, (router, subnet)
            compared += 1
    assert compared == len(expected) * len(links) - 2 * len(links)
    return compared


@pytest.mark.parametrize("name", [ZOO[0], *(pytest.param(each, marks=pytest.mark.slow) for each in ZOO[1:])])
@pytest.mark.parametrize("kind", KINDS)
def test_ospf_has_the_simulators_own_shortest_ways(kind: str, name: str) -> None:
    try:
        assert len(simulators_ways(f"topozoo/{name}")) <= 60
    except EnvironmentLackError as error:
        pytest.skip(str(error))
    assert compared_routes(f"topozoo/{name}", kind) > 0
