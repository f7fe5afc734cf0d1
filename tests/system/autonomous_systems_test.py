# SPDX-License-Identifier: MIT
"""Real hosts in autonomous systems: their packets go where the relations allow it."""

from __future__ import annotations

import re

from hybridnet import Net
from hybridnet.topologies.autonomous_systems import AutonomousSystemsTopo, drawn, ways_to


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
