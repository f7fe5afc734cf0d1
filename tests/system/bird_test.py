# SPDX-License-Identifier: MIT
"""Routers with BIRD: their ways are the simulator's own, they speak with FRR's, and nothing stays when they end."""

from __future__ import annotations

import ipaddress
import json
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import MachineSpec, Net, PlanOptions, Topo, Topohub, make_plan
from hybridnet.describe.kinds import host_kinds
from hybridnet.errors import EnvironmentLackError, MachineError

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not Path("/usr/sbin/bird").exists(), reason="BIRD is not installed: apt-get install bird2"
    ),
]

PATIENCE_S = 60.0
COST = 10  # of each link: docs/kinds.md
ZOO = [
    "Abilene", "Aarnet", "Agis", "Arnes", "Bellsouth", "Bics", "BtNorthAmerica", "Cesnet200706", "Chinanet",
    "Garr201001",
]  # fmt: skip
"""Of the Topology Zoo: 11 to 50 places."""
Route = tuple[str, frozenset[str]]


def edges(name: str) -> list[tuple[int, int]]:
    """The links of a network of the Zoo between its places, which have numbers; one where several are parallel."""
    drawn = Topohub(name, nodes="simrouter", hosts=0)
    numbers = {place: number for number, place in enumerate(drawn.nodes(), 1)}
    return sorted({tuple(sorted((numbers[a], numbers[b]))) for a, b in drawn.links()})  # type: ignore[misc]


class Routers(Topo):
    """r1, r2 and on, joined by links of one delay, with the same addresses whatever they are made of."""

    def build(self, name: str, simulated: bool) -> None:
        links = edges(name)
        for number in range(1, max(max(pair) for pair in links) + 1):
            if simulated:
                self.addSimRouter(f"r{number}")
            else:
                self.addRouter(f"r{number}", kind="bird", ospf=True)
        for number, (one, other) in enumerate(links):
            near, far = (str(ipaddress.IPv4Address("10.0.0.0") + 4 * number + at) for at in (1, 2))
            self.addLink(
                f"r{one}",
                f"r{other}",
                params1={"ip": f"{near}/30"},
                params2={"ip": f"{far}/30"},
                **({"delay": "1ms"} if simulated else {}),
            )


def simulators_ways(name: str) -> dict[str, dict[str, str]]:
    """Of each router, by subnet, the next router's address: what the plan gives simulated routers."""
    plan = make_plan(
        Routers(name=name, simulated=True), [MachineSpec("m1", "198.18.0.1")], PlanOptions(token="0" * 16)
    )
    return {
        node["name"]: {route["prefix"]: route["via"] for route in node.get("routes", []) if route.get("via")}
        for instance in plan.instances.values()
        for node in instance["nodes"]
    }


def routes_of_bird(said: str) -> dict[str, tuple[int, set[str]]]:
    """By subnet the cost and the next routers, as ``show route`` of BIRD has them."""
    found: dict[str, tuple[int, set[str]]] = {}
    for block in re.split(r"^(?=\d)", said, flags=re.MULTILINE):
        if head := re.match(r"(\S+)\s.*\(150/(\d+)\)", block):
            found[head[1]] = int(head[2]), set(re.findall(r"via (\S+) on", block))
    return found


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


@pytest.mark.parametrize("name", [ZOO[0], *(pytest.param(each, marks=pytest.mark.slow) for each in ZOO[1:])])
def test_ospf_has_the_simulators_own_shortest_ways(name: str) -> None:
    try:
        links, expected = edges(f"topozoo/{name}"), simulators_ways(f"topozoo/{name}")
    except EnvironmentLackError as error:
        pytest.skip(str(error))
    assert len(expected) <= 60
    with Net(Routers(name=f"topozoo/{name}", simulated=False), controller=None) as net:
        net.waitConverged(PATIENCE_S)
        found = {
            router: routes_of_bird(net[router].birdc("show route protocol ospf1")) for router in expected
        }
        kernels = {
            router: json.loads(net[router].cmd("ip -json route show proto bird")) for router in expected
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


class Mixed(Topo):
    """OSPF between r1 (BIRD), r2 (FRR) and r3 (BIRD); BGP between r3 and r4 (FRR), and r3 and r5 (BIRD)."""

    def build(self) -> None:
        self.addRouter("r1", kind="bird", ospf=True)
        self.addRouter("r2", ospf=True)
        self.addRouter("r3", kind="bird", ospf=True, bgp=65003)
        self.addRouter("r4", bgp=65004)
        self.addRouter(
            "r5", kind="bird", bgp=65005, conf="protocol static { ipv4; route 203.0.113.0/24 blackhole; }"
        )
        for one, other in ((1, 2), (2, 3), (3, 4), (3, 5)):
            self.addLink(
                f"r{one}",
                f"r{other}",
                params1={"ip": f"10.{one}.{other}.1/24"},
                params2={"ip": f"10.{one}.{other}.2/24"},
            )


@pytest.fixture(scope="module")
def mixed() -> Iterator[Net]:
    if not Path("/usr/lib/frr/zebra").exists():
        pytest.skip("FRR is not installed: apt-get install frr")
    with Net(Mixed(), controller=None) as net:
        net.waitConverged(PATIENCE_S)
        yield net


def test_bird_and_frr_speak_ospf_and_bgp_with_each_other(mixed: Net) -> None:
    assert routes_of_bird(mixed["r1"].birdc("show route protocol ospf1"))["10.2.3.0/24"] == (20, {"10.1.2.2"})
    assert "10.1.2.0/24" in json.loads(mixed["r2"].vtysh("show ip route ospf json"))
    assert {"10.2.3.0/24", "10.3.5.0/24"} <= json.loads(mixed["r4"].vtysh("show ip route bgp json")).keys()
    assert "10.3.4.0/24" in mixed["r5"].birdc("show route protocol bgp1")
    assert " 0 received" not in mixed["r1"].cmd("ping -c 3 -i 0.2 10.2.3.2")


def test_a_router_begins_anew_and_says_what_it_refuses(mixed: Net) -> None:
    router = mixed["r3"]
    router.end()
    assert router.cmd("ip route show proto bird").strip() == ""
    with pytest.raises(MachineError, match=r"r3: .*Unable to connect"):
        router.birdc("show route")
    router.restart()
    mixed.waitConverged(PATIENCE_S)
    assert "10.3.5.0/24" in mixed["r4"].vtysh("show ip route bgp")
    for command, said in (("show nonsense", "No such command"), ("show route for nonsense", "syntax error")):
        with pytest.raises(MachineError, match=f"(?s)router r3: .*{said}"):
            router.birdc(command)


def test_a_whole_configuration_is_the_users_and_its_mistake_is_quoted() -> None:
    topo = Topo()
    whole = (
        "router id 192.0.2.1; protocol device {} protocol static { ipv4; route 203.0.113.0/24 blackhole; }"
    )
    topo.addRouter("r1", kind="bird", conf=whole)
    topo.addRouter("r2", kind="bird", conf="protocol nonsense {}")
    topo.addLink("r1", "r2", params1={"ip": "10.0.0.1/24"}, params2={"ip": "10.0.0.2/24"})
    with pytest.raises(MachineError, match=r"router r2: .*bird\.conf:1:\d+ syntax error"):  # noqa: SIM117
        with Net(topo, controller=None):
            pass
    assert "bird" in host_kinds()
