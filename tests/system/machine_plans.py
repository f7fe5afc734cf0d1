# SPDX-License-Identifier: MIT
"""Machine plans for the tests of agents: a binary tree of switches with hosts below, and two hosts on one pair.

Written by hand here, so that what the planner makes and what the agent takes are tested apart.
"""

from __future__ import annotations

from typing import Any

from tests.system.port_type import PORT_TYPE


def mac(machine: int, host: int) -> str:
    return f"02:00:00:{machine:02x}:{host >> 8:02x}:{host & 255:02x}"


def tree(
    machine: str,
    depth: int,
    *,
    index: int = 1,
    port_type: str = PORT_TYPE,
    controllers: list[str] | None = None,
    fail_mode: str = "standalone",
    portal: bool = False,
) -> dict[str, Any]:
    """A binary tree of 2**depth - 1 switches, two hosts under each lowest one: h1 has 10.<index>.0.1/8."""
    switches: list[dict[str, Any]] = []
    hosts: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    count = 2**depth - 1
    for number in range(1, count + 1):
        switches.append(
            {
                "name": f"s{number}",
                "dpid": f"{index << 32 | number:016x}",
                "protocols": ["OpenFlow13"],
                "fail_mode": fail_mode,
                "controllers": controllers or [],
                "ports": [],
            }
        )

    def port(switch: int) -> str:
        ports = switches[switch - 1]["ports"]
        ports.append({"name": f"s{switch}-eth{len(ports) + 1}", "number": len(ports) + 1})
        return ports[-1]["name"]

    for number in range(2, count + 1):
        parent = number // 2
        a = {"node": f"s{parent}", "interface": port(parent)}
        pairs.append({"kind": "patch", "a": a, "b": {"node": f"s{number}", "interface": port(number)}})
    for host in range(1, 2**depth + 1):
        switch = 2 ** (depth - 1) + (host - 1) // 2
        name = f"h{host}"
        address = f"10.{index}.{host >> 8}.{host & 255}/8"
        interface = {"name": f"{name}-eth0", "mac": mac(index, host), "addresses": [address], "mtu": 1500}
        hosts.append({"name": name, "interfaces": [interface], "routes": [], "private_dirs": []})
        end = {"node": f"s{switch}", "interface": port(switch)}
        pairs.append({"kind": "veth", "a": {"node": name, "interface": f"{name}-eth0"}, "b": end})
    portals = []
    if portal:
        name = port(1)
        portals.append({"name": f"p-{name}", "node": "s1", "interface": name, "device": f"{name}p"})
    return {
        "format": 1,
        "machine": machine,
        "port_type": port_type,
        "hosts": hosts,
        "switches": switches,
        "pairs": pairs,
        "portals": portals,
        "instances": [],
    }


def pair(machine: str) -> dict[str, Any]:
    """Two hosts on one veth pair, h1 10.0.0.1/24 and h2 10.0.0.2/24, each with a route over the other."""
    hosts = []
    for number in (1, 2):
        interface = {
            "name": f"h{number}-eth0",
            "mac": mac(0, number),
            "addresses": [f"10.0.0.{number}/24"],
            "mtu": 1500,
        }
        route = {"prefix": f"192.168.{3 - number}.0/24", "via": f"10.0.0.{3 - number}"}
        hosts.append({"name": f"h{number}", "interfaces": [interface], "routes": [route], "private_dirs": []})
    ends = [{"node": f"h{number}", "interface": f"h{number}-eth0"} for number in (1, 2)]
    return {
        "format": 1,
        "machine": machine,
        "port_type": PORT_TYPE,
        "hosts": hosts,
        "switches": [],
        "pairs": [{"kind": "veth", "a": ends[0], "b": ends[1]}],
        "portals": [],
        "instances": [],
    }
