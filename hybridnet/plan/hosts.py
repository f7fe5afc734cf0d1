# SPDX-License-Identifier: MIT
"""Hosts: the part of a machine plan that describes its emulated hosts."""

from __future__ import annotations

from typing import Any

from hybridnet.plan.instance import Network
from hybridnet.topo import NodeSpec
from hybridnet.topo.options import End

__all__ = ["host_plans"]


def host_plans(network: Network, machine: str, static_arp: bool) -> list[dict[str, Any]]:
    """The hosts on one machine. With `static_arp` each host knows the MAC addresses of all others in its
    subnet.
    """
    neighbours = _neighbours(network) if static_arp else []
    plans = []
    for spec in network.layout.on(machine, "host"):
        plan = {
            "name": spec.name,
            "interfaces": [_interface(network, end) for end in network.layout.ends_of[spec.name]],
            "routes": network.routes[spec.name],
            "private_dirs": spec.resolved.get("privateDirs", []),
        }
        if static_arp:
            plan["arp"] = _arp(network, spec, neighbours)
        plans.append(plan)
    return plans


def _interface(network: Network, end: End) -> dict[str, Any]:
    families = (network.addresses, network.addresses6)
    return {
        "name": end.interface,
        "mac": network.macs[end.interface],
        "addresses": [
            str(each.by_interface[end.interface]) for each in families if end.interface in each.by_interface
        ],
        "mtu": end.mtu,
    }


def _neighbours(network: Network) -> list[str]:
    """The interfaces of hosts and routers that have an address."""
    return [interface for interface in network.addresses.by_interface if interface in network.macs]


def _arp(network: Network, spec: NodeSpec, neighbours: list[str]) -> list[dict[str, str]]:
    own = [end.interface for end in network.layout.ends_of[spec.name]]
    entries = []
    for interface in own:
        if interface not in network.addresses.by_interface:
            continue
        subnet = network.addresses.by_interface[interface].network
        for other in neighbours:
            address = network.addresses.by_interface[other].ip
            if other not in own and address in subnet:
                entries.append({"address": str(address), "mac": network.macs[other], "interface": interface})
    return entries
