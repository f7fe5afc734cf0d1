# SPDX-License-Identifier: MIT
"""Real hosts in autonomous systems, and real speakers of BGP: packets go where the relations allow it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

from hybridnet import Net
from hybridnet.topologies.autonomous_systems import AutonomousSystemsTopo, drawn, ways_to
from tests.topologies.speakers import told

SYSTEMS = 60
MOST_S = 60.0  # from nothing until the last table is still
Paths = dict[str, list[int]]


def test_packets_take_the_ways_of_the_rules() -> None:
    systems = drawn(24, 5)
    with Net(AutonomousSystemsTopo(24, hosts=8, seed=5, delay="1ms"), controller=None) as net:
        assert net.pingAll(timeout=10) == 0
        routers = {
            interface["address"].partition("/")[0]: node["name"]
            for part in net.plan.instances.values()
            for node in part["nodes"]
            for interface in node["interfaces"]
        }
        for source, destination in (("h1", "h22"), ("h22", "h4"), ("h10", "h19")):
            said = net[source].cmd(f"traceroute -n -q 1 -w 10 {net[destination].IP()}")
            seen = [routers.get(each) for each in re.findall(r"^ *\d+ +(\S+) ", said, re.MULTILINE)]
            ways = ways_to(int(destination[1:]), systems)
            expected = [int(source[1:])]
            while expected[-1] in ways:
                expected.append(ways[expected[-1]])
            assert seen == [*(f"as{number}" for number in expected), None]  # the last one is the host


@pytest.fixture(scope="module")
def systems_of_frr() -> Iterator[Net]:
    if not Path("/usr/lib/frr/zebra").exists():
        pytest.skip("FRR is not installed: apt-get install frr")
    began = time.monotonic()
    with Net(AutonomousSystemsTopo(SYSTEMS, routers="frr"), controller=None) as net:
        built_s = time.monotonic() - began
        converged_s = net.waitConverged(MOST_S)
        print(f"{SYSTEMS} systems are built after {built_s:.1f} s, and agree {converged_s:.1f} s later")
        assert built_s + converged_s <= MOST_S
        yield net


def owners(net: Net, systems: int = SYSTEMS) -> dict[str, set[int]]:
    """Of each subnet the systems whose routers are in it: they say that they have it."""
    found: dict[str, set[int]] = {}
    for number in range(1, systems + 1):
        rows = json.loads(net[f"as{number}"].cmd("ip -json route show proto kernel"))
        for row in rows:
            found.setdefault(row["dst"], set()).add(number)
    return found


def told_to_all(
    subnets: Mapping[str, Set[int]], then_leaks: Set[tuple[int, int]] = frozenset(), systems: int = SYSTEMS
) -> dict[int, Paths]:
    """Of each system its path to each subnet that is not its own, as the rules have it. Leaks begin when all agree."""
    related = drawn(systems, 1)
    paths: dict[int, Paths] = {number: {} for number in related.numbers}
    for subnet, origins in subnets.items():
        before = told(related, origins)
        agreed = told(related, origins, then_leaks, before=before)
        # Whoever speaks first.
        assert agreed == told(related, origins, then_leaks, before=before, backward=True)
        assert before == told(related, origins, backward=True)
        for number, (rank, path) in agreed.items():
            if rank >= 0:
                paths[number][subnet] = path[1:]
    return paths


def found_by_frr(net: Net) -> dict[int, Paths]:
    """The same, as the daemons have it; what each kernel does with packets must agree."""
    at = {
        intf.IP(): number
        for number in range(1, SYSTEMS + 1)
        for intf in net[f"as{number}"].intfList()
        if intf.IP()
    }
    found: dict[int, Paths] = {}
    for number in range(1, SYSTEMS + 1):
        router = net[f"as{number}"]
        rows = json.loads(router.vtysh("show bgp ipv4 unicast json"))["routes"]
        best = {subnet: [row for row in each if row.get("bestpath")] for subnet, each in rows.items()}
        found[number] = {
            subnet: [int(each) for each in row["path"].split()]
            for subnet, [row] in best.items()
            if row["path"]
        }
        kernel = {
            row["dst"]: at[row["gateway"]] for row in json.loads(router.cmd("ip -json route show proto bgp"))
        }
        assert kernel == {subnet: path[0] for subnet, path in found[number].items()}, router.name
    return found


@pytest.mark.thorough
@pytest.mark.alone  # it measures a time
def test_sixty_speakers_of_bgp_agree_within_a_minute_on_the_ways_of_the_rules(systems_of_frr: Net) -> None:
    subnets = owners(systems_of_frr)
    assert len(subnets) == SYSTEMS + len(drawn(SYSTEMS, 1).links())  # of the hosts, and of the links
    assert found_by_frr(systems_of_frr) == told_to_all(subnets)
    assert " 0% packet loss" in systems_of_frr["h60"].cmd("ping -c 3 -i 0.2", systems_of_frr["h5"].IP())


@pytest.mark.thorough
@pytest.mark.alone
def test_a_hijack_spreads_as_computed_and_ends(systems_of_frr: Net) -> None:
    net, (victim, attacker) = systems_of_frr, (60, 9)
    subnets, stolen = owners(net), f"10.0.{victim}.0/24"
    expected = told_to_all({**subnets, stolen: {victim, attacker}})
    misled = [number for number, paths in expected.items() if paths.get(stolen, [0])[-1] == attacker]
    assert 10 <= len(misled) <= SYSTEMS - 10  # some believe the one, some the other
    begin = ["router bgp 9", "address-family ipv4 unicast"]
    net["as9"].vtysh("configure terminal", f"ip route {stolen} blackhole", *begin, f"network {stolen}")
    net.waitConverged(MOST_S)
    assert found_by_frr(net) == expected
    net["as9"].vtysh(
        "configure terminal",
        *begin,
        f"no network {stolen}",
        "exit",
        "exit",
        f"no ip route {stolen} blackhole",
    )
    net.waitConverged(MOST_S)
    assert found_by_frr(net) == told_to_all(subnets)


@pytest.mark.thorough
@pytest.mark.alone
def test_a_leak_spreads_as_computed(systems_of_frr: Net) -> None:
    net, systems, subnets = systems_of_frr, drawn(SYSTEMS, 1), owners(systems_of_frr)
    leaker = next(each for each in reversed(systems.numbers) if len(systems.providers[each]) == 2)
    believer = systems.providers[leaker][1]
    expected = told_to_all(subnets, {(leaker, believer)})
    before = told_to_all(subnets)
    changed = {number for number in expected if expected[number] != before[number]}
    # The believer prefers its customer's routes, and so do those above it: packets go through who should carry none.
    assert {believer} < changed
    [address] = [
        end.IP()
        for intf in net[f"as{leaker}"].intfList()
        for end in (intf.link.intf1, intf.link.intf2)
        if end.node.name == f"as{believer}"
    ]
    change = ["configure terminal", f"router bgp {leaker}", "address-family ipv4 unicast"]
    net[f"as{leaker}"].vtysh(*change, f"no neighbor {address} route-map to-others out")
    net.waitConverged(MOST_S)
    assert found_by_frr(net) == expected
    print(f"as{leaker} leaks to as{believer}: {len(changed)} of {SYSTEMS} systems have other ways")


@pytest.mark.thorough
@pytest.mark.skipif(
    not Path("/usr/sbin/bird").exists(), reason="BIRD is not installed: apt-get install bird2"
)
def test_speakers_of_bird_agree_on_the_same_ways() -> None:
    with Net(AutonomousSystemsTopo(24, routers="bird", delay=None), controller=None) as net:
        net.waitConverged(MOST_S)
        expected = told_to_all(owners(net, 24), systems=24)
        for number, paths in expected.items():
            said = net[f"as{number}"].birdc("show route primary all")
            blocks = re.split(r"^(?=\d)", said, flags=re.MULTILINE)
            found = {
                block.split()[0]: [int(each) for each in path[1].split()]
                for block in blocks
                if (path := re.search(r"BGP\.as_path: (.+)", block))
            }
            assert found == paths, f"as{number}"
