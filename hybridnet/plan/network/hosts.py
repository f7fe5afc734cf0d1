# SPDX-License-Identifier: MIT
"""Hosts: the part of a machine plan that describes its emulated hosts, and what is to be said of them."""

from __future__ import annotations

import ipaddress
from collections.abc import Container, Iterable
from typing import TypedDict

from hybridnet.describe.schema.plans import (
    DirectoryPlan,
    HostInterface,
    HostLimit,
    HostPlan,
    ImagePlan,
    NatPlan,
    NeighbourPlan,
)
from hybridnet.describe.topo import NodeSpec, Topo
from hybridnet.describe.topo.options import End
from hybridnet.errors import PlanError
from hybridnet.plan.network.instance import Network

__all__ = ["chain_notes", "host_names", "host_plans"]


class _Inside(TypedDict, total=False):
    """The part of an interface that it has only where its host calls it by another name."""

    inside: str


_OF_EVERY_LINUX = frozenset(
    (
        "bin",
        "boot",
        "etc",
        "home",
        "lib",
        "lib64",
        "media",
        "mnt",
        "opt",
        "root",
        "run",
        "sbin",
        "srv",
        "tmp",
        "usr",
        "var",
    )
)  # at the top of the tree of files
_OF_THE_LOOPBACK = {"localhost", "ip6-localhost", "ip6-loopback"}


def host_plans(network: Network, machine: str, static_arp: bool) -> list[HostPlan]:
    """The hosts on one machine. With `static_arp` each host knows the MAC addresses of all others in its
    subnet.
    """
    neighbours = _neighbours(network) if static_arp else []
    outside = any(spec.resolved.get("nat") for spec in network.layout.nodes.values())
    plans: list[HostPlan] = []
    for spec in network.layout.on(machine, "host"):
        plan: HostPlan = {
            "name": spec.name,
            "interfaces": [_interface(network, end) for end in network.layout.ends_of[spec.name]],
            "routes": network.routes[spec.name],
            "private_dirs": [_private_directory(spec, each) for each in spec.resolved.get("privateDirs", [])],
        }
        if files := spec.resolved.get("files"):
            plan["files"] = files
            plan["private_dirs"] += [
                each for each in new_directories(files) if each not in plan["private_dirs"]
            ]
        if limit := _limit(spec):
            plan["limit"] = limit
        if spec.resolved.get("devices"):
            plan["devices"] = spec.resolved["devices"]
        if spec.resolved.get("nat"):
            plan["nat"] = _nat(spec, plan["interfaces"])
        if spec.resolved.get("image") is not None:
            plan["image"] = _image(spec)
        if spec.resolved.get("inNamespace") is False:
            plan["in_namespace"] = False
            if "image" in plan:
                raise PlanError(
                    f"host {spec.name}: with inNamespace=False it has the machine's files, and no image; leave one of "
                    "them out"
                )
            if plan["private_dirs"] or "files" in plan:
                raise PlanError(
                    f"host {spec.name}: with inNamespace=False it has the machine's files, and neither privateDirs nor "
                    "files; leave one of them out"
                )
        elif outside:
            plan["reaches_outside"] = True
        if static_arp:
            plan["arp"] = _arp(network, spec, neighbours)
        plans.append(plan)
    return plans


def host_names(network: Network) -> dict[str, list[str]]:
    """The names of all hosts and routers by address: each interface has its own, and the first of a node the node's.

    Raises:
        PlanError: a node's name is that of the loopback.
    """
    names: dict[str, list[str]] = {}
    for addresses in (network.addresses, network.addresses6):
        for node, ends in network.layout.ends_of.items():
            first = True
            for end in ends:
                address = addresses.by_interface.get(end.interface)
                if address is not None:
                    if node in _OF_THE_LOOPBACK:
                        raise PlanError(
                            f"node {node}: in every host this name means the host itself; give the node another name, "
                            "or write host_names=False, and hosts do not know the names of the network"
                        )
                    own = names.setdefault(str(address.ip), [])
                    own += [node, end.interface] if first else [end.interface]
                    first = False
    return names


def new_directories(paths: Iterable[str]) -> list[str]:
    """The directories at the top of the tree that no computer has, and a host with files at these paths needs."""
    tops = {path.split("/")[1] for path in paths} - _OF_EVERY_LINUX
    return [f"/{top}" for top in sorted(tops)]


def _limit(spec: NodeSpec) -> HostLimit:
    """What it may take of the computer; empty where nothing limits it."""
    given, limit = spec.resolved, HostLimit()
    if given.get("cpu") is not None:
        limit["share"] = given["cpu"]
    if given.get("cores") is not None:
        limit["cores"] = given["cores"]
    if "share" in limit and given.get("sched") is not None:
        limit["sched"] = given["sched"]
    if "share" in limit and given.get("period_us") is not None:
        limit["period_us"] = given["period_us"]
    if given.get("memory") is not None:
        limit["memory_bytes"] = given["memory"]
    if given.get("pids") is not None:
        limit["processes"] = given["pids"]
    return limit


def _nat(spec: NodeSpec, interfaces: list[HostInterface]) -> NatPlan:
    """What it translates: the subnet that it says, or that of its first interface."""
    own = [
        address for interface in interfaces[:1] for address in interface["addresses"] if ":" not in address
    ]
    if not own:
        raise PlanError(
            f"host {spec.name}: nat= needs an IPv4 address on its first interface; link it, and give it an ip"
        )
    subnet = spec.resolved["nat"]
    if subnet is True:
        subnet = str(ipaddress.ip_interface(own[0]).network)
    return {"subnet": subnet, "interface": interfaces[0]["name"]}


def _image(spec: NodeSpec) -> ImagePlan:
    given = spec.resolved
    plan: ImagePlan = {
        "source": str(given["image"]),
        "environment": given.get("environment") or {},
        "volumes": given.get("volumes") or [],
    }
    if given.get("entrypoint") is not None:
        plan["entrypoint"] = given["entrypoint"]
    if given.get("command") is not None:
        plan["command"] = given["command"]
    if given.get("user") is not None:
        plan["user"] = given["user"]
    if given.get("dns") is not None:
        plan["nameservers"] = given["dns"]
    return plan


def _private_directory(spec: NodeSpec, directory: str | tuple[str, str]) -> str | DirectoryPlan:
    """A directory is empty; a pair shows its second, which may hold the node's name, at its first."""
    if isinstance(directory, str):
        return directory
    at, source = directory
    return {"at": at, "source": source % {"name": spec.name}}


def _interface(network: Network, end: End) -> HostInterface:
    families = (network.addresses, network.addresses6)
    inside: _Inside = {} if end.inside is None else {"inside": end.inside}
    return {
        "name": end.interface,
        **inside,
        "mac": network.macs[end.interface],
        "addresses": [
            str(each.by_interface[end.interface]) for each in families if end.interface in each.by_interface
        ],
        "mtu": end.mtu,
    }


def _neighbours(network: Network) -> list[str]:
    """The interfaces of hosts and routers that have an address."""
    return [interface for interface in network.addresses.by_interface if interface in network.macs]


def _arp(network: Network, spec: NodeSpec, neighbours: list[str]) -> list[NeighbourPlan]:
    own = [end.interface for end in network.layout.ends_of[spec.name]]
    entries: list[NeighbourPlan] = []
    for interface in own:
        if interface not in network.addresses.by_interface:
            continue
        subnet = network.addresses.by_interface[interface].network
        for other in neighbours:
            address = network.addresses.by_interface[other].ip
            if other not in own and address in subnet:
                entries.append({"address": str(address), "mac": network.macs[other], "interface": interface})
    return entries


def chain_notes(topo: Topo, *addressed: Container[str]) -> list[str]:
    """A line for each emulated host that links join with other hosts, where an interface gets no address: frames go no
    further there.

    Args:
        topo: the description.
        addressed: the interfaces that get addresses, of each family.
    """
    told = ("nat", "commands", "daemons")  # what may have it forward, and give it addresses
    hosts = {
        spec.name
        for spec in topo.node_specs()
        if spec.role == "host" and not any(spec.resolved.get(option) for option in told)
    }
    silent: dict[str, list[str]] = {}
    for link in topo.link_specs():
        if link.a.node in hosts and link.b.node in hosts:
            for end in (link.a, link.b):
                if not any(end.interface in family for family in addressed):
                    silent.setdefault(end.node, []).append(end.interface)
    return [
        f"host {name} forwards nothing between its links, and {', '.join(interfaces)} has no address; put a switch "
        "between hosts that share a subnet, or give the link's end an address (params1, params2: ip=)"
        for name, interfaces in silent.items()
    ]
