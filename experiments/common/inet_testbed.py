# SPDX-License-Identifier: MIT
"""The networks of the experiments, as machine plans: two hosts, and between them what is measured.

::

    local   h1 ── portal ── simulated host 10.1.0.254                 or h1 ── fw (kernel)
    across  h1 ── portal ── r1 ── 1 Gbit/s, 10 ms ── r2 ── portal ── h2   or h1 ── fw (kernel, forwards) ── h2
    bridge  h1 ── portal ── link without limit or delay ── portal ── h2
    peered  h1 ── portal ── cut link, machine to machine ── portal ── h2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "ACROSS_ADDRESS",
    "DELAY_NS",
    "LOCAL_ADDRESS",
    "Arm",
    "across_plan",
    "bridge_plan",
    "local_plan",
    "peered_plans",
]

LOCAL_ADDRESS = "10.1.0.254"
ACROSS_ADDRESS = "10.2.0.1"
RATE_BPS = 1_000_000_000
DELAY_NS = 10_000_000
PEER_PORT = 47_000


@dataclass(frozen=True)
class Arm:
    """One way of letting packets in and out.

    Args:
        name: in tables and plots.
        backend: of the portals; None: the kernel instead of a simulator.
        options: of the portals, as in an instance plan.
        filter: of the portals: what they capture, in pcap-filter(7); default everything.
        realtime: what differs from an instance plan's defaults.
    """

    name: str
    backend: str | None
    options: Mapping[str, Any] = field(default_factory=dict)
    realtime: Mapping[str, Any] = field(default_factory=dict)
    filter: str = ""


def local_plan(machine: str, arm: Arm) -> dict[str, Any]:
    """One host, and an address that the simulator, or the kernel, answers for."""
    if arm.backend is None:
        return _machine(machine, [_host("h1", 1), _forwarder([1])], pairs=[_veth("h1", "fw", 1)])
    nodes = [{"name": "v1", "kind": "host", "interfaces": [_simulated("v1-eth0", 1)], "routes": []}]
    links = [_link("h1-v1", {"portal": "p1"}, {"interface": "v1-eth0"})]
    return _machine(machine, [_host("h1", 1)], instance=_instance(machine, arm, [1], nodes, links))


def across_plan(machine: str, arm: Arm) -> dict[str, Any]:
    """Two hosts with two routers between them, or one machine that forwards."""
    hosts = [_host("h1", 1), _host("h2", 2)]
    if arm.backend is None:
        return _machine(
            machine, [*hosts, _forwarder([1, 2])], pairs=[_veth("h1", "fw", 1), _veth("h2", "fw", 2)]
        )
    nodes = []
    for here, there in ((1, 2), (2, 1)):
        middle = f"r{here}-eth0"
        nodes.append(
            {
                "name": f"r{here}",
                "kind": "router",
                "interfaces": [
                    _simulated(f"r{here}-eth{here}", here),
                    {"name": middle, "mac": f"02:bb:00:00:00:0{here}", "address": f"100.64.0.{here}/30"},
                ],
                "routes": [{"prefix": f"10.{there}.0.0/16", "via": f"100.64.0.{there}", "interface": middle}],
            }
        )
    links = [
        _link("h1-r1", {"portal": "p1"}, {"interface": "r1-eth1"}),
        _link("r1-r2", {"interface": "r1-eth0"}, {"interface": "r2-eth0"}, RATE_BPS, DELAY_NS),
        _link("r2-h2", {"interface": "r2-eth2"}, {"portal": "p2"}),
    ]
    return _machine(machine, hosts, instance=_instance(machine, arm, [1, 2], nodes, links))


def bridge_plan(
    machine: str, arm: Arm, *, rate_bps: int | None = None, delay_ns: int = 0, queue_packets: int = 1000
) -> dict[str, Any]:
    """Two hosts of one subnet with a link from portal to portal."""
    hosts = [_host("h1", 1), _host("h2", 1, number=2)]
    links = [_link("h1-h2", {"portal": "p1"}, {"portal": "p2"}, rate_bps, delay_ns, queue_packets)]
    return _machine(machine, hosts, instance=_instance(machine, arm, [1, 2], [], links))


def peered_plans(
    addresses: Mapping[str, str], arm: Arm, *, rate_bps: int | None, delay_ns: int, queue_packets: int
) -> dict[str, dict[str, Any]]:
    """Two machines, by name with the addresses at which they reach each other: h1 on the first, h2 on the second."""
    plans = {}
    for number, (machine, other) in enumerate(zip(addresses, reversed(list(addresses)), strict=True), 1):
        channel: dict[str, Any] = {"peer": other, "channel": 0}
        link = _link("h1-h2", {"portal": f"p{number}"}, channel, rate_bps, delay_ns, queue_packets)
        instance = _instance(machine, arm, [number], [], [link])
        ends = {"local": f"{addresses[machine]}:{PEER_PORT}", "remote": f"{addresses[other]}:{PEER_PORT}"}
        instance["peers"] = [{"name": other, **ends}]
        plans[machine] = _machine(machine, [_host(f"h{number}", 1, number=number)], instance=instance)
    return plans


def _machine(
    machine: str,
    hosts: list[dict[str, Any]],
    *,
    pairs: list[dict[str, Any]] | None = None,
    instance: dict[str, Any] | None = None,
) -> dict[str, Any]:
    portals = [
        {
            "name": portal["name"],
            "node": f"h{portal['name'][1:]}",
            "interface": f"h{portal['name'][1:]}-eth0",
            "device": portal["device"],
        }
        for portal in (instance["emulation_portals"] if instance else [])
    ]
    return {
        "format": 1,
        "machine": machine,
        "port_type": "afpacket",  # there are no switches
        "hosts": hosts,
        "switches": [],
        "pairs": pairs or [],
        "portals": portals,
        "instances": [] if instance is None else [instance],
    }


def _host(name: str, subnet: int, number: int = 1) -> dict[str, Any]:
    return {
        "name": name,
        "interfaces": [
            {
                "name": f"{name}-eth0",
                "mac": f"02:aa:00:00:0{subnet}:0{number}",
                "addresses": [f"10.{subnet}.0.{number}/16"],
                "mtu": 1500,
            }
        ],
        "routes": [{"prefix": "default", "via": f"10.{subnet}.0.254"}],
        "private_dirs": [],
    }


def _forwarder(subnets: list[int]) -> dict[str, Any]:
    interfaces = [
        {
            "name": f"fw-eth{subnet}",
            "mac": f"02:aa:00:00:0{subnet}:fe",
            "addresses": [f"10.{subnet}.0.254/16"],
            "mtu": 1500,
        }
        for subnet in subnets
    ]
    return {"name": "fw", "interfaces": interfaces, "routes": [], "private_dirs": []}


def _veth(host: str, forwarder: str, subnet: int) -> dict[str, Any]:
    return {
        "kind": "veth",
        "a": {"node": host, "interface": f"{host}-eth0"},
        "b": {"node": forwarder, "interface": f"{forwarder}-eth{subnet}"},
    }


def _simulated(name: str, subnet: int) -> dict[str, Any]:
    return {"name": name, "mac": f"02:bb:00:00:0{subnet}:fe", "address": f"10.{subnet}.0.254/16", "mtu": 1500}


def _link(
    name: str,
    a: dict[str, Any],
    b: dict[str, Any],
    rate_bps: int | None = None,
    delay_ns: int = 0,
    queue_packets: int = 1000,
) -> dict[str, Any]:
    direction = {
        "rate_bps": rate_bps,
        "delay_ns": delay_ns,
        "queue_packets": queue_packets,
        "queue_bytes": None,
        "overhead_bytes": 0,
        "train_limit_ns": 50_000,
    }
    return {"name": name, "a": a, "b": b, "a_to_b": direction, "b_to_a": direction}


def _instance(
    machine: str, arm: Arm, portals: list[int], nodes: list[dict[str, Any]], links: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "format": 1,
        "name": machine,
        "seed": 1,
        "token": "0" * 16,
        "nodes": nodes,
        "emulation_portals": [
            {
                "name": f"p{number}",
                "device": f"h{number}-eth0p",
                "backend": arm.backend,
                "options": dict(arm.options),
                **({"filter": arm.filter} if arm.filter else {}),
            }
            for number in portals
        ],
        "peers": [],
        "links": links,
        "captures": [],
        "realtime": dict(arm.realtime),
    }
